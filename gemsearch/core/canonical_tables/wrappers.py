"""Redirectors and public caches that carry the address of the document in their own.

Hosts are exact or whole suffixes. Short links (bit.ly, t.co, lnkd.in) are opaque without the
network and stay; so do pages that merely mention an address (validators, logins, badges).
"""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import Wrapper

_T = "https://a.example/p"
_E = "https%3A%2F%2Fa.example%2Fp"


def _redirector(hosts: str, path: str, names: str, url: str, why: str, kept: str = "") -> Wrapper:
    """One whose target stands in a parameter; `url` is an example without the target."""
    other = kept or url.partition("?")[0] + "/help"
    return Wrapper(hosts, path, f"query:{names}", why, url + _E, _T, other)


_ENGINES = (
    _redirector(
        "google.<cc> plus.url.google.<cc> news.url.google.<cc> news.google.<cc>", "/(?:news/)?url",
        "url,q",
        "https://www.google.de/url?sa=t&url=", "results of Google",
        "https://google.com.kite.example/url?url=" + _E,
    ),
    _redirector(
        "google.<cc>", "/(?:interstitial|gwt/x)", "url,u",
        "https://www.google.com/interstitial?url=", "Google's warnings and old phone view",
    ),
    _redirector(
        "googleweblight.com", "(?:/i|/)?", "u,lite_url",
        "https://googleweblight.com/i?u=", "Google's light pages",
    ),
    _redirector(
        "consent.google.<cc> consent.youtube.com", "/(?:ml?|d)", "continue",
        "https://consent.youtube.com/m?continue=", "the question about cookies before the page",
    ),
    _redirector(
        ".duckduckgo.com", "/l/?", "uddg",
        "https://duckduckgo.com/l/?kh=-1&uddg=", "results of DuckDuckGo",
        "https://kiteduckduckgo.com/l/?uddg=" + _E,
    ),
    Wrapper(
        "bing.com", "/ck/a", "base64", "results of Bing",
        "https://www.bing.com/ck/a?!&&p=0&u=a1aHR0cHM6Ly9hLmV4YW1wbGUvcA&ntb=1", _T,
        "https://www.bing.com/ck/a?u=b1aHR0cHM6Ly9hLmV4YW1wbGUvcA",
    ),
    Wrapper(
        ".search.yahoo.com", r"/_ylt=.*/RU=(?P<url>[^/]+)/.*", "rest_only", "results of Yahoo",
        f"https://r.search.yahoo.com/_ylt=x;_ylu=y/RV=2/RE=1/RO=10/RU={_E}/RK=2/RS=z-", _T,
        "https://r.search.yahoo.com/about",
    ),
    _redirector(
        "startpage.com", "/(?:do|cgi-bin)/(?:proxy|serveimage)", "u",
        "https://www.startpage.com/do/proxy?ep=x&u=", "Startpage's anonymous view",
    ),
    _redirector(
        "yandex.<cc>", "/clck/jsredir", "url",
        "https://yandex.ru/clck/jsredir?from=x&url=", "results of Yandex",
    ),
)  # fmt: skip

