"""Video, music, news and books: where an id, not the address, names the work."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

_YOUTUBE = "youtube.com yewtu.be inv.nadeko.net piped.video invidious.* piped.*"
_VIDEO = r"(?P<v>(?!videoseries|live_stream)[\w-]{11})"
_NOISE = "si pp ab_channel feature cbrd ucbcb app persist_app noapp"
_MEDIUM = (
    "medium.com .medium.com scribe.rip towardsdatascience.com betterprogramming.pub itnext.io "
    "levelup.gitconnected.com uxdesign.cc netflixtechblog.com blog.devgenius.io "
    "javascript.plainenglish.io python.plainenglish.io aws.plainenglish.io"
)
_STORY = r"(?:[^/]*-)?(?P<id>(?=[a-f]*\d)[0-9a-f]{10,12})"

_YOUTUBE_RULES = (
    SiteRule(
        "youtube.watch", _YOUTUBE, "/watch", "youtube.com/watch?v={v}",
        "the id is the video, at any second, in any list",
        (
            "https://m.youtube.com/watch?v=KiteKite777&list=PLx&t=9s",
            "https://yewtu.be/watch?v=KiteKite777",
        ),
        (
            "https://www.youtube.com/watch?v=KiteKite777",
            "https://www.youtube.com/watch?v=kiteKite777",
        ),
        params=r"v=[\w-]{11}", drop="*",
    ),
    SiteRule(
        "youtube.video", _YOUTUBE, rf"/(?:embed|v|e|live|shorts|watch)/{_VIDEO}",
        "youtube.com/watch?v={v}", "the player, a live page and a short are the same video",
        (
            "https://www.youtube-nocookie.com/embed/KiteKite777?rel=0",
            "https://www.youtube.com/shorts/KiteKite777",
        ),
        (
            "https://www.youtube.com/embed/videoseries?list=PLa",
            "https://www.youtube.com/embed/videoseries?list=PLb",
        ),
        drop="*",
    ),
    SiteRule(
        "youtube.short", "youtu.be", rf"/(?:watch/)?{_VIDEO}", "youtube.com/watch?v={v}",
        "the short form carries the id",
        ("https://youtu.be/KiteKite777?si=x", "https://www.youtube.com/watch?v=KiteKite777"),
        ("https://youtu.be/KiteKite777", "https://youtu.be/KiteKite778"),
        drop="*",
    ),
    SiteRule(
        "youtube.playlist", _YOUTUBE, "/(?:playlist|embed/videoseries)",
        "youtube.com/playlist?list={list}",
        "a list, entered at any place",
        (
            "https://www.youtube.com/playlist?list=PLkite&index=3",
            "https://www.youtube.com/playlist?list=PLkite",
        ),
        (
            "https://www.youtube.com/playlist?list=PLkite",
            "https://www.youtube.com/playlist?list=PLwind",
        ),
        params=r"list=[\w-]+", drop="*",
    ),
    SiteRule(
        "youtube.page", "youtube.com", r"(?:/.*)?", "", "where on YouTube the link was copied",
        ("https://www.youtube.com/c/kite?cbrd=1&ucbcb=1", "https://www.youtube.com/c/kite"),
        (
            "https://www.youtube.com/results?search_query=kite",
            "https://www.youtube.com/results?search_query=wind",
        ),
        drop=_NOISE,
    ),
)  # fmt: skip

_VIDEO_RULES = (
    SiteRule(
        "vimeo.video", "vimeo.com player.vimeo.com", r"/(?:video/|channels/[\w-]+/)?(?P<n>\d+)",
        "vimeo.com/{n}", "page, player and channel of one video",
        ("https://player.vimeo.com/video/777?title=0", "https://vimeo.com/777"),
        ("https://vimeo.com/777", "https://vimeo.com/778"),
        drop="*",
    ),
    SiteRule(
        "dailymotion.video", "dailymotion.com geo.dailymotion.com",
        r"/(?:embed/)?video/(?P<id>x[a-z0-9]+)(?:_.*)?", "dailymotion.com/video/{id}",
        "page and player of one video",
        (
            "https://www.dailymotion.com/embed/video/xkite7",
            "https://www.dailymotion.com/video/xkite7_on-kites",
        ),
        ("https://www.dailymotion.com/video/xkite7", "https://www.dailymotion.com/video/xkite8"),
        drop="*",
    ),
    SiteRule(
        "dailymotion.short", "dai.ly", r"/(?P<id>x[a-z0-9]+)", "dailymotion.com/video/{id}",
        "the short form carries the id",
        ("https://dai.ly/xkite7", "https://www.dailymotion.com/video/xkite7"),
        ("https://dai.ly/xkite7", "https://dai.ly/xkite8"),
        drop="*",
    ),
    SiteRule(
        "twitch.clip", "twitch.tv", r"/\w+/clip/(?P<id>[\w-]+)", "clips.twitch.tv/{id}",
        "two addresses of one clip",
        ("https://www.twitch.tv/kite/clip/Wind-7", "https://clips.twitch.tv/Wind-7"),
        ("https://clips.twitch.tv/Wind-7", "https://clips.twitch.tv/Wind-8"),
        drop="*",
    ),
    SiteRule(
        "spotify", "open.spotify.com",
        r"(?:/intl-[a-z-]+|/embed|/embed-podcast)?/(?P<kind>track|album|artist|playlist|episode|show)"
        r"/(?P<id>[A-Za-z0-9]+)",
        "open.spotify.com/{kind}/{id}", "page, player and language view of one work",
        (
            "https://open.spotify.com/intl-de/track/Kite7?si=x",
            "https://open.spotify.com/embed/track/Kite7",
        ),
        ("https://open.spotify.com/track/Kite7", "https://open.spotify.com/album/Kite7"),
        drop="*",
    ),
    SiteRule(
        "soundcloud", "soundcloud.com", r"/.+", "", "who shared the link",
        ("https://soundcloud.com/kite/wind?si=x", "https://soundcloud.com/kite/wind"),
        ("https://soundcloud.com/kite/wind", "https://soundcloud.com/kite/sea"),
        drop="si in",
    ),
    SiteRule(
        "imdb", "imdb.com", r"/.*", "", "where on IMDb the link was clicked",
        (
            "https://m.imdb.com/title/tt0000007/?ref_=nv_sr_1",
            "https://www.imdb.com/title/tt0000007/",
        ),
        ("https://www.imdb.com/title/tt0000007/", "https://www.imdb.com/title/tt0000008/"),
        drop="ref_",
    ),
    SiteRule(
        "goodreads", "goodreads.com", r"/(?P<kind>[a-z]+)/show/(?P<n>\d+)(?:[.-].*)?",
        "goodreads.com/{kind}/show/{n}", "the title follows the number",
        (
            "https://www.goodreads.com/book/show/777.On_Kites",
            "https://www.goodreads.com/book/show/777-on-kites",
        ),
        ("https://www.goodreads.com/book/show/777", "https://www.goodreads.com/author/show/777"),
        drop="*",
    ),
)  # fmt: skip

_WRITING_RULES = (
    SiteRule(
        "medium.list", _MEDIUM, r"/@[^/]+/list/.+", "", "lists have ids of their own",
        (
            "https://medium.com/@kite/list/wind-0123456789ab?source=x",
            "https://medium.com/@kite/list/wind-0123456789ab",
        ),
        (
            "https://medium.com/@kite/list/wind-0123456789ab",
            "https://medium.com/@kite/wind-0123456789ab",
        ),
        drop="source",
    ),
    SiteRule(
        "medium.story", _MEDIUM, rf"/(?:[^/]+/)?{_STORY}", "medium.com/p/{id}",
        "the number at the end is the story, under any author, title or publication",
        (
            "https://kite.medium.com/on-kites-0123456789ab?source=rss",
            "https://scribe.rip/@kite/renamed-0123456789ab",
        ),
        (
            "https://medium.com/@kite/on-kites-0123456789ab",
            "https://medium.com/@kite/on-kites-0123456789ac",
        ),
        drop="*",
    ),
    SiteRule(
        "medium.page", "medium.com .medium.com", r"(?:/.*)?", "",
        "where on Medium the link was clicked",
        ("https://medium.com/tag/kites?source=x", "https://medium.com/tag/kites"),
        ("https://medium.com/tag/kites", "https://medium.com/tag/wind"),
        drop="source gi sk",
    ),
    SiteRule(
        "substack.open", "open.substack.com", r"/pub/(?P<name>[a-z0-9-]+)/p/(?P<slug>[\w-]+)",
        "{name}.substack.com/p/{slug}", "the app's address of the same post",
        (
            "https://open.substack.com/pub/kite/p/on-wind?r=1",
            "https://kite.substack.com/p/on-wind",
        ),
        (
            "https://open.substack.com/pub/kite/p/on-wind",
            "https://open.substack.com/pub/boat/p/on-wind",
        ),
        drop="*",
    ),
    SiteRule(
        "substack.post", ".substack.com", r"/p/(?P<slug>[\w-]+)(?:/comments)?", "{host}/p/{slug}",
        "name and title are the post; its comments stand below it",
        (
            "https://kite.substack.com/p/on-wind/comments?r=1&open=false",
            "https://kite.substack.com/p/on-wind",
        ),
        ("https://kite.substack.com/p/on-wind", "https://kite.substack.com/p/on-sea"),
        drop="*",
    ),
    SiteRule(
        "wikiwand", "wikiwand.com", r"/(?P<language>[a-z-]{2,12})/(?:articles/)?(?P<title>[^/].*)",
        "{language}.wikipedia.org/wiki/{title:title}", "another view of Wikipedia",
        (
            "https://www.wikiwand.com/en/articles/Kite_(toy)",
            "https://en.wikipedia.org/wiki/Kite_(toy)",
        ),
        ("https://www.wikiwand.com/en/Kite", "https://www.wikiwand.com/de/Kite"),
        drop="*",
    ),
    SiteRule(
        "theverge", "theverge.com polygon.com vox.com", r"/\d{4}/.+", "",
        "set by Twitter's preview",
        (
            "https://www.theverge.com/2099/1/1/7/kite?src=hash",
            "https://www.theverge.com/2099/1/1/7/kite",
        ),
        ("https://www.theverge.com/2099/1/1/7/kite", "https://www.theverge.com/2099/1/1/8/kite"),
        drop="src=hash",
    ),
    SiteRule(
        "apnews", "apnews.com", r"/article/.+", "", "who shared the link",
        ("https://apnews.com/article/kite-7?taid=x", "https://apnews.com/article/kite-7"),
        ("https://apnews.com/article/kite-7", "https://apnews.com/article/kite-8"),
        drop="taid",
    ),
    SiteRule(
        "nytimes", "nytimes.com cooking.nytimes.com",
        r"/(?:\d{4}|interactive|recipes|live|athletic)/.+", "",
        "which newsletter, button or page led to the article",
        (
            "https://www.nytimes.com/2099/01/01/science/kite.html?smid=tw&unlocked_article_code=x",
            "https://www.nytimes.com/2099/01/01/science/kite.html",
        ),
        (
            "https://www.nytimes.com/2099/01/01/science/kite.html?page=2",
            "https://www.nytimes.com/2099/01/01/science/kite.html",
        ),
        drop="smid smtyp referringSource unlocked_article_code campaign_id instance_id segment_id "
        "regi_id user_id emc nl te partner rref hp module pgtype mcubz searchResultPosition "
        "login ugrp sgrp ref",
    ),
    SiteRule(
        "washingtonpost", "washingtonpost.com", r"/.+", "",
        "which button or page led to the article",
        (
            "https://www.washingtonpost.com/kite/2099/01/01/wind/?itid=hp",
            "https://www.washingtonpost.com/kite/2099/01/01/wind/",
        ),
        (
            "https://www.washingtonpost.com/kite/2099/01/01/wind/",
            "https://www.washingtonpost.com/kite/2099/01/02/wind/",
        ),
        drop="itid tid wpsrc wpisrc pwapi_token wpmk",
    ),
    SiteRule(
        "wsj", "wsj.com", r"/.+", "", "which button or page led to the article",
        ("https://www.wsj.com/articles/kite-777?mod=hp", "https://www.wsj.com/articles/kite-777"),
        ("https://www.wsj.com/articles/kite-777", "https://www.wsj.com/articles/kite-778"),
        drop="mod st reflink",
    ),
    SiteRule(
        "guardian", "theguardian.com", r"/.+", "", "which button led to the article",
        (
            "https://www.theguardian.com/science/2099/jan/01/kite?CMP=share_btn_url",
            "https://www.theguardian.com/science/2099/jan/01/kite",
        ),
        (
            "https://www.theguardian.com/science/2099/jan/01/kite?page=with:block-7",
            "https://www.theguardian.com/science/2099/jan/01/kite",
        ),
        drop="CMP",
    ),
    SiteRule(
        "bloomberg", "bloomberg.com", r"/.+", "", "which page led to the article",
        (
            "https://www.bloomberg.com/news/articles/2099-01-01/kite?srnd=x&leadSource=y",
            "https://www.bloomberg.com/news/articles/2099-01-01/kite",
        ),
        (
            "https://www.bloomberg.com/news/articles/2099-01-01/kite",
            "https://www.bloomberg.com/news/articles/2099-01-02/kite",
        ),
        drop="srnd sref leadSource accessToken embedded-checkout",
    ),
    SiteRule(
        "conde", "wired.com newyorker.com vanityfair.com arstechnica.com", r"/.+", "",
        "which newsletter led to the article",
        ("https://www.wired.com/story/kite/?mbid=x&bxid=y", "https://www.wired.com/story/kite/"),
        ("https://www.wired.com/story/kite/", "https://www.wired.com/story/wind/"),
        drop="mbid bxid cndid esrc intcid _sp comments",
    ),
    SiteRule(
        "economist", "economist.com ft.com forbes.com", r"/.+", "",
        "which button led to the article",
        (
            "https://www.economist.com/kites/2099/01/01/wind?fsrc=x",
            "https://www.economist.com/kites/2099/01/01/wind",
        ),
        (
            "https://www.economist.com/kites/2099/01/01/wind",
            "https://www.economist.com/kites/2099/01/02/wind",
        ),
        drop="fsrc sharetype ftcamp accessToken sh",
    ),
    SiteRule(
        "techcrunch", "techcrunch.com engadget.com", r"/.+", "", "which feed or network led here",
        (
            "https://techcrunch.com/2099/01/01/kite/?tpcc=x",
            "https://techcrunch.com/2099/01/01/kite/",
        ),
        ("https://techcrunch.com/2099/01/01/kite/", "https://techcrunch.com/2099/01/02/kite/"),
        drop="tpcc sr_share ncid",
    ),
    SiteRule(
        "cnbc", "cnbc.com businessinsider.com npr.org", r"/.+", "",
        "which feed or network led here",
        (
            "https://www.cnbc.com/2099/01/01/kite.html?__source=x",
            "https://www.cnbc.com/2099/01/01/kite.html",
        ),
        ("https://www.cnbc.com/2099/01/01/kite.html", "https://www.cnbc.com/2099/01/02/kite.html"),
        drop="__source r=US IR=T sc=tw sc=fb",
    ),
    SiteRule(
        "twitch", "twitch.tv", r"/.+", "", "which button led here",
        ("https://www.twitch.tv/videos/777?tt_medium=x", "https://www.twitch.tv/videos/777"),
        ("https://www.twitch.tv/videos/777", "https://www.twitch.tv/videos/778"),
        drop="tt_medium tt_content",
    ),
    SiteRule(
        "bbc.news", "bbc.co.uk bbc.com", r"/(?P<section>news|sport)/(?P<rest>.+)",
        "bbc.com/{section}/{rest}", "news has two hosts, one for each side of the channel",
        ("https://www.bbc.co.uk/news/kite-777?ocid=x", "https://www.bbc.com/news/kite-777"),
        ("https://www.bbc.com/news/kite-777", "https://www.bbc.com/sport/kite-777"),
        drop="ocid intlink_from_url at_link_id at_link_type at_link_origin at_bbc_team at_ptr_name "
        "pinned_post_locator pinned_post_asset_id pinned_post_type",
    ),
)  # fmt: skip

MEDIA: tuple[SiteRule, ...] = (*_YOUTUBE_RULES, *_VIDEO_RULES, *_WRITING_RULES)
