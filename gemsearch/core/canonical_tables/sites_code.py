"""Code forges: a file has one key whether it is shown, raw or blamed.

Owners and repositories have no case; file paths have. Branches and tags stay apart, but for the
two names of a default branch that mean the repository itself.
"""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

# First segments of github.com that are no accounts.
_NO_ACCOUNT = (
    "topics|search|features|orgs|users|settings|marketplace|sponsors|collections|explore|about"
    "|enterprise|apps|login|join|notifications|trending|stars|readme|security|pricing|site|contact"
    "|customer-stories|resources|solutions|team|codespaces|events|new|organizations|account"
    "|advisories|pulls|issues|dashboard|discussions|mobile|nonprofit|edu|copilot|models|signup"
    "|session|logout|repos|why-github|open-source|partners|premium-support"
)
_PAIR = r"/(?P<owner>[A-Za-z0-9_.-]+)/(?P<repo>[A-Za-z0-9_.-]+)"
_FOLDED_PAIR = "{owner:lower}/{repo:repo}"
_MAIN = "(?:main|master|HEAD)"
_README = r"README(?:\.md|\.rst)?"
_REF = r"(?:refs/heads/|refs/tags/)?(?P<ref>[^/]+)"

_GITHUB = (
    SiteRule(
        "github.issue", "github.com", rf"{_PAIR}/(?:issues|pull)/(?P<n>\d+)(?:/files|/changes)?",
        f"github.com/{_FOLDED_PAIR}/issues/{{n}}",
        "issues and pull requests share one row of numbers and redirect",
        ("https://github.com/kite/wind/pull/7/files", "https://github.com/kite/wind/issues/7"),
        ("https://github.com/kite/wind/issues/7", "https://github.com/kite/wind/discussions/7"),
        drop="*",
    ),
    SiteRule(
        "github.site", "github.com", rf"/(?:{_NO_ACCOUNT})(?:/.*)?", "",
        "GitHub's own pages, not an account's",
        ("https://github.com/topics/kites/", "http://github.com/topics/kites"),
        ("https://github.com/topics/kites", "https://github.com/topics/Kites"),
    ),
    SiteRule(
        "github.root", "github.com",
        rf"{_PAIR}(?:/(?:tree/{_MAIN}|(?:blob|raw|blame)/{_MAIN}/{_README}))?",
        f"github.com/{_FOLDED_PAIR}",
        "the repository, its clone address, its default tree and its README are one page",
        ("https://github.com/Kite/Wind.git", "https://github.com/kite/wind/tree/main"),
        ("https://github.com/kite/wind", "https://github.com/kite/wind/tree/v1"),
        drop="tab=readme-ov-file",
    ),
    SiteRule(
        "github.file", "github.com", rf"{_PAIR}/(?:blob|raw|blame)/{_REF}/(?P<file>.+)",
        f"github.com/{_FOLDED_PAIR}/blob/{{ref}}/{{file}}",
        "shown, raw, blamed, plain, at any line",
        (
            "https://github.com/kite/wind/raw/v1/src/a.py",
            "https://github.com/Kite/wind/blob/v1/src/a.py?plain=1#L3",
        ),
        (
            "https://github.com/kite/wind/blob/v1/src/a.py",
            "https://github.com/kite/wind/blob/v1/src/A.py",
        ),
        drop="*",
    ),
    SiteRule(
        "github.page", "github.com", rf"{_PAIR}/(?P<rest>.+)",
        f"github.com/{_FOLDED_PAIR}/{{rest}}",
        "owner and repository have no case, the rest has",
        (
            "https://github.com/Kite/Wind/releases/tag/v1#a",
            "https://github.com/kite/wind/releases/tag/v1",
        ),
        ("https://github.com/kite/wind/wiki/A", "https://github.com/kite/wind/wiki/a"),
    ),
    SiteRule(
        "github.owner", "github.com", r"/(?P<owner>[A-Za-z0-9_.-]+)", "github.com/{owner:lower}",
        "accounts have no case",
        ("https://github.com/Kite", "https://github.com/kite"),
        ("https://github.com/kite", "https://github.com/kite?tab=repositories"),
    ),
    SiteRule(
        "github.readme.raw", "raw.githubusercontent.com",
        rf"{_PAIR}/(?:refs/heads/)?{_MAIN}/{_README}",
        f"github.com/{_FOLDED_PAIR}", "the README is the repository's page",
        (
            "https://raw.githubusercontent.com/kite/wind/main/README.md",
            "https://github.com/kite/wind",
        ),
        (
            "https://raw.githubusercontent.com/kite/wind/main/README.md",
            "https://raw.githubusercontent.com/kite/wind/main/readme.md",
        ),
        drop="*",
    ),
    SiteRule(
        "github.raw", "raw.githubusercontent.com", rf"{_PAIR}/{_REF}/(?P<file>.+)",
        "github.com/{owner:lower}/{repo:repo}/blob/{ref}/{file}", "the raw file",
        (
            "https://raw.githubusercontent.com/kite/wind/refs/heads/dev/a.py",
            "https://github.com/kite/wind/blob/dev/a.py",
        ),
        (
            "https://raw.githubusercontent.com/kite/wind/dev/a.py",
            "https://raw.githubusercontent.com/kite/wind/main/a.py",
        ),
        drop="*",
    ),
    SiteRule(
        "github.cdn", "cdn.jsdelivr.net", rf"/gh{_PAIR}@(?P<ref>[^/]+)/(?P<file>.+)",
        "github.com/{owner:lower}/{repo:repo}/blob/{ref}/{file}", "the same file from a cache",
        (
            "https://cdn.jsdelivr.net/gh/kite/wind@v1/a.js",
            "https://github.com/kite/wind/blob/v1/a.js",
        ),
        (
            "https://cdn.jsdelivr.net/gh/kite/wind@v1/a.js",
            "https://cdn.jsdelivr.net/gh/kite/wind@v2/a.js",
        ),
    ),
    SiteRule(
        "gist", "gist.github.com gist.githubusercontent.com",
        r"/(?:[A-Za-z0-9-]+/)?(?P<id>[0-9a-f]{20}|[0-9a-f]{32}|\d{4,9})(?:\.git|\.js|/raw(?:/.*)?)?",
        "gist.github.com/{id}", "with or without its owner, shown or raw",
        (
            f"https://gist.githubusercontent.com/kite/{'7' * 32}/raw/a.md",
            f"https://gist.github.com/{'7' * 32}",
        ),
        (
            f"https://gist.github.com/kite/{'7' * 32}",
            f"https://gist.github.com/kite/{'7' * 32}/revisions",
        ),
        drop="*",
    ),
)  # fmt: skip