_NETWORKS = (
    _redirector(
        "l.facebook.com lm.facebook.com facebook.com l.messenger.com l.workplace.com",
        "/l\\.php|/flx/warn/?", "u",
        "https://l.facebook.com/l.php?h=x&u=", "links out of Facebook and Messenger",
    ),
    _redirector(
        "l.instagram.com l.threads.net l.threads.com l.wl.co", "/?l?", "u",
        "https://l.instagram.com/?e=x&u=", "links out of Instagram, Threads, WhatsApp",
    ),
    _redirector(
        "linkedin.com", "/redir/redirect|/safety/go", "url",
        "https://www.linkedin.com/redir/redirect?url=", "links out of LinkedIn",
    ),
    _redirector(
        "x.com", "/i/redirect|/safety/unsafe_link_warning", "url,unsafe_link",
        "https://twitter.com/i/redirect?url=", "links out of X",
    ),
    _redirector(
        "out.reddit.com", ".*", "url",
        "https://out.reddit.com/t3_x?url=", "links out of reddit",
    ),
    _redirector(
        "vk.com away.vk.com", "/away(?:\\.php)?", "to",
        "https://vk.com/away.php?to=", "links out of VK",
    ),
    _redirector(
        "t.umblr.com", "/redirect", "z",
        "https://t.umblr.com/redirect?t=x&z=", "links out of Tumblr",
    ),
    _redirector(
        "steamcommunity.com", "/linkfilter/?", "url,u",
        "https://steamcommunity.com/linkfilter/?url=", "links out of Steam",
    ),
    Wrapper(
        "disq.us", "/url", "tagged", "links out of Disqus, a signature behind the address",
        f"https://disq.us/url?url={_E}%3AKite7-abc&cuid=7", _T,
        "https://disq.us/p/kite7",
    ),
    Wrapper(
        "youtube.com", "/redirect", "bare:q", "links out of YouTube, also without a scheme",
        f"https://www.youtube.com/redirect?event=x&q={_E}", _T,
        "https://www.youtube.com/redirect?event=x&q=kite",
    ),
    Wrapper(
        "youtube.com", "/attribution_link", "local:u", "who shared a video; the target is a path",
        "https://www.youtube.com/attribution_link?a=x&u=%2Fwatch%3Fv%3DKiteKite777",
        "https://www.youtube.com/watch?v=KiteKite777",
        "https://www.youtube.com/attribution_link?a=x",
    ),
    _redirector(
        "slack-redir.net", "/link", "url",
        "https://slack-redir.net/link?v=3&url=", "links out of Slack",
    ),
    _redirector(
        "exit.sc gate.sc", "/?", "url",
        "https://exit.sc/?url=", "links out of SoundCloud",
    ),
    _redirector(
        "curseforge.com", "/linkout", "remoteurl",
        "https://www.curseforge.com/linkout?remoteUrl=", "links out of CurseForge",
    ),
    Wrapper(
        "deviantart.com pixiv.net", "/users/outgoing|/jump\\.php", "search",
        "links out of galleries",
        f"https://www.deviantart.com/users/outgoing?{_T}", _T,
        "https://www.deviantart.com/users/kite",
    ),
    _redirector(
        "medium.com .medium.com", "/m/global-identity(?:-2)?|/r/?", "redirecturl,url",
        "https://medium.com/m/global-identity-2?redirectUrl=", "Medium's sign-in bounce",
    ),
    _redirector(
        "getpocket.com flipboard.com", "/redirect", "url",
        "https://getpocket.com/redirect?url=", "links out of reading lists",
    ),
    _redirector(
        "instapaper.com", "/text", "u",
        "https://www.instapaper.com/text?u=", "Instapaper's text view",
    ),
    _redirector(
        "t.me", "/iv", "url",
        "https://t.me/iv?rhash=x&url=", "Telegram's instant view",
    ),
    _redirector(
        "link.juejin.cn link.zhihu.com link.csdn.net gitee.com infoq.cn developer.aliyun.com "
        "sspai.com",
        "/?(?:link|redirect)?", "target",
        "https://link.zhihu.com/?target=", "links out of Chinese developer sites",
    ),
    _redirector(
        "douban.com oschina.net link.jianshu.com jianshu.com",
        "/link2/?|/action/GoToLink|/go-wild|/?", "url,t",
        "https://www.douban.com/link2/?url=", "links out of Chinese communities",
    ),
    _redirector(
        "weibo.cn weibo.com", "/sinaurl", "u,toasturl",
        "https://weibo.cn/sinaurl?u=", "links out of Weibo",
    ),
)  # fmt: skip

_MAIL_AND_AFFILIATES = (
    _redirector(
        ".safelinks.protection.outlook.com", "/?.*", "url",
        "https://eur01.safelinks.protection.outlook.com/?data=x&url=", "links in Outlook mail",
        "https://safelinks.protection.outlook.com.kite.example/?url=" + _E,
    ),
    _redirector(
        "statics.teams.cdn.office.net", "/.*/atp-safelinks\\.html", "url",
        "https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/"
        "atp-safelinks.html?url=", "links in Teams",
    ),
    _redirector(
        "linkprotect.cudasvc.com", "/url", "a",
        "https://linkprotect.cudasvc.com/url?c=x&a=", "links in mail behind Barracuda",
    ),
    Wrapper(
        "urldefense.proofpoint.com urldefense.com", "/v2/url", "defended",
        "links in mail behind Proofpoint",
        "https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_p&d=x", _T,
        "https://urldefense.proofpoint.com/v2/help",
    ),
    Wrapper(
        "urldefense.com urldefense.us", r"/v3/__(?P<url>[^*]+)__;[!$].*", "rest_only",
        "links in mail behind Proofpoint; those with coded characters stay",
        f"https://urldefense.com/v3/__{_T}__;!!x!y$", _T,
        "https://urldefense.com/v3/__https://a.example/*p__;Iw!!x!y$",
    ),
    _redirector(
        "redirect.viglink.com go.skimresources.com go.redirectingat.com", "/?", "u,url",
        "https://go.skimresources.com/?id=x&url=", "links that pay the page they stand on",
    ),
    _redirector(
        "click.linksynergy.com awin1.com", "/deeplink|/cread\\.php|/awclick\\.php", "murl,ued,p",
        "https://click.linksynergy.com/deeplink?id=x&murl=", "links that pay the page they are on",
    ),
)  # fmt: skip

