"""Forums, questions and networks: the number of a thread or a post is the page."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

_REDDIT = "reddit.com redlib.* libreddit.* teddit.* libredd.it safereddit.com teddit.net"
_X = (
    "x.com vxtwitter.com fxtwitter.com fixupx.com fixvx.com twittpr.com xcancel.com nitter.net "
    "nitter.*"
)
_STACK = (
    ".stackexchange.com .stackoverflow.com .askubuntu.com .superuser.com .serverfault.com "
    ".mathoverflow.net stackapps.com"
)
_DISCOURSE = (
    "discuss.* discourse.* community.* forum.* forums.* users.* internals.* talk.* meta.* "
    "help.* support.* elixirforum.com"
)

_REDDIT_RULES = (
    SiteRule(
        "reddit.post", _REDDIT,
        r"/(?:(?:r|u|user)/[^/]+/)?comments/(?P<id>[A-Za-z0-9]{1,10})(?:/.*)?",
        "reddit.com/comments/{id:lower}",
        "the post's id is the page, on every front end, also when a comment is linked",
        (
            "https://old.reddit.com/r/Kites/comments/abc12/on_kites/?sort=top",
            "https://redlib.kite.example/r/kites/comments/abc12/other/def34/",
        ),
        ("https://www.reddit.com/comments/abc12", "https://www.reddit.com/comments/abc13"),
        drop="*",
    ),
    SiteRule(
        "reddit.gallery", "reddit.com", r"/(?:gallery|tb)/(?P<id>[A-Za-z0-9]{1,10})",
        "reddit.com/comments/{id:lower}", "another form of the same post",
        ("https://www.reddit.com/gallery/abc12", "https://www.reddit.com/comments/abc12"),
        ("https://www.reddit.com/gallery/abc12", "https://www.reddit.com/gallery/abc13"),
        drop="*",
    ),
    SiteRule(
        "reddit.short", "redd.it", r"/(?P<id>[a-z0-9]{1,10})", "reddit.com/comments/{id}",
        "the short form carries the id",
        ("https://redd.it/abc12", "https://www.reddit.com/r/kites/comments/abc12/on_kites/"),
        ("https://redd.it/abc12", "https://redd.it/abc13"),
        drop="*",
    ),
    SiteRule(
        "reddit.user", "reddit.com", r"/(?:u|user)/(?P<name>[\w-]+)(?P<rest>(?:/.*)?)",
        "reddit.com/user/{name:lower}{rest}", "names have no case, `u` is `user`",
        ("https://www.reddit.com/u/Kite", "https://www.reddit.com/user/kite/"),
        ("https://www.reddit.com/u/kite", "https://www.reddit.com/r/kite"),
    ),
    SiteRule(
        "reddit.subreddit", "reddit.com", r"/r/(?P<name>[\w-]+)(?P<rest>(?:/.*)?)",
        "reddit.com/r/{name:lower}{rest}", "names have no case; `/s/` links stay opaque",
        ("https://www.reddit.com/r/Kites/wiki/faq", "https://old.reddit.com/r/kites/wiki/faq"),
        ("https://www.reddit.com/r/kites/s/Ab1", "https://www.reddit.com/r/kites/s/Ab2"),
    ),
)  # fmt: skip

_X_RULES = (
    SiteRule(
        "x.status", _X,
        r"/(?:[A-Za-z0-9_]+/|i/web/)(?:status|statuses)/(?P<n>\d+)(?:/(?:photo|video)/\d)?",
        "x.com/i/status/{n}", "the number is the post, on every front end",
        ("https://twitter.com/#!/Kite/status/777", "https://twitter.com/i/web/status/777?s=20"),
        ("https://x.com/kite/status/777", "https://x.com/kite/status/7777"),
        drop="*",
    ),
    SiteRule(
        "x.profile", "x.com",
        r"/(?P<name>(?!(?:search|home|explore|settings|login|hashtag|i|intent|messages)$)[A-Za-z0-9_]{1,15})",
        "x.com/{name:lower}", "names have no case",
        ("https://twitter.com/Kite?ref_src=x", "https://x.com/kite"),
        ("https://x.com/kite", "https://x.com/boat"),
        drop="ref_src lang s t",
    ),
)  # fmt: skip

_STACK_RULES = (
    SiteRule(
        "stack.question", _STACK, r"/(?:questions|q)/(?P<n>\d+)(?:/.*)?", "{host}/questions/{n}",
        "the number is the question, also when an answer is linked",
        (
            "https://askubuntu.com/questions/777/on-kites/888?rq=1#888",
            "https://askubuntu.com/q/777/42",
        ),
        ("https://es.stackoverflow.com/questions/777", "https://stackoverflow.com/questions/777"),
        drop="*",
    ),
    SiteRule(
        "stack.answer", _STACK, r"/a/(?P<n>\d+)(?:/\d+)?", "{host}/a/{n}",
        "the second number is who shared it",
        ("https://stackoverflow.com/a/777/42", "https://stackoverflow.com/a/777"),
        ("https://stackoverflow.com/a/777", "https://stackoverflow.com/q/777"),
        drop="*",
    ),
    SiteRule(
        "stack.user", _STACK, r"/users/(?P<n>-?\d+)(?:/[^/]*)?", "{host}/users/{n}",
        "the name follows the number",
        ("https://superuser.com/users/777/kite", "https://superuser.com/users/777"),
        ("https://superuser.com/users/777", "https://stackoverflow.com/users/777"),
    ),
)  # fmt: skip

_BOARDS = (
    SiteRule(
        "lobsters", "lobste.rs tilde.news", r"/s/(?P<id>[a-z0-9]{6})(?:/.*)?", "{host}/s/{id}",
        "the title follows the id",
        ("https://lobste.rs/s/kite77/on_kites", "https://lobste.rs/s/kite77"),
        ("https://lobste.rs/s/kite77", "https://lobste.rs/s/kite78"),
        drop="*",
    ),
    SiteRule(
        "discourse.topic", _DISCOURSE, r"/t/(?:[^/]*[^/\d][^/]*/)?(?P<n>\d+)(?:/\d+)?",
        "{host}/t/{n}",
        "the title stands before the number, the place in the topic after it",
        (
            "https://discuss.kite.example/t/on-kites/777/8?u=doe",
            "https://discuss.kite.example/t/777",
        ),
        (
            "https://discuss.kite.example/t/on-kites/777",
            "https://discuss.kite.example/t/on-kites/778",
        ),
        drop="u",
    ),
    SiteRule(
        "phpbb.topic", "*", r"(?:/.*)?/viewtopic\.php", "",
        "the topic's number is enough, the forum's number repeats it",
        (
            "https://board.example/viewtopic.php?f=3&t=777&hilit=wind",
            "https://board.example/viewtopic.php?t=777",
        ),
        (
            "https://board.example/viewtopic.php?t=777",
            "https://board.example/viewtopic.php?t=777&start=20",
        ),
        params=r"t=\d+", drop="f hilit highlight sid", marker="/viewtopic.php",
    ),
    SiteRule(
        "vbulletin.thread", "*", r"(?:/.*)?/showthread\.php", "",
        "highlighted words do not change the thread",
        (
            "https://board.example/showthread.php?t=777&highlight=wind",
            "https://board.example/showthread.php?t=777",
        ),
        (
            "https://board.example/showthread.php?t=777",
            "https://board.example/showthread.php?t=777&page=2",
        ),
        drop="highlight", marker="/showthread.php",
    ),
    SiteRule(
        "xenforo.thread", "*", r"(?P<board>(?:/.*)?/threads)/[^/]*\.(?P<n>\d+)(?:/post-\d+)?",
        "{host}{board}/{n}", "the number after the last dot is the thread",
        (
            "https://board.example/threads/on-kites.777/post-9",
            "https://board.example/threads/renamed.777/",
        ),
        (
            "https://board.example/threads/on-kites.777/",
            "https://board.example/threads/on-kites.777/page-2",
        ),
        marker="/threads/",
    ),
    SiteRule(
        "mastodon.status", "*", r"/users/(?P<name>\w+)/statuses/(?P<n>\d+)", "{host}/@{name}/{n}",
        "the name programs use for the same post",
        (
            "https://social.example/users/kite/statuses/777",
            "https://social.example/@kite/777",
        ),
        ("https://social.example/@kite/777", "https://social.example/@kite/778"),
        marker="/statuses/",
    ),
    SiteRule(
        "googlegroups.topic", "groups.google.com",
        r"/(?:g|d/topic|d/msg|forum/topic|forum/msg)/(?P<group>[^/]+)/(?:c/)?(?P<id>[\w-]{8,})(?:/.*)?",
        "groups.google.com/g/{group}/c/{id}", "old and new address of one conversation",
        (
            "https://groups.google.com/forum/#!topic/kites/Ab1Cd2Ef3",
            "https://groups.google.com/g/kites/c/Ab1Cd2Ef3",
        ),
        (
            "https://groups.google.com/g/kites/c/Ab1Cd2Ef3",
            "https://groups.google.com/g/kites/c/Ab1Cd2Ef4",
        ),
        drop="pli",
    ),
    SiteRule(
        "facebook.photo", "facebook.com", r"/photo(?:\.php)?", "facebook.com/photo.php?fbid={fbid}",
        "the number is the picture, in whatever set it was opened",
        (
            "https://www.facebook.com/photo.php?fbid=777&set=a.1&type=3&theater",
            "https://www.facebook.com/photo/?fbid=777",
        ),
        (
            "https://www.facebook.com/photo.php?fbid=777",
            "https://www.facebook.com/photo.php?fbid=778",
        ),
        params=r"fbid=\d+", drop="*",
    ),
    SiteRule(
        "quora", "quora.com", r"/.+", "", "who shared the link, which question led here",
        (
            "https://www.quora.com/Why-do-kites-fly?share=1&redirected_qid=7",
            "https://www.quora.com/Why-do-kites-fly",
        ),
        ("https://www.quora.com/Why-do-kites-fly", "https://www.quora.com/Why-do-kites-fall"),
        drop="share=1 redirected_qid ch oid srid target_type",
    ),
    SiteRule(
        "facebook.page", "facebook.com", r"/.+", "", "where on Facebook the link was clicked",
        (
            "https://www.facebook.com/kite?__tn__=R&refid=5&mibextid=x",
            "https://www.facebook.com/kite",
        ),
        ("https://www.facebook.com/events/777", "https://www.facebook.com/events/778"),
        drop="refid __tn__ fref hc_ref hc_location rdid _rdr _rdc paipv sfnsn wtsid notif_id "
        "notif_t ref eav __xts__%5B0%5D __cft__%5B0%5D",
    ),
    SiteRule(
        "linkedin.profile", ".linkedin.com",
        r"/(?P<kind>in|company|school|showcase|pulse|jobs/view|posts|learning)/(?P<name>[^/]+)",
        "linkedin.com/{kind}/{name}", "the country in the host is the reader's",
        (
            "https://uk.linkedin.com/in/kite/?originalSubdomain=uk&trk=x",
            "https://www.linkedin.com/in/kite",
        ),
        ("https://www.linkedin.com/in/kite", "https://www.linkedin.com/company/kite"),
        drop="originalSubdomain trk trackingId lipi licu refId midToken midSig trkEmail eid rcm",
    ),
    SiteRule(
        "meetup.group", "meetup.com", r"/(?P<group>[A-Za-z0-9_-]+)(?P<rest>(?:/.*)?)",
        "meetup.com/{group:lower}{rest}", "names of groups have no case",
        ("https://www.meetup.com/Kite-Club/", "https://www.meetup.com/kite-club"),
        ("https://www.meetup.com/kite-club/events/7", "https://www.meetup.com/kite-club/events/8"),
        drop="eventOrigin recId recSource searchId",
    ),
    SiteRule(
        "hackernews.item", "news.ycombinator.com", "/item", "",
        "the number is the page",
        (
            "https://news.ycombinator.com/item?id=777#778",
            "http://news.ycombinator.com/item?id=777",
        ),
        (
            "https://news.ycombinator.com/item?id=777",
            "https://news.ycombinator.com/item?id=778",
        ),
        drop="goto",
    ),
    SiteRule(
        "instagram.post", "instagram.com", r"/(?:[\w.]+/)?(?:p|reel|reels|tv)/(?P<id>[\w-]{5,})",
        "instagram.com/p/{id}", "the code is the post",
        (
            "https://www.instagram.com/kite/reel/Kite77/?hl=en",
            "https://www.instagram.com/p/Kite77/",
        ),
        ("https://www.instagram.com/p/Kite77/", "https://www.instagram.com/p/kite77/"),
        drop="*",
    ),
    SiteRule(
        "tiktok.video", "tiktok.com", r"/@(?P<name>[\w.]+)/(?:video|photo)/(?P<n>\d+)",
        "tiktok.com/@{name:lower}/video/{n}", "the number is the post",
        (
            "https://www.tiktok.com/@Kite/video/777?is_from_webapp=1",
            "https://www.tiktok.com/@kite/video/777",
        ),
        ("https://www.tiktok.com/@kite/video/777", "https://www.tiktok.com/@kite/video/778"),
        drop="*",
    ),
)  # fmt: skip

FORUMS: tuple[SiteRule, ...] = (*_REDDIT_RULES, *_X_RULES, *_STACK_RULES, *_BOARDS)