_GITLAB_ROOT = r"/(?P<project>[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+?)"
_GITLAB_AREAS = (
    r"(?:blob|raw|blame|tree|issues|merge_requests|commit|commits|tags|releases|branches|wikis"
    r"|pipelines|jobs|snippets|milestones|compare|graphs|network|find_file|environments|packages)"
)

_GITLAB = (
    SiteRule(
        "gitlab.root", "gitlab.com gitlab.*",
        rf"{_GITLAB_ROOT}(?:\.git)?/(?:-/)?(?:tree/{_MAIN}|(?:blob|raw)/{_MAIN}/{_README})",
        "{host}/{project:lower}", "the default tree and the README are the project's page",
        ("https://gitlab.com/kite/wind/-/tree/main", "https://gitlab.com/Kite/wind.git"),
        ("https://gitlab.com/kite/wind/-/tree/main", "https://gitlab.com/kite/wind/-/tree/dev"),
        drop="ref_type=heads",
    ),
    SiteRule(
        "gitlab.file", "gitlab.com gitlab.*",
        rf"{_GITLAB_ROOT}/(?:-/)?(?:blob|raw|blame)/(?P<file>[^/]+/.+)",
        "{host}/{project:lower}/-/blob/{file}", "shown, raw or blamed; old addresses had no dash",
        (
            "https://gitlab.com/kite/wind/raw/dev/a.py",
            "https://gitlab.com/kite/wind/-/blob/dev/a.py?plain=1",
        ),
        (
            "https://gitlab.com/kite/wind/-/blob/dev/a.py",
            "https://gitlab.com/kite/wind/-/blob/main/a.py",
        ),
        drop="plain inline ref_type=heads",
    ),
    SiteRule(
        "gitlab.change", "gitlab.com gitlab.*",
        rf"{_GITLAB_ROOT}/(?:-/)?(?P<kind>issues|merge_requests)/(?P<n>\d+)(?:/diffs|/designs)?",
        "{host}/{project:lower}/-/{kind}/{n}",
        "the number is the page; the two kinds have two rows",
        (
            "https://gitlab.com/kite/wind/merge_requests/7/diffs",
            "https://gitlab.com/Kite/wind/-/merge_requests/7#note_1",
        ),
        (
            "https://gitlab.com/kite/wind/-/merge_requests/7",
            "https://gitlab.com/kite/wind/-/issues/7",
        ),
        drop="*",
    ),
    SiteRule(
        "gitlab.page", "gitlab.com gitlab.*",
        rf"{_GITLAB_ROOT}/(?:-/)?(?P<rest>{_GITLAB_AREAS}(?:/.*)?)",
        "{host}/{project:lower}/-/{rest}", "projects have no case; old addresses had no dash",
        ("https://gitlab.com/kite/Wind/tags", "https://gitlab.com/kite/wind/-/tags"),
        ("https://gitlab.com/kite/wind/-/tags/v1", "https://gitlab.com/kite/wind/-/releases/v1"),
    ),
    SiteRule(
        "gitlab.project", "gitlab.com",
        r"/(?P<project>(?!.*/-/)(?!(?:explore|users|help|api|groups|dashboard|search)(?:/|$))"
        r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+?)*)(?:\.git)?",
        "gitlab.com/{project:lower}", "groups and projects have no case",
        ("https://gitlab.com/Kite/Wind.git", "https://gitlab.com/kite/wind"),
        ("https://gitlab.com/kite/wind", "https://gitlab.com/kite/wind/sub"),
    ),
    SiteRule(
        "gitlab.any", "*", r"/(?P<project>.+)/-/(?:blob|raw|blame)/(?P<file>[^/]+/.+)",
        "{host}/{project}/-/blob/{file}", "`/-/` is GitLab's mark, on whatever host it runs",
        (
            "https://code.kite.example/a/b/-/raw/main/c.py",
            "https://code.kite.example/a/b/-/blob/main/c.py#L2",
        ),
        (
            "https://code.kite.example/a/b/-/blob/main/c.py",
            "https://code.kite.example/a/b/-/blob/main/d.py",
        ),
        drop="plain inline", marker="/-/",
    ),
)  # fmt: skip

