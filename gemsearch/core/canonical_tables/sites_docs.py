"""Encyclopedias, manuals and shared documents. Versions and languages stay apart."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

# Projects whose titles begin with a capital whatever was typed; Wiktionary's do not.
_WIKIMEDIA = (
    ".wikipedia.org .wikibooks.org .wikiquote.org .wikisource.org .wikinews.org .wikiversity.org "
    ".wikivoyage.org .wikimedia.org .wikidata.org .mediawiki.org"
)
_WIKI_VIEW = (
    "useskin oldid mobileaction printable uselang=en redirect=yes action=raw action=view "
    "action=render wprov title"
)

_WIKI_RULES = (
    SiteRule(
        "wiki.page", _WIKIMEDIA, r"/wiki/(?P<title>.+)", "{host}/wiki/{title:title}",
        "the title is the page, its first letter is a capital; history and search are others",
        (
            "https://en.wikipedia.org/wiki/kite_flying?oldid=7#Wind",
            "https://en.m.wikipedia.org/wiki/Kite_flying",
        ),
        ("https://en.wikipedia.org/wiki/Kite", "https://en.wikipedia.org/wiki/Kite_(toy)"),
        drop=_WIKI_VIEW,
    ),
    SiteRule(
        "wiki.script", _WIKIMEDIA, r"(?:/w/index\.php|/wiki|/index\.php)?",
        "{host}/wiki/{title:title}",
        "the same page named by a parameter",
        (
            "https://de.wikipedia.org/w/index.php?title=Drachen&action=raw",
            "https://de.wikipedia.org/?title=drachen",
        ),
        (
            "https://de.wikipedia.org/w/index.php?title=Drachen&action=history",
            "https://de.wikipedia.org/wiki/Drachen",
        ),
        params=r"title=.+", drop=_WIKI_VIEW,
    ),
    SiteRule(
        "wiktionary.page", ".wiktionary.org", r"/wiki/(?P<title>.+)",
        "{host}/wiki/{title:exact_title}",
        "here the case of the first letter counts",
        ("https://en.wiktionary.org/wiki/kite?oldid=7", "https://en.m.wiktionary.org/wiki/kite"),
        ("https://en.wiktionary.org/wiki/kite", "https://en.wiktionary.org/wiki/Kite"),
        drop=_WIKI_VIEW,
    ),
    SiteRule(
        "wiktionary.script", ".wiktionary.org", r"(?:/w/index\.php)?",
        "{host}/wiki/{title:exact_title}",
        "the same page named by a parameter",
        ("https://en.wiktionary.org/w/index.php?title=kite", "https://en.wiktionary.org/wiki/kite"),
        ("https://en.wiktionary.org/w/index.php?title=kite", "https://en.wiktionary.org/wiki/Kite"),
        params=r"title=.+", drop=_WIKI_VIEW,
    ),
    SiteRule(
        "wikidata.entity", "wikidata.org", r"/entity/(?P<id>[QPL]\d+)", "wikidata.org/wiki/{id}",
        "the name of the thing leads to its page",
        ("http://www.wikidata.org/entity/Q777", "https://www.wikidata.org/wiki/Q777"),
        ("https://www.wikidata.org/wiki/Q777", "https://www.wikidata.org/wiki/Q77"),
    ),
    SiteRule(
        "archwiki.page", "wiki.archlinux.org", r"/(?:title|index\.php)/(?P<title>.+)",
        "wiki.archlinux.org/title/{title:title}", "old and new address of one page",
        (
            "https://wiki.archlinux.org/index.php/Kite",
            "https://wiki.archlinux.org/title/kite",
        ),
        (
            "https://wiki.archlinux.org/title/Kite",
            "https://wiki.archlinux.org/title/Kite_(Deutsch)",
        ),
        drop="oldid action=raw useskin",
    ),
    SiteRule(
        "archwiki.script", "wiki.archlinux.org", r"/index\.php",
        "wiki.archlinux.org/title/{title:title}",
        "the same page named by a parameter",
        (
            "https://wiki.archlinux.org/index.php?title=Kite",
            "https://wiki.archlinux.org/title/Kite",
        ),
        (
            "https://wiki.archlinux.org/index.php?title=Kite&action=history",
            "https://wiki.archlinux.org/title/Kite",
        ),
        params=r"title=.+", drop="oldid action=raw useskin",
    ),
    SiteRule(
        "fandom.page", ".fandom.com", r"/wiki/(?P<title>.+)", "{host}/wiki/{title:title}",
        "as on every MediaWiki the first letter is a capital",
        ("https://kite.fandom.com/wiki/wind?so=search", "https://kite.fandom.com/wiki/Wind"),
        ("https://kite.fandom.com/wiki/Wind", "https://boat.fandom.com/wiki/Wind"),
        drop="so oldid useskin",
    ),
)  # fmt: skip

_MANUALS = (
    SiteRule(
        "mdn", "developer.mozilla.org", r"/docs/(?P<page>.+)",
        "developer.mozilla.org/en-US/docs/{page}",
        "the address without a language leads to the English page",
        (
            "https://developer.mozilla.org/docs/Web/Kite",
            "https://developer.mozilla.org/en-US/docs/Web/Kite",
        ),
        (
            "https://developer.mozilla.org/docs/Web/Kite",
            "https://developer.mozilla.org/de/docs/Web/Kite",
        ),
        drop="retiredLocale redirectlocale redirectslug",
    ),
    SiteRule(
        "mdn.locale", "developer.mozilla.org",
        r"/(?P<lang>[a-z]{2}(?:-[A-Z]{2})?)/docs/(?P<page>.+)",
        "developer.mozilla.org/{lang}/docs/{page}", "leftovers of a retired translation",
        (
            "https://developer.mozilla.org/en-US/docs/Web/Kite?retiredLocale=xx",
            "https://developer.mozilla.org/en-US/docs/Web/Kite",
        ),
        (
            "https://developer.mozilla.org/en-US/docs/Web/Kite",
            "https://developer.mozilla.org/ja/docs/Web/Kite",
        ),
        drop="retiredLocale redirectlocale redirectslug",
    ),
    SiteRule(
        "mslearn", "learn.microsoft.com", r"/(?P<lang>[a-z]{2}-[a-z]{2})/(?P<page>.+)",
        "learn.microsoft.com/{lang}/{page}", "which tab is open; versions (`view`) stay apart",
        (
            "https://learn.microsoft.com/en-us/kite/wind?tabs=bash",
            "https://docs.microsoft.com/en-us/kite/wind",
        ),
        (
            "https://learn.microsoft.com/en-us/kite/wind?view=wind-7",
            "https://learn.microsoft.com/en-us/kite/wind?view=wind-8",
        ),
        drop="tabs source redirectedfrom",
    ),
    SiteRule(
        "mslearn.default", "learn.microsoft.com", r"/(?P<page>(?![a-z]{2}-[a-z]{2}(?:/|$))[a-z].+)",
        "learn.microsoft.com/en-us/{page}",
        "the address without a language leads to the English page",
        (
            "https://learn.microsoft.com/kite/wind",
            "https://learn.microsoft.com/en-us/kite/wind",
        ),
        (
            "https://learn.microsoft.com/kite/wind",
            "https://learn.microsoft.com/de-de/kite/wind",
        ),
        drop="tabs source redirectedfrom",
    ),
    SiteRule(
        "sphinx", "docs.python.org docs.djangoproject.com .readthedocs.io docs.* doc.*",
        r"(?:/.*)?", "",
        "which words of a search are highlighted",
        (
            "https://docs.python.org/3/library/kite.html?highlight=wind",
            "https://docs.python.org/3/library/kite.html",
        ),
        (
            "https://docs.python.org/3/library/kite.html",
            "https://docs.python.org/3.11/library/kite.html",
        ),
        drop="highlight",
    ),
    SiteRule(
        "kernel.docs", "kernel.org", r"/doc/html/latest(?P<page>/.*)?",
        "docs.kernel.org{page:page}",
        "the newest documentation has a host of its own",
        (
            "https://www.kernel.org/doc/html/latest/kite/wind.html",
            "https://docs.kernel.org/kite/wind.html",
        ),
        (
            "https://www.kernel.org/doc/html/v6.1/kite/wind.html",
            "https://docs.kernel.org/kite/wind.html",
        ),
    ),
    SiteRule(
        "postgres.docs", "postgresql.org",
        r"/docs/(?P<version>current|devel|\d[\d.]*)/static(?P<page>/.+)",
        "postgresql.org/docs/{version}{page:page}", "an old folder of the same pages",
        (
            "https://www.postgresql.org/docs/9.6/static/kite.html",
            "https://www.postgresql.org/docs/9.6/kite.html",
        ),
        (
            "https://www.postgresql.org/docs/9.6/kite.html",
            "https://www.postgresql.org/docs/current/kite.html",
        ),
    ),
    SiteRule(
        "lwn.article", "lwn.net", r"/(?:Articles|SubscriberLink)/(?P<n>\d+)(?:/[0-9a-f]{16})?",
        "lwn.net/Articles/{n}", "printed, or shared by a subscriber",
        (
            "https://lwn.net/Articles/777/?format=printable",
            "https://lwn.net/SubscriberLink/777/0123456789abcdef/",
        ),
        ("https://lwn.net/Articles/777/", "https://lwn.net/Articles/77/"),
        drop="format=printable",
    ),
)  # fmt: skip

_SHARED_DOCUMENTS = (
    SiteRule(
        "google.document", "docs.google.com",
        r"/(?:a/[^/]+/)?(?P<kind>document|spreadsheets|presentation|forms|drawings)/(?:u/\d+/)?d/"
        r"(?P<id>(?:e/)?[\w-]+)(?:/(?:edit|view|preview|copy|pub|pubhtml|mobilebasic|mobilepresent"
        r"|htmlview|htmlembed|present|viewform|embed))?",
        "docs.google.com/{kind}/d/{id}", "editing, viewing and previewing one document",
        (
            "https://docs.google.com/document/u/1/d/Kite7/edit?usp=sharing#heading=h.x",
            "https://docs.google.com/document/d/Kite7/preview",
        ),
        (
            "https://docs.google.com/document/d/Kite7/edit",
            "https://docs.google.com/presentation/d/Kite7/edit",
        ),
        drop="*",
    ),
    SiteRule(
        "google.file", "drive.google.com docs.google.com",
        r"/(?:a/[^/]+/)?file/(?:u/\d+/)?d/(?P<id>[\w-]+)(?:/\w+)?",
        "drive.google.com/file/d/{id}", "viewing and previewing one file",
        (
            "https://drive.google.com/file/d/Kite7/view?usp=x",
            "https://drive.google.com/file/d/Kite7/preview",
        ),
        (
            "https://drive.google.com/file/d/Kite7/view",
            "https://drive.google.com/file/d/Kite8/view",
        ),
        drop="*",
    ),
    SiteRule(
        "google.open", "drive.google.com docs.google.com drive.usercontent.google.com",
        r"/(?:open|uc|download|leaf)", "drive.google.com/file/d/{id}", "the id as a parameter",
        (
            "https://drive.google.com/open?id=Kite7",
            "https://drive.google.com/uc?export=download&id=Kite7",
        ),
        ("https://drive.google.com/open?id=Kite7", "https://drive.google.com/open?id=kite7"),
        params=r"id=[\w-]+", drop="*",
    ),
    SiteRule(
        "google.folder", "drive.google.com",
        r"/drive/(?:u/\d+/)?(?:mobile/)?folders/(?P<id>[\w-]+)",
        "drive.google.com/drive/folders/{id}", "one folder, in any account",
        (
            "https://drive.google.com/drive/u/0/folders/Kite7?usp=sharing",
            "https://drive.google.com/drive/folders/Kite7",
        ),
        (
            "https://drive.google.com/drive/folders/Kite7",
            "https://drive.google.com/drive/folders/Kite8",
        ),
        drop="*",
    ),
    SiteRule(
        "notion.page", "notion.so .notion.site", r"/(?:[\w-]+/)?(?:[^/]*-)?(?P<id>[0-9a-f]{32})",
        "notion.so/{id}", "the title stands before the id",
        (
            f"https://kite.notion.site/On-Kites-{'7' * 32}?pvs=4",
            f"https://www.notion.so/kite/{'7' * 32}",
        ),
        (f"https://www.notion.so/{'7' * 32}", f"https://www.notion.so/{'8' * 32}"),
        drop="pvs source",
    ),
    SiteRule(
        "trello", "trello.com", r"/(?P<kind>[bc])/(?P<id>[A-Za-z0-9]{8})(?:/.*)?",
        "trello.com/{kind}/{id}",
        "the title follows the id",
        ("https://trello.com/c/Kite7777/7-on-kites", "https://trello.com/c/Kite7777"),
        ("https://trello.com/c/Kite7777", "https://trello.com/b/Kite7777"),
    ),
    SiteRule(
        "figma", "figma.com", r"/(?:file|design)/(?P<id>[A-Za-z0-9]{10,})(?:/[^/]*)?",
        "figma.com/file/{id}",
        "the title follows the id; frames stay apart",
        (
            "https://www.figma.com/design/Kite777777/On-Kites?t=x",
            "https://www.figma.com/file/Kite777777",
        ),
        (
            "https://www.figma.com/file/Kite777777?node-id=1",
            "https://www.figma.com/file/Kite777777?node-id=2",
        ),
        drop="t m type",
    ),
    SiteRule(
        "codepen", "codepen.io",
        r"/(?P<user>[\w-]+)/(?:pen|full|details|embed|debug)/(?:preview/)?(?P<id>[A-Za-z]+)",
        "codepen.io/{user}/pen/{id}", "editor and views of one pen",
        ("https://codepen.io/kite/full/WindWind", "https://codepen.io/kite/pen/WindWind"),
        ("https://codepen.io/kite/pen/WindWind", "https://codepen.io/kite/pen/windwind"),
        drop="*",
    ),
)  # fmt: skip

DOCUMENTS: tuple[SiteRule, ...] = (*_WIKI_RULES, *_MANUALS, *_SHARED_DOCUMENTS)
