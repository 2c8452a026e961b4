"""Package indexes: a package has one page, whatever the spelling of its name.

A version's page is the package's page; versions of documentation stay apart.
"""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

_PYPI = "pypi" + "." + "org"  # the index of Python's packages
_VERSION = r"\d[A-Za-z0-9.+!_-]*"
_NAME = r"(?P<name>[A-Za-z0-9._-]+)"

PACKAGES: tuple[SiteRule, ...] = (
    SiteRule(
        "python.project", f"{_PYPI} pypi.python" + ".org",
        rf"/(?:project|pypi|p)/{_NAME}(?:/{_VERSION})?", _PYPI + "/project/{name:pep503}",
        "PEP 503: names are compared without case, `-`, `_` and `.` are one",
        (f"https://{_PYPI}/project/Kite_Wind/1.0/", f"https://{_PYPI}/project/kite-wind/"),
        (f"https://{_PYPI}/project/kite/", f"https://{_PYPI}/project/kite-wind/"),
    ),
    SiteRule(
        "rust.crate", "crates.io", rf"/crates/{_NAME}(?:/{_VERSION})?",
        "crates.io/crates/{name:crate}",
        "the registry compares names without case, `-` and `_` are one",
        ("https://crates.io/crates/kite_wind/1.0.0", "https://crates.io/crates/kite-wind"),
        ("https://crates.io/crates/kite", "https://docs.rs/kite"),
    ),
    SiteRule(
        "rust.crate.lib", "lib.rs", rf"/crates/{_NAME}", "lib.rs/crates/{name:crate}",
        "as on the registry it shows",
        ("https://lib.rs/crates/kite_wind", "https://lib.rs/crates/kite-wind"),
        ("https://lib.rs/crates/kite", "https://crates.io/crates/kite"),
    ),
    SiteRule(
        "rust.docs", "docs.rs",
        r"/(?!crate/|releases|about)(?P<name>[A-Za-z0-9_-]+)(?:/(?:latest|\*)(?:/[a-z0-9_]+(?:/index\.html)?)?)?",
        "docs.rs/{name:crate}", "the newest documentation is the default",
        ("https://docs.rs/kite_wind/latest/kite_wind/", "https://docs.rs/kite-wind"),
        ("https://docs.rs/kite", "https://docs.rs/kite/1.0.0/kite/"),
    ),
    SiteRule(
        "rust.docs.crate", "docs.rs", r"/crate/(?P<name>[A-Za-z0-9_-]+)(?:/(?:latest|\*))?",
        "docs.rs/crate/{name:crate}", "the newest build is the default",
        ("https://docs.rs/crate/kite/latest", "https://docs.rs/crate/kite"),
        ("https://docs.rs/crate/kite", "https://docs.rs/kite"),
    ),
    SiteRule(
        "npm.package", "npmjs.com",
        rf"/package/(?P<name>(?:@[\w.-]+(?:/|%2F))?[\w.-]+)(?:/v/{_VERSION})?",
        "npmjs.com/package/{name:decoded}", "a version's page is the package's page",
        (
            "https://www.npmjs.com/package/@kite/wind/v/1.0.0",
            "https://npmjs.org/package/@kite%2Fwind",
        ),
        ("https://www.npmjs.com/package/@kite/wind", "https://www.npmjs.com/package/wind"),
        drop="activeTab=readme",
    ),
    SiteRule(
        "npm.short", "npm.im", r"/(?P<name>(?:@[\w.-]+/)?[\w.-]+)", "npmjs.com/package/{name}",
        "short form that redirects to the package",
        ("https://npm.im/kite", "https://www.npmjs.com/package/kite"),
        ("https://npm.im/kite", "https://www.npmjs.com/package/kites"),
    ),
    SiteRule(
        "yarn.package", "yarnpkg.com classic.yarnpkg.com",
        r"/(?:[a-z]{2}/)?package/(?P<name>(?:@[\w.-]+/)?[\w.-]+)",
        "yarnpkg.com/package/{name}", "old and new page of a package",
        ("https://yarnpkg.com/en/package/kite", "https://classic.yarnpkg.com/en/package/kite"),
        ("https://yarnpkg.com/en/package/@kite/wind", "https://yarnpkg.com/en/package/wind"),
    ),
    SiteRule(
        "yarn.package.query", "yarnpkg.com", "/package", "yarnpkg.com/package/{name:decoded}",
        "the name as a parameter",
        (
            "https://yarnpkg.com/package?name=%40kite%2Fwind",
            "https://yarnpkg.com/package/@kite/wind",
        ),
        ("https://yarnpkg.com/package?name=kite", "https://yarnpkg.com/package?name=wind"),
        params=r"name=[\w@./-]+", drop="version",
    ),
    SiteRule(
        "unpkg.file", "unpkg.com app.unpkg.com", r"/browse/(?P<file>.+)", "unpkg.com/{file}",
        "the shown form of a file",
        ("https://unpkg.com/browse/kite@1.0.0/a.js", "https://unpkg.com/kite@1.0.0/a.js"),
        ("https://unpkg.com/kite@1.0.0/a.js", "https://unpkg.com/kite@2.0.0/a.js"),
    ),
    SiteRule(
        "ruby.gem", "rubygems.org", rf"/gems/{_NAME}(?:/versions/{_VERSION})?",
        "rubygems.org/gems/{name}",
        "a version's page is the gem's page",
        ("https://rubygems.org/gems/kite/versions/1.0.0", "https://rubygems.org/gems/kite"),
        ("https://rubygems.org/gems/kite", "https://rubygems.org/gems/kite/versions"),
    ),
    SiteRule(
        "php.package", "packagist.org", r"/packages/(?P<name>[\w.-]+/[\w.-]+)",
        "packagist.org/packages/{name:lower}", "names have no case",
        (
            "https://packagist.org/packages/Kite/Wind#1.0",
            "https://packagist.org/packages/kite/wind",
        ),
        ("https://packagist.org/packages/kite/wind", "https://packagist.org/packages/kite/sea"),
    ),
    SiteRule(
        "hex.package", "hex.pm", rf"/packages/{_NAME}(?:/{_VERSION})?", "hex.pm/packages/{name}",
        "a version's page is the package's page",
        ("https://hex.pm/packages/kite/1.0.0", "https://hex.pm/packages/kite"),
        ("https://hex.pm/packages/kite", "https://hexdocs.pm/kite"),
    ),
    SiteRule(
        "go.package", "pkg.go.dev",
        r"/(?:mod/)?(?P<module>[^@]+)(?:@(?:v[^/]+|latest|master|main)(?P<rest>/.+)?)?",
        "pkg.go.dev/{module}{rest}", "a version's page is the package's page",
        (
            "https://pkg.go.dev/kite.example/wind@v1.2.3/gust",
            "https://godoc.org/kite.example/wind/gust",
        ),
        ("https://pkg.go.dev/kite.example/wind", "https://pkg.go.dev/kite.example/wind/v2"),
        drop="tab=doc tab=overview",
    ),
    SiteRule(
        "go.standard", "go.dev", r"/pkg/(?P<name>.+)", "pkg.go.dev/{name}",
        "the standard library moved to the package site",
        ("https://golang.org/pkg/net/http/", "https://pkg.go.dev/net/http"),
        ("https://golang.org/pkg/net/http/", "https://pkg.go.dev/net"),
    ),
    SiteRule(
        "go.play", "play.golang.org", r"/p/(?P<id>[\w-]+)", "go.dev/play/p/{id}",
        "the playground moved",
        ("https://play.golang.org/p/Kite7", "https://go.dev/play/p/Kite7"),
        ("https://play.golang.org/p/Kite7", "https://go.dev/play/p/kite7"),
    ),
    SiteRule(
        "go.blog", "blog.golang.org", r"/(?P<slug>[a-z0-9-]+)", "go.dev/blog/{slug}",
        "the blog moved",
        ("https://blog.golang.org/on-kites", "https://go.dev/blog/on-kites"),
        ("https://blog.golang.org/on-kites", "https://go.dev/blog/on-boats"),
    ),
    SiteRule(
        "nuget.package", "nuget.org", rf"/packages/{_NAME}(?:/{_VERSION})?",
        "nuget.org/packages/{name:lower}",
        "names have no case, a version's page is the package's page",
        (
            "https://www.nuget.org/packages/Kite.Wind/1.0.0",
            "https://www.nuget.org/packages/kite.wind",
        ),
        ("https://www.nuget.org/packages/Kite.Wind", "https://www.nuget.org/packages/KiteWind"),
    ),
    SiteRule(
        "maven.artifact", "mvnrepository.com central.sonatype.com",
        rf"/artifact/(?P<group>[\w.-]+)/{_NAME}(?:/{_VERSION}(?:/overview)?)?",
        "{host}/artifact/{group}/{name}", "a version's page is the artifact's page",
        (
            "https://mvnrepository.com/artifact/org.kite/wind/1.0.0",
            "https://mvnrepository.com/artifact/org.kite/wind",
        ),
        (
            "https://mvnrepository.com/artifact/org.kite/wind",
            "https://mvnrepository.com/artifact/org.kite/sea",
        ),
    ),
    SiteRule(
        "r.package", "cran.r-project.org",
        r"/web/packages/(?P<name>[A-Za-z0-9.]+)(?:/index\.html)?",
        "cran.r-project.org/package={name}", "page of one package",
        (
            "https://cran.r-project.org/web/packages/Kite/index.html",
            "https://cran.r-project.org/package=Kite",
        ),
        ("https://cran.r-project.org/package=Kite", "https://cran.r-project.org/package=kite"),
    ),
    SiteRule(
        "perl.release", "metacpan.org", r"/(?:release|dist)/(?P<name>[A-Za-z0-9-]+)",
        "metacpan.org/dist/{name}",
        "the newest release of a distribution",
        ("https://metacpan.org/release/Kite-Wind", "https://metacpan.org/dist/Kite-Wind"),
        ("https://metacpan.org/dist/Kite-Wind", "https://metacpan.org/release/DOE/Kite-Wind-1.0"),
    ),
    SiteRule(
        "haskell.package", "hackage.haskell.org",
        r"/package/(?P<name>[A-Za-z0-9]+(?:-[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*)*)(?:-\d+(?:\.\d+)*)?",
        "hackage.haskell.org/package/{name}", "a version's page is the package's page",
        (
            "https://hackage.haskell.org/package/kite-1.0.2",
            "https://hackage.haskell.org/package/kite",
        ),
        (
            "https://hackage.haskell.org/package/kite",
            "https://hackage.haskell.org/package/kite-wind",
        ),
    ),
    SiteRule(
        "dart.package", "pub.dev", rf"/packages/(?P<name>\w+)(?:/versions/{_VERSION})?",
        "pub.dev/packages/{name}",
        "a version's page is the package's page",
        ("https://pub.dev/packages/kite/versions/1.0.0", "https://pub.dev/packages/kite"),
        ("https://pub.dev/packages/kite", "https://pub.dev/packages/kite/changelog"),
    ),
    SiteRule(
        "docker.official", "hub.docker.com", r"/(?:r/library|_)/(?P<name>[\w.-]+)",
        "hub.docker.com/_/{name}",
        "official images have a short form",
        ("https://hub.docker.com/r/library/kite", "https://hub.docker.com/_/kite"),
        ("https://hub.docker.com/_/kite", "https://hub.docker.com/r/doe/kite"),
    ),
    SiteRule(
        "vscode.extension", "marketplace.visualstudio.com", "/items",
        "marketplace.visualstudio.com/items?itemName={itemName:lower}", "names have no case",
        (
            "https://marketplace.visualstudio.com/items?itemName=Kite.wind&ssr=false#overview",
            "https://marketplace.visualstudio.com/items?itemName=kite.wind",
        ),
        (
            "https://marketplace.visualstudio.com/items?itemName=kite.wind",
            "https://marketplace.visualstudio.com/items?itemName=kite.sea",
        ),
        params=r"itemName=[\w.-]+", drop="ssr",
    ),
    SiteRule(
        "chrome.extension", "chromewebstore.google.com chrome.google.com",
        r"/(?:webstore/)?detail/(?:[^/]+/)?(?P<id>[a-p]{32})",
        "chromewebstore.google.com/detail/{id}",
        "the title may stand before the id",
        (
            f"https://chrome.google.com/webstore/detail/kite/{'a' * 32}?hl=en",
            f"https://chromewebstore.google.com/detail/{'a' * 32}",
        ),
        (
            f"https://chromewebstore.google.com/detail/{'a' * 32}",
            f"https://chromewebstore.google.com/detail/{'b' * 32}",
        ),
        drop="hl=en",
    ),
    SiteRule(
        "play.app", "play.google.com", "/store/apps/details", "",
        "the default language and country change nothing",
        (
            "https://play.google.com/store/apps/details?id=org.kite&hl=en&gl=US",
            "https://play.google.com/store/apps/details?id=org.kite",
        ),
        (
            "https://play.google.com/store/apps/details?id=org.kite&hl=de",
            "https://play.google.com/store/apps/details?id=org.kite",
        ),
        drop="hl=en hl=en_US gl=US",
    ),
    SiteRule(
        "apple.app", "apps.apple.com podcasts.apple.com books.apple.com",
        r"/(?P<country>[a-z]{2})/(?P<kind>app|podcast|book)/(?:[^/]+/)?(?P<id>id\d+)",
        "{host}/{country}/{kind}/{id}", "the title may stand before the id; countries stay apart",
        (
            "https://apps.apple.com/us/app/kite-wind/id777?mt=8",
            "https://apps.apple.com/us/app/id777",
        ),
        ("https://apps.apple.com/us/app/id777", "https://apps.apple.com/de/app/id777"),
        drop="mt ls uo at ct pt",
    ),
    SiteRule(
        "fdroid.app", "f-droid.org", r"/en/packages/(?P<name>[\w.]+)",
        "f-droid.org/packages/{name}",
        "the address without a language leads to the English page",
        ("https://f-droid.org/en/packages/org.kite/", "https://f-droid.org/packages/org.kite"),
        ("https://f-droid.org/de/packages/org.kite/", "https://f-droid.org/packages/org.kite"),
    ),
)  # fmt: skip