_GITEA_HOSTS = "codeberg.org gitea.com gitea.* forgejo.* code.forgejo.org git.disroot.org"
_KIND = "(?P<kind>branch|tag|commit)"

_GITEA = (
    SiteRule(
        "gitea.root", _GITEA_HOSTS,
        rf"{_PAIR}(?:/(?:src/branch/(?:main|master)|(?:src|raw)/branch/(?:main|master)/{_README}))?",
        "{host}/{owner:lower}/{repo:repo}", "the default tree and the README are the repository",
        ("https://codeberg.org/Kite/Wind.git", "https://codeberg.org/kite/wind/src/branch/main"),
        ("https://codeberg.org/kite/wind", "https://codeberg.org/kite/wind/src/branch/dev"),
    ),
    SiteRule(
        "gitea.file", _GITEA_HOSTS,
        rf"{_PAIR}/(?:src|raw|media|blame)/{_KIND}/(?P<file>.+)",
        "{host}/{owner:lower}/{repo:repo}/src/{kind}/{file}", "shown, raw or blamed",
        (
            "https://codeberg.org/kite/wind/raw/branch/dev/a.py",
            "https://codeberg.org/Kite/wind/src/branch/dev/a.py#L7",
        ),
        (
            "https://codeberg.org/kite/wind/src/branch/dev/a.py",
            "https://codeberg.org/kite/wind/src/tag/dev/a.py",
        ),
        drop="display",
    ),
    SiteRule(
        "gitea.issue", _GITEA_HOSTS, rf"{_PAIR}/(?:issues|pulls)/(?P<n>\d+)(?:/files)?",
        "{host}/{owner:lower}/{repo:repo}/issues/{n}",
        "issues and pull requests share one row of numbers and redirect",
        ("https://codeberg.org/kite/wind/pulls/7/files", "https://codeberg.org/kite/wind/issues/7"),
        ("https://codeberg.org/kite/wind/issues/7", "https://codeberg.org/kite/wind/issues/77"),
        drop="*",
    ),
    SiteRule(
        "gitea.page", _GITEA_HOSTS, rf"{_PAIR}/(?P<rest>.+)",
        "{host}/{owner:lower}/{repo:repo}/{rest}", "owner and repository have no case",
        ("https://codeberg.org/Kite/Wind/releases", "https://codeberg.org/kite/wind/releases"),
        ("https://codeberg.org/kite/wind/releases", "https://codeberg.org/kite/wind/wiki"),
    ),
    SiteRule(
        "gitea.any", "*",
        rf"/(?P<project>[^/]+/[^/]+)/(?:src|raw)/{_KIND}/(?P<file>[^/]+/.+)",
        "{host}/{project}/src/{kind}/{file}", "Gitea's and Forgejo's form of a file on any host",
        (
            "https://git.kite.example/a/b/raw/branch/main/c.py",
            "https://git.kite.example/a/b/src/branch/main/c.py",
        ),
        (
            "https://git.kite.example/a/b/src/branch/main/c.py",
            "https://git.kite.example/a/b/src/commit/main/c.py",
        ),
        marker="/branch/",
    ),
)  # fmt: skip

