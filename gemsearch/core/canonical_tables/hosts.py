"""Hosts: which are local, which keep their mobile label, which serve the pages of another."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import HostAlias

# Names that only one machine or one network can resolve.
LOCAL_SUFFIXES = (
    ".local",  # RFC 6762, multicast DNS
    ".internal",  # reserved by ICANN for private use in 2024
    ".lan",  # routers' default
    ".home.arpa",  # RFC 8375
    ".ts.net",  # one tailnet's names
    ".localdomain",  # resolvers' default
    ".home",  # never delegated, used by routers
    ".corp",  # never delegated, used by companies
    ".intranet",  # RFC 6762, appendix G
    ".private",  # RFC 6762, appendix G
)

# `m.` is part of the name here, not the mobile view of the host without it.
MOBILE_IS_ANOTHER_SITE = frozenset({
    "m.media-amazon.com",  # an image store, no pages
})  # fmt: skip

# Everybody may own a label below these: `m.` or `mobile.` there is somebody's site.
SHARED_PARENTS = frozenset(
    (
        # pages of code forges and builders
        "github.io gitlab.io codeberg.page pages.dev workers.dev netlify.app vercel.app now.sh "
        "herokuapp.com fly.dev web.app firebaseapp.com surge.sh deno.dev onrender.com render.com "
        "azurewebsites.net amazonaws.com cloudfront.net appspot.com run.app glitch.me repl.co "
        "replit.app readthedocs.io rtfd.io hf.space streamlit.app srht.site neocities.org "
        # blogs and shops
        "blogspot.com wordpress.com substack.com medium.com tumblr.com livejournal.com ghost.io "
        "hashnode.dev bearblog.dev mataroa.blog typepad.com weebly.com wixsite.com webflow.io "
        "squarespace.com myshopify.com bandcamp.com itch.io notion.site gitbook.io dreamwidth.org "
        # second levels under which countries register names
        "co.uk org.uk ac.uk gov.uk me.uk com.au org.au net.au edu.au co.nz org.nz co.jp or.jp "
        "ne.jp ac.jp com.br org.br com.cn org.cn edu.cn co.in org.in co.kr or.kr com.tr com.mx "
        "co.za com.ar com.tw com.hk com.sg co.il com.ua com.pl"
    ).split()
)

# Sites that once kept their pages behind `#!`: what follows it is the path today.
HASHBANG_PATHS = {
    "x.com": "",  # /#!/user/status/7
    "groups.google.com": "/forum/",  # /forum/#!topic/group/id
}

HOST_ALIASES: tuple[HostAlias, ...] = (
    # reddit: the same posts under older and newer designs
    *(
        HostAlias(
            host,
            "reddit.com",
            "another design of the same posts",
            (f"https://{host}/r/kites/wiki", "https://www.reddit.com/r/kites/wiki"),
            (f"https://{host}/r/kites", "https://www.reddit.com/r/boats"),
        )
        for host in "old.reddit.com new.reddit.com np.reddit.com nr.reddit.com ssl.reddit.com "
        "pay.reddit.com i.reddit.com sh.reddit.com".split()
    ),
    HostAlias(
        "twitter.com",
        "x.com",
        "renamed, every address redirects",
        ("https://twitter.com/kite/lists/sky", "https://x.com/kite/lists/sky"),
        ("https://twitter.com/kite", "https://x.com/boat"),
    ),
    *(
        HostAlias(
            host,
            "facebook.com",
            "another view of the same pages",
            (f"https://{host}/groups/77", "https://www.facebook.com/groups/77"),
            (f"https://{host}/groups/77", "https://www.facebook.com/groups/78"),
        )
        for host in (
            "mbasic.facebook.com",
            "touch.facebook.com",
            "web.facebook.com",
            "fb.com",
        )
    ),
    HostAlias(
        "youtube-nocookie.com",
        "youtube.com",
        "the player without cookies",
        ("https://www.youtube-nocookie.com/@kite", "https://www.youtube.com/@kite"),
        ("https://www.youtube-nocookie.com/@kite", "https://www.youtube.com/@boat"),
    ),
    HostAlias(
        "music.youtube.com",
        "youtube.com",
        "the same videos and playlists",
        ("https://music.youtube.com/channel/UCa", "https://www.youtube.com/channel/UCa"),
        ("https://music.youtube.com/channel/UCa", "https://www.youtube.com/channel/UCb"),
    ),
    HostAlias(
        "gaming.youtube.com",
        "youtube.com",
        "closed, every address redirects",
        ("https://gaming.youtube.com/channel/UCa", "https://www.youtube.com/channel/UCa"),
        ("https://gaming.youtube.com/channel/UCa", "https://www.youtube.com/channel/UCb"),
    ),
    HostAlias(
        "hf.co",
        "huggingface.co",
        "the short name of the same site",
        ("https://hf.co/kite/wind", "https://huggingface.co/kite/wind"),
        ("https://hf.co/kite/wind", "https://huggingface.co/datasets/kite/wind"),
    ),
    HostAlias(
        "docs.microsoft.com",
        "learn.microsoft.com",
        "renamed, every address redirects",
        ("https://docs.microsoft.com/en-us/kite/a", "https://learn.microsoft.com/en-us/kite/a"),
        ("https://docs.microsoft.com/en-us/kite/a", "https://learn.microsoft.com/en-us/kite/b"),
    ),
    HostAlias(
        "npmjs.org",
        "npmjs.com",
        "the old name of the site",
        ("https://www.npmjs.org/package/kite", "https://www.npmjs.com/package/kite"),
        ("https://www.npmjs.org/package/kite", "https://www.npmjs.com/package/kites"),
    ),
    HostAlias(
        "dx.doi.org",
        "doi.org",
        "the old name of the resolver",
        ("http://dx.doi.org/10.5555/kite.1", "https://doi.org/10.5555/kite.1"),
        ("http://dx.doi.org/10.5555/kite.1", "https://doi.org/10.5555/kite.2"),
    ),
    HostAlias(
        "aclweb.org",
        "aclanthology.org",
        "the anthology's old home",
        ("https://www.aclweb.org/anthology/X99-1001", "https://aclanthology.org/X99-1001"),
        ("https://www.aclweb.org/anthology/X99-1001", "https://aclanthology.org/X99-1002"),
    ),
    HostAlias(
        "dblp.uni-trier.de",
        "dblp.org",
        "the home of the same index",
        ("https://dblp.uni-trier.de/pid/1/2", "https://dblp.org/pid/1/2"),
        ("https://dblp.uni-trier.de/pid/1/2", "https://dblp.org/pid/1/3"),
    ),
    HostAlias(
        "godoc.org",
        "pkg.go.dev",
        "replaced, every address redirects",
        ("https://godoc.org/example.org/kite", "https://pkg.go.dev/example.org/kite"),
        ("https://godoc.org/example.org/kite", "https://pkg.go.dev/example.org/boat"),
    ),
    HostAlias(
        "golang.org",
        "go.dev",
        "renamed, every address redirects",
        ("https://golang.org/doc/install", "https://go.dev/doc/install"),
        ("https://golang.org/doc/install", "https://go.dev/doc/code"),
    ),
    HostAlias(
        "app.getpocket.com",
        "getpocket.com",
        "the reading view of the same saves",
        ("https://app.getpocket.com/read/55", "https://getpocket.com/read/55"),
        ("https://app.getpocket.com/read/55", "https://getpocket.com/read/56"),
    ),
    HostAlias(
        "play.spotify.com",
        "open.spotify.com",
        "the old name of the player",
        ("https://play.spotify.com/album/Aa1", "https://open.spotify.com/album/Aa1"),
        ("https://play.spotify.com/album/Aa1", "https://open.spotify.com/track/Aa1"),
    ),
    HostAlias(
        "telegram.me",
        "t.me",
        "the old name of the same links",
        ("https://telegram.me/kite/5", "https://t.me/kite/5"),
        ("https://telegram.me/kite/5", "https://t.me/kite/6"),
    ),
    HostAlias(
        "itunes.apple.com",
        "apps.apple.com",
        "the old name of the store's pages",
        ("https://itunes.apple.com/us/app/id55", "https://apps.apple.com/us/app/id55"),
        ("https://itunes.apple.com/us/app/id55", "https://apps.apple.com/de/app/id55"),
    ),
    HostAlias(
        "cran.rstudio.com",
        "cran.r-project.org",
        "a mirror of the archive",
        (
            "https://cran.rstudio.com/web/views/Kite.html",
            "https://cran.r-project.org/web/views/Kite.html",
        ),
        ("https://cran.rstudio.com/web/views", "https://cran.r-project.org/web/packages"),
    ),
    HostAlias(
        "raw.github.com",
        "raw.githubusercontent.com",
        "the old name of the raw files",
        (
            "https://raw.github.com/k/w/main/a.py",
            "https://raw.githubusercontent.com/k/w/main/a.py",
        ),
        (
            "https://raw.github.com/k/w/main/a.py",
            "https://raw.githubusercontent.com/k/w/main/b.py",
        ),
    ),
    # every language of Wikimedia's projects has a mobile host between language and project
    *(
        HostAlias(
            f".m.{project}",
            f".{project}",
            "the mobile view of the same page",
            (f"https://de.m.{project}/wiki/Drachen", f"https://de.{project}/wiki/Drachen"),
            (f"https://de.m.{project}/wiki/Drachen", f"https://fr.{project}/wiki/Drachen"),
        )
        for project in "wikipedia.org wiktionary.org wikibooks.org wikiquote.org wikisource.org "
        "wikinews.org wikiversity.org wikivoyage.org wikimedia.org wikidata.org".split()
    ),
    *(
        HostAlias(
            old,
            ".readthedocs.io",
            "an old name of the same documentation",
            (f"https://kite{old}/en/latest/a", "https://kite.readthedocs.io/en/latest/a"),
            (f"https://kite{old}/en/latest/a", "https://kite.readthedocs.io/en/stable/a"),
        )
        for old in (".readthedocs.org", ".rtfd.org", ".rtfd.io")
    ),
)

ALIASES: dict[str, str] = {a.host: a.target for a in HOST_ALIASES if a.host[0] != "."}
FAMILY_ALIASES: tuple[tuple[str, str], ...] = tuple(
    (a.host, a.target) for a in HOST_ALIASES if a.host[0] == "."
)