_HIDERS = (
    Wrapper(
        "anonym.to anon.to href.li nullrefer.com anonymz.com blankrefer.com dereferer.me",
        "/?", "search", "hide where a reader came from; the whole query is the address",
        f"https://href.li/?{_T}", _T,
        "https://href.li/about",
    ),
    _redirector(
        "12ft.io", "/(?:proxy|api/proxy)", "q",
        "https://12ft.io/proxy?q=", "a view without the paywall",
    ),
)  # fmt: skip


def _prefix(hosts: str, before: str, url: str, why: str, kept: str) -> Wrapper:
    """One that puts its own address before the document's."""
    return Wrapper(
        hosts, before + r"(?P<url>https?(?::|%3[Aa]).+)", "rest", why, url + _T, _T, kept
    )


_VIEWS = (
    _prefix(
        "12ft.io 1ft.io 13ft.me removepaywall.com outline.com smry.ai txtify.it freedium.cfd "
        "via.hypothes.is r.jina.ai cors-anywhere.herokuapp.com", "/",
        "https://r.jina.ai/", "a view of the page named by the rest of the path",
        "https://r.jina.ai/docs",
    ),
    _prefix(
        "hyp.is", "/(?:go|[A-Za-z0-9_-]+)/",
        "https://hyp.is/x1/", "a note on the page", "https://hyp.is/x1",
    ),
    _redirector(
        "hyp.is", "/go", "url",
        "https://hyp.is/go?url=", "a note on the page",
    ),
    _redirector(
        "translate.google.<cc> translate.googleusercontent.com",
        "/(?:translate|translate_c|website)",
        "u", "https://translate.google.com/translate?sl=de&u=", "a translation of the page",
    ),
    Wrapper(
        ".translate.goog", ".*", "labels", "a translation of the page, host in the first label",
        "https://a-example.translate.goog/p?_x_tr_sl=de&_x_tr_tl=en", _T,
        "https://a-example.translate.goog.kite.example/p",
    ),
)  # fmt: skip

_CACHES = (
    _prefix(
        "web.archive.org wayback.archive.org archive.org web-beta.archive.org",
        r"/web/(?:\d{1,14})?(?:[a-z]{2}_)?/?",
        "https://web.archive.org/web/20210304050607id_/", "a capture; a `*` is a calendar",
        "https://web.archive.org/web/2021*/" + _T,
    ),
    _prefix(
        "archive.ph archive.today archive.is archive.li archive.md archive.vn archive.fo",
        r"/(?:\d{4,14}|\d{4}\.\d\d\.\d\d-\d{6}|newest|oldest|o/[A-Za-z0-9]+)/",
        "https://archive.ph/20210304050607/", "a capture; short ids stay opaque",
        "https://archive.ph/Ab1Cd",
    ),
    _prefix(
        "arquivo.pt webarchive.nationalarchives.gov.uk webarchive.org.uk webarchive.loc.gov "
        "wayback.archive-it.org webarchive.parliament.uk",
        r"/(?:[a-z]+/){0,3}(?:\d+/)?\d{4,14}(?:[a-z]{2}_)?/",
        "https://arquivo.pt/wayback/20210304050607/", "a capture of a public archive",
        "https://arquivo.pt/page/search",
    ),
    Wrapper(
        "webcache.googleusercontent.com", "/search", "cached", "Google's cache",
        f"https://webcache.googleusercontent.com/search?q=cache:Ab1:{_T}+kite", _T,
        "https://webcache.googleusercontent.com/search?q=kite",
    ),
    Wrapper(
        "google.<cc>", r"/amp/(?P<secure>s/)?(?P<url>[^/]+\..+)", "secure", "AMP viewer of Google",
        "https://www.google.com/amp/s/a.example/p", _T,
        "https://www.google.com/amp/help",
    ),
    Wrapper(
        ".cdn.ampproject.org", r"/[cv]/(?P<secure>s/)?(?P<url>[^/]+\..+)", "secure", "AMP cache",
        "https://a-example.cdn.ampproject.org/c/s/a.example/p", _T,
        "https://cdn.ampproject.org/v0.js",
    ),
    Wrapper(
        "bing-amp.com .bing-amp.com", r"/c/(?P<secure>s/)?(?P<url>[^/]+\..+)", "secure",
        "AMP cache of Bing",
        "https://a-example.bing-amp.com/c/s/a.example/p", _T,
        "https://a-example.bing-amp.com/help",
    ),
)  # fmt: skip

WRAPPERS: tuple[Wrapper, ...] = (
    *_ENGINES,
    *_NETWORKS,
    *_MAIL_AND_AFFILIATES,
    *_HIDERS,
    *_VIEWS,
    *_CACHES,
)