_OTHER_FORGES = (
    SiteRule(
        "bitbucket.root", "bitbucket.org", rf"{_PAIR}(?:/src(?:/(?:main|master))?|/overview)?",
        "bitbucket.org/{owner:lower}/{repo:repo}", "the default tree is the repository's page",
        ("https://bitbucket.org/Kite/Wind/src/master/", "https://bitbucket.org/kite/wind.git"),
        ("https://bitbucket.org/kite/wind", "https://bitbucket.org/kite/wind/src/dev"),
    ),
    SiteRule(
        "bitbucket.file", "bitbucket.org", rf"{_PAIR}/(?:src|raw|annotate)/(?P<file>[^/]+/.+)",
        "bitbucket.org/{owner:lower}/{repo:repo}/src/{file}", "shown, raw or annotated",
        (
            "https://bitbucket.org/kite/wind/raw/dev/a.py",
            "https://bitbucket.org/kite/wind/src/dev/a.py#lines-3",
        ),
        (
            "https://bitbucket.org/kite/wind/src/dev/a.py",
            "https://bitbucket.org/kite/wind/src/dev/b.py",
        ),
        drop="fileviewer mode",
    ),
    SiteRule(
        "bitbucket.change", "bitbucket.org",
        rf"{_PAIR}/(?P<kind>issues|pull-requests)/(?P<n>\d+)(?:/[^/]*)?",
        "bitbucket.org/{owner:lower}/{repo:repo}/{kind}/{n}", "the title follows the number",
        (
            "https://bitbucket.org/kite/wind/issues/7/no-wind",
            "https://bitbucket.org/Kite/wind/issues/7",
        ),
        (
            "https://bitbucket.org/kite/wind/issues/7",
            "https://bitbucket.org/kite/wind/pull-requests/7",
        ),
        drop="*",
    ),
    SiteRule(
        "bitbucket.page", "bitbucket.org", rf"{_PAIR}/(?P<rest>.+)",
        "bitbucket.org/{owner:lower}/{repo:repo}/{rest}", "owner and repository have no case",
        ("https://bitbucket.org/Kite/Wind/wiki/Home", "https://bitbucket.org/kite/wind/wiki/Home"),
        ("https://bitbucket.org/kite/wind/wiki/Home", "https://bitbucket.org/kite/wind/downloads"),
    ),
    SiteRule(
        "sourcehut.file", "git.sr.ht",
        r"/(?P<repo>~[\w-]+/[\w.-]+)/blob/(?P<ref>[^/]+)/(?P<file>.+)",
        "git.sr.ht/{repo}/tree/{ref}/item/{file}", "the raw file",
        (
            "https://git.sr.ht/~kite/wind/blob/master/a.c",
            "https://git.sr.ht/~kite/wind/tree/master/item/a.c#L7",
        ),
        (
            "https://git.sr.ht/~kite/wind/tree/master/item/a.c",
            "https://git.sr.ht/~kite/wind/tree/dev/item/a.c",
        ),
    ),
    SiteRule(
        "sourcehut.item", "git.sr.ht", r"/~[\w-]+/[\w.-]+/tree/[^/]+/item/(?P<item>.+)",
        "{host}{path}",
        "a file's name is kept to its last letter",
        (
            "https://git.sr.ht/~kite/wind/tree/dev/item/a.html#L7",
            "https://git.sr.ht/~kite/wind/tree/dev/item/a.html",
        ),
        (
            "https://git.sr.ht/~kite/wind/tree/dev/item/a.html",
            "https://git.sr.ht/~kite/wind/tree/dev/item/a",
        ),
    ),
    SiteRule(
        "cgit.file", "git.kernel.org git.savannah.gnu.org git.zx2c4.com cgit.*",
        r"/(?P<repo>.+)/(?:plain|blame|tree)/(?P<file>.+)",
        "{host}/{repo}/tree/{file}", "cgit shows a file as tree, plain or blame",
        (
            "https://git.kernel.org/pub/scm/kite.git/plain/a.c?h=v1",
            "https://git.kernel.org/pub/scm/kite.git/tree/a.c?h=v1",
        ),
        (
            "https://git.kernel.org/pub/scm/kite.git/tree/a.c?h=v1",
            "https://git.kernel.org/pub/scm/kite.git/tree/a.c?h=v2",
        ),
    ),
    SiteRule(
        "launchpad.bug", "launchpad.net bugs.launchpad.net", r"/(?:.+/\+bug|bugs)/(?P<n>\d+)",
        "bugs.launchpad.net/bugs/{n}", "a bug has one number in all projects",
        ("https://bugs.launchpad.net/kite/+bug/777", "https://launchpad.net/bugs/777"),
        ("https://bugs.launchpad.net/kite/+bug/777", "https://bugs.launchpad.net/kite/+bug/778"),
        drop="*",
    ),
    SiteRule(
        "debian.bug", "bugs.debian.org", r"/(?P<n>\d+)",
        "bugs.debian.org/cgi-bin/bugreport.cgi?bug={n}",
        "short form of a report",
        (
            "https://bugs.debian.org/777777",
            "https://bugs.debian.org/cgi-bin/bugreport.cgi?bug=777777",
        ),
        ("https://bugs.debian.org/777777", "https://bugs.debian.org/777778"),
    ),
    SiteRule(
        "mozilla.bug", "bugzil.la", r"/(?P<n>\d+)", "bugzilla.mozilla.org/show_bug.cgi?id={n}",
        "short form of a report",
        ("https://bugzil.la/777", "https://bugzilla.mozilla.org/show_bug.cgi?id=777#c3"),
        ("https://bugzil.la/777", "https://bugzil.la/778"),
    ),
    SiteRule(
        "jira.issue", "*", r"(?:/.*)?/browse/[A-Z][A-Z0-9_]+-\d+", "",
        "which comment is shown does not change the issue",
        (
            "https://jira.kite.example/browse/KITE-7?focusedCommentId=9",
            "https://jira.kite.example/browse/KITE-7",
        ),
        ("https://jira.kite.example/browse/KITE-7", "https://jira.kite.example/browse/KITE-8"),
        drop="focusedCommentId focusedId", marker="/browse/",
    ),
    SiteRule(
        "huggingface.root", "huggingface.co",
        rf"(?P<place>(?:/datasets|/spaces)?/[\w.-]+/[\w.-]+)/(?:tree/main|(?:blob|raw)/main/{_README})",
        "huggingface.co{place}", "the default tree and the card are the repository's page",
        ("https://huggingface.co/kite/wind/tree/main", "https://huggingface.co/kite/wind"),
        ("https://huggingface.co/kite/wind", "https://huggingface.co/spaces/kite/wind"),
    ),
    SiteRule(
        "huggingface.file", "huggingface.co",
        r"(?P<place>(?:/datasets|/spaces)?/[\w.-]+/[\w.-]+)/(?:blob|raw|resolve|blame)/(?P<file>[^/]+/.+)",
        "huggingface.co{place}/blob/{file}", "shown, raw or resolved",
        (
            "https://huggingface.co/kite/wind/resolve/main/config.json?download=true",
            "https://huggingface.co/kite/wind/blob/main/config.json",
        ),
        (
            "https://huggingface.co/kite/wind/blob/main/config.json",
            "https://huggingface.co/kite/wind/blob/v1/config.json",
        ),
        drop="download",
    ),
)  # fmt: skip

CODE: tuple[SiteRule, ...] = (*_GITHUB, *_GITLAB, *_GITEA, *_OTHER_FORGES)
