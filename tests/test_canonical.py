"""The canonical key: what merges, what never does, what is no source at all."""

import subprocess
import sys

import pytest

from gemsearch.core.canonical import (
    CANON_VERSION,
    Canonical,
    Ignored,
    canonicalise,
    host_of,
)

PAGE = "https://kite.example/wind"


def key(url):
    answer = canonicalise(url)
    return answer.key if isinstance(answer, Canonical) else None


def reason(url):
    answer = canonicalise(url)
    return answer.reason if isinstance(answer, Ignored) else None


SAME = {
    "the scheme": ("http://kite.example/a", "https://kite.example/a"),
    "www": ("https://www.kite.example/a", "https://kite.example/a"),
    "a numbered www": ("https://www2.kite.example/a", "https://kite.example/a"),
    "a mobile host": ("https://m.kite.example/a", "https://kite.example/a"),
    "an AMP host": ("https://amp.kite.example/a", "https://kite.example/a"),
    "the case of the host": ("https://KITE.example/A", "https://kite.example/A"),
    "a trailing dot of the host": ("https://kite.example./a", "https://kite.example/a"),
    "the default port": ("http://kite.example:80/a", "https://kite.example/a"),
    "the other scheme's port": ("http://kite.example:443/a", "https://kite.example/a"),
    "a padded port": ("https://kite.example:0443/a", "https://kite.example/a"),
    "an empty port": ("https://kite.example:/a", "https://kite.example/a"),
    "an international name": ("https://drächen.example/a", "https://xn--drchen-cua.example/a"),
    "a full-width name": ("https://\uff4b\uff49\uff54\uff45.example/a", "https://kite.example/a"),
    "an escaped name": ("https://%6Bite.example/a", "https://kite.example/a"),
    "an emoji name": ("https://💩.example/", "https://xn--ls8h.example/"),
    "a trailing slash": ("https://kite.example/a/", "https://kite.example/a"),
    "an index file": ("https://kite.example/a/index.html", "https://kite.example/a"),
    "an index file with a query": (
        "https://kite.example/index.php?p=7",
        "https://kite.example/?p=7",
    ),
    "an index file in capitals": ("https://kite.example/Default.aspx", "https://kite.example"),
    "the ending html": ("https://kite.example/a.html", "https://kite.example/a"),
    "dot segments": ("https://kite.example/b/%2E%2e/a/./", "https://kite.example/a"),
    "a double slash": ("https://kite.example//a", "https://kite.example/a"),
    "percent case": ("https://kite.example/%c3%a9", "https://kite.example/%C3%A9"),
    "unreserved characters": ("https://kite.example/%7Ea%2Db", "https://kite.example/~a-b"),
    "brackets": ("https://kite.example/[a]", "https://kite.example/%5Ba%5D"),
    "raw characters": ("https://kite.example/é x", "https://kite.example/%C3%A9%20x"),
    "a backslash": ("https://kite.example\\a\\b", "https://kite.example/a/b"),
    "one slash": ("https:/kite.example/a", "https://kite.example/a"),
    "no slash": ("https:kite.example/a", "https://kite.example/a"),
    "blanks around": (" https://kite.example/a \n", "https://kite.example/a"),
    "a line end inside": ("https://kite.ex\nample/a", "https://kite.example/a"),
    "angle brackets": ("<https://kite.example/a>", "https://kite.example/a"),
    "a quote left by scraping": ('https://kite.example/a"', "https://kite.example/a"),
    "an escaped quote": ("https://kite.example/a&quot;", "https://kite.example/a"),
    "a tag left by scraping": ("https://kite.example/a</li></ul>", "https://kite.example/a"),
    "an escaped ampersand": ("https://kite.example/?a=1&amp;b=2", "https://kite.example/?b=2&a=1"),
    "no scheme": ("//kite.example/a", "https://kite.example/a"),
    "an empty query": ("https://kite.example/a?&", "https://kite.example/a"),
    "an empty value": ("https://kite.example/?a=", "https://kite.example/?a"),
    "an exact repeat": ("https://kite.example/?a=1&a=1", "https://kite.example/?a=1"),
    "a space in a query": ("https://kite.example/?q=a+b", "https://kite.example/?q=a%20b"),
    "a query glued by hand": ("https://kite.example/?a=1?b=2", "https://kite.example/?a=1&b=2"),
    "an equals sign in a value": ("https://kite.example/?a=b%3Dc", "https://kite.example/?a=b=c"),
    "a session in the path": (
        "https://kite.example/a;jsessionid=0A?b=1",
        "https://kite.example/a?b=1",
    ),
    "a session as a segment": (
        "https://kite.example/(S(abcdefghijklmnopqrstuvwx))/a.aspx",
        "https://kite.example/a.aspx",
    ),
    "a session of two parts": ("https://kite.example/a?CFID=1&CFTOKEN=2", "https://kite.example/a"),
    "a place on the page": ("https://kite.example/a#part-2", "https://kite.example/a"),
    "a text fragment": ("https://kite.example/a#:~:text=b/c", "https://kite.example/a"),
    "a page of a PDF": ("https://kite.example/a.pdf#page=7", "https://kite.example/a.pdf"),
    "an empty route": ("https://kite.example/a#!/", "https://kite.example/a"),
    "a tracker in the fragment": ("https://kite.example/a#utm_source=x", "https://kite.example/a"),
    "AMP as the last segment": (
        "https://kite.example/on-kites/amp/",
        "https://kite.example/on-kites",
    ),
    "AMP on a deep path": (
        "https://kite.example/2099/01/kite/amp",
        "https://kite.example/2099/01/kite",
    ),
    "AMP as the first segment": (
        "https://kite.example/amp/sky/on-kites",
        "https://kite.example/sky/on-kites",
    ),
    "AMP as an ending": ("https://kite.example/kite.amp.html", "https://kite.example/kite"),
    "AMP in the query": ("https://kite.example/a?outputType=amp", "https://kite.example/a"),
    "the end of a redirect": ("https://kite.example/a&usg=AOvVaw7", "https://kite.example/a"),
    "userinfo": ("https://me:secret@kite.example/a", "https://kite.example/a"),
}

DIFFERENT = {
    "a port": ("https://kite.example:8080/a", "https://kite.example/a"),
    "the case of a path": ("https://kite.example/A", "https://kite.example/a"),
    "a subdomain": ("https://docs.kite.example/", "https://kite.example/"),
    "www as the whole name": ("https://www.example/", "https://example.example/"),
    "a name that begins like www": ("https://wwwkite.example/", "https://kite.example/"),
    "mobile as a name": ("https://mobile.de/a", "https://de.example/a"),
    "an image store": ("https://m.media-amazon.com/a.jpg", "https://media-amazon.com/a.jpg"),
    "a user's site": ("https://m.github.io/a", "https://github.io/a"),
    "a sharp s": ("https://groß.example/", "https://gross.example/"),
    "a look-alike letter": ("https://kit\u0435.example/", "https://kite.example/"),
    "an escaped slash": ("https://kite.example/a%2Fb", "https://kite.example/a/b"),
    "an escaped question mark": ("https://kite.example/a%3Fb", "https://kite.example/a?b"),
    "an escaped hash": ("https://kite.example/a%23", "https://kite.example/a"),
    "an escaped percent": ("https://kite.example/a%2520b", "https://kite.example/a%20b"),
    "an escaped ampersand": ("https://kite.example/?a=1%26b=2", "https://kite.example/?a=1&b=2"),
    "a plus in a query": ("https://kite.example/?q=a%2Bb", "https://kite.example/?q=a+b"),
    "a plus in a path": ("https://kite.example/a+b", "https://kite.example/a%20b"),
    "undecodable octets": ("https://kite.example/?q=%E9", "https://kite.example/?q=%E8"),
    "the order of equal names": ("https://kite.example/?a=1&a=2", "https://kite.example/?a=2&a=1"),
    "a name without a value": ("https://kite.example/x.asp?one", "https://kite.example/x.asp?two"),
    "a slash with a host behind": (
        "https://kite.example/get/http://a.example/x",
        "https://kite.example/get/http://b.example/x",
    ),
    "a number called cfid": ("https://kite.example/?cfid=1", "https://kite.example/?cfid=2"),
    "a short session": ("https://kite.example/?sid=1", "https://kite.example/?sid=2"),
    "an edition as source": (
        "https://kite.example/?source=phb",
        "https://kite.example/?source=xge",
    ),
    "a file as ref": ("https://kite.example/?ref=a.md", "https://kite.example/?ref=b.md"),
    "a version as ref": ("https://kite.example/?ref=v1.0", "https://kite.example/?ref=v2.0"),
    "PDF and page": ("https://kite.example/a.pdf", "https://kite.example/a.html"),
    "JSON and page": ("https://kite.example/a.json", "https://kite.example/a"),
    "an amplifier": ("https://kite.example/guitar/amp", "https://kite.example/guitar"),
    "a page about AMP": ("https://kite.example/amp/guide", "https://kite.example/guide"),
    "a route": ("https://kite.example/#/a", "https://kite.example/#/b"),
    "a route with a bang": ("https://kite.example/#!a", "https://kite.example/#!b"),
    "a packed state": (
        f"https://kite.example/#s:{'aB3' * 12}",
        f"https://kite.example/#s:{'aB4' * 12}",
    ),
    "a value in the fragment": ("https://kite.example/#doc=a", "https://kite.example/#doc=b"),
    "an unknown wrapper": (
        "https://kite.example/login?next=https%3A%2F%2Fa.example%2F",
        "https://a.example/",
    ),
    "two short links": ("https://bit.ly/KiteA", "https://bit.ly/Kitea"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_it_makes_no_difference(one, other):
    assert key(one) is not None
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_it_makes_a_difference(one, other):
    assert None not in {key(one), key(other)}
    assert key(one) != key(other)


IGNORED = {
    "file:///home/kite/a.html": "scheme:file",
    "javascript:void(0)": "scheme:javascript",
    "mailto:kite@example.org": "scheme:mailto",
    "kite-extension://abc/x.html": "scheme:kite-extension",
    "secret-token:abc": "scheme:other",
    "": "malformed:relative",
    "kite": "malformed:relative",
    "/kite": "malformed:relative",
    "#kite": "malformed:relative",
    "https://": "malformed:no host",
    "https://a b.example/": "malformed:host",
    "https://a..example/": "malformed:host",
    "https://xn--a.example/": "malformed:host",
    "https://kite.example:99999/": "malformed:port",
    "https://kite.example:8o/": "malformed:port",
    "http://[": "malformed:address",
    "http://1.2.3.4.5/": "malformed:address",
    "http://256.1.1.1/": "malformed:address",
    "http://localhost:8080/search?q=a": "host:loopback",
    "http://kite.localhost/": "host:loopback",
    "http://127.1/": "host:loopback",
    "http://0x7f.1/": "host:loopback",
    "http://2130706433/": "host:loopback",
    "http://0177.0.0.1/": "host:loopback",
    "http://[::1]:3000/": "host:loopback",
    "http://[::ffff:127.0.0.1]/": "host:loopback",
    "http://127.0.0.1\\@google.com/": "host:loopback",
    "http://google.com@127.0.0.1/": "host:loopback",
    "http://10.1.2.3/": "host:private",
    "http://172.31.0.1/": "host:private",
    "http://169.254.169.254/latest": "host:private",
    "http://100.64.0.1/": "host:private",
    "http://[fd00::1]/": "host:private",
    "http://[fe80::1]/": "host:private",
    "http://searxng:8080/search?q=a": "host:single label",
    "http:///path/to/page": "host:single label",
    "http://nas.local/": "host:local name",
    "http://localhost:3000/r.jina.ai/https://kite.example/": "host:loopback",
}


@pytest.mark.parametrize(("url", "why"), IGNORED.items())
def test_what_is_no_source_is_ignored_with_a_reason(url, why):
    assert reason(url) == why


@pytest.mark.parametrize(
    "url",
    ["http://172.32.0.1/", "http://8.8.8.8/", "https://localhost.com/", "https://my-local.example.com/",
     "https://internal.example.com/", "https://1.1.1.1.example.com/", "https://github.com/search?q=a",
     "https://kite.example/search?q=a", "https://[2001:4860:4860::8888]/"],
)  # fmt: skip
def test_what_looks_local_but_is_public_keeps_a_key(url):
    assert key(url) is not None


def test_no_key_of_an_ignored_url_equals_another():
    assert canonicalise("https://") != canonicalise("https://kite.example:x/")


# One test for each public report of what went wrong elsewhere.


def test_searxng_4602_the_key_has_no_slash_and_the_url_is_not_touched():
    url = "https://kite.example/manual/"
    assert key(url) == "kite.example/manual"
    assert url == "https://kite.example/manual/"


def test_karakeep_864_scheme_and_slash_make_no_second_bookmark():
    assert key("http://kite.example/a/") == key("https://kite.example/a")


def test_lobsters_954_a_version_of_a_paper_does_not_slip_through():
    assert key("https://arxiv.org/pdf/2101.00007v2") == key("https://arxiv.org/abs/2101.00007")


def test_lobsters_1529_and_1588_the_key_has_a_version():
    assert CANON_VERSION == 2


def test_lobsters_2111_a_site_as_ref_is_dropped():
    assert key(f"{PAGE}?ref=kites.st") == key(PAGE)


def test_clearurls_addon_179_a_number_as_ref_is_kept():
    assert key(f"{PAGE}?ref=1234-KITE-777") != key(f"{PAGE}?ref=1234-KITE-778")


def test_weblibre_386_trackers_are_dropped_on_github_too():
    assert key("https://github.com/kite/wind?utm_source=chatgpt.com") == "github.com/kite/wind"


def test_semble_335_a_shared_substack_post_is_the_post():
    shared = "https://kite.substack.com/p/wind?r=1ab2c&triedRedirect=true"
    assert key(shared) == "kite.substack.com/p/wind"


def test_w3lib_131_encoded_percent_and_semicolon_stay_encoded():
    assert key("https://kite.example/a%25b") == "kite.example/a%25b"
    assert key("https://kite.example/a%3Bb") != key("https://kite.example/a;b")


def test_nextcloud_bookmarks_607_a_plus_does_not_become_an_encoded_plus():
    assert key("https://kite.example/?q=a+b") != key("https://kite.example/?q=a%2Bb")


def test_degoog_63_a_host_is_matched_whole():
    wrapped = "/l/?uddg=https%3A%2F%2Fkite.example%2Fwind"
    assert key("https://duckduckgo.com" + wrapped) == key(PAGE)
    assert key("https://evilduckduckgo.com" + wrapped) != key(PAGE)
    assert key("https://duckduckgo.com.evil.example" + wrapped) != key(PAGE)


@pytest.mark.parametrize("start", ["//duckduckgo.com", "https://lite.duckduckgo.com", ""])
def test_odysseus_857_every_form_of_the_redirect_is_unwrapped(start):
    assert key(start + "/l/?kh=-1&uddg=https%3A%2F%2Fkite.example%2Fwind&rut=a") == key(PAGE)


def test_agent_os_1917_an_advertisement_is_dropped_not_unwrapped():
    assert reason("https://duckduckgo.com/y.js?u3=https%3A%2F%2Fkite.example") == "ad:duckduckgo"


def test_httrack_434_empty_fields_do_not_break_reading_again():
    once = key(f"{PAGE}?&utm_x=1&")
    assert once == "kite.example/wind"
    assert key("https://" + once) == once


def test_hack_hq_262_kept_values_are_not_rewritten():
    assert key(f"{PAGE}?b=%2Fx%3Ay&utm_x=1&a=(1)") == "kite.example/wind?a=(1)&b=%2Fx%3Ay"


def test_normalize_url_40_the_index_goes_before_the_slash():
    assert key("https://kite.example/a/index.html") == "kite.example/a"


def test_omnivore_3051_with_and_without_slash_is_one_key():
    assert key("https://kite.example/a/?b=1") == key("https://kite.example/a?b=1")


def test_norconex_594_a_name_without_a_value_is_identity():
    assert key("https://kite.example/x.asp?spring") != key("https://kite.example/x.asp?autumn")


def test_n8n_duckduckgo_55_ref_source_id_and_routes_are_not_stripped_blindly():
    for name in ("ref", "source", "id"):
        assert key(f"{PAGE}?{name}=one") != key(f"{PAGE}?{name}=two")
    assert key(f"{PAGE}#/one") != key(f"{PAGE}#/two")


def test_a_list_is_dropped_only_on_the_path_of_a_video():
    watch = "https://www.youtube.com/watch?v=KiteKite777&list="
    assert key(watch + "a") == key(watch + "b")
    playlist = "https://www.youtube.com/playlist?list="
    assert key(playlist + "a") != key(playlist + "b")
    assert key("https://www.youtube.com/other?list=a") != key(
        "https://www.youtube.com/other?list=b"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://kite.zulipchat.com/#narrow/channel/1/topic/A", "https://kite.zulipchat.com/#narrow/channel/1/topic/B"),
        ("https://view.example/#url=https%3A%2F%2Fa.example", "https://view.example/#url=https%3A%2F%2Fb.example"),
        ("https://www.facebook.com/events/777/", "https://www.facebook.com/events/778/"),
        ("https://img.shields.io/website?url=https%3A%2F%2Fkite.example%2Fwind", PAGE),
        ("https://kite.example/Wind", PAGE),
    ],
)  # fmt: skip
def test_own_traps_stay_apart(one, other):
    assert key(one) != key(other)


# Unwrapping.


def test_redirectors_inside_redirectors_are_followed_five_times_and_no_further():
    url = PAGE
    for hops in range(1, 6):
        escaped = "".join(char if char.isalnum() else f"%{ord(char):02X}" for char in url)
        url = "https://href.li/?" + escaped
        assert canonicalise(url) == Canonical("kite.example/wind", "generic", "kite.example", hops)
    escaped = "".join(char if char.isalnum() else f"%{ord(char):02X}" for char in url)
    assert reason("https://href.li/?" + escaped) == "malformed:too many hops"


def test_an_unwrapped_target_is_checked_again():
    assert reason("https://href.li/?http://127.0.0.1/") == "host:loopback"
    assert reason("https://r.jina.ai/https://www.google.com/search?q=a") == "serp:google"


@pytest.mark.parametrize("target", ["kite", "%2Fkite", "javascript%3Aalert(1)", ""])
def test_a_redirector_without_an_absolute_target_stays(target):
    assert canonicalise(f"https://www.google.com/url?q={target}").hops == 0


def test_octets_that_are_no_utf8_survive_unwrapping():
    wrapped = "https://www.google.com/url?q=https%3A%2F%2Fkite.example%2F"
    assert key(wrapped + "%E9") == "kite.example/%E9"
    assert key(wrapped + "%E8") == "kite.example/%E8"


def test_the_first_rule_that_knew_a_document_is_named():
    assert canonicalise("https://youtu.be/KiteKite777").rule == "youtube.short"
    assert canonicalise(PAGE).rule == "generic"


# Own hosts, hosts of keys, start-up.


def test_configured_searxng_hosts_are_ignored_only_when_they_are_named():
    url = "https://find.example/search?q=kites"
    assert key(url) == "find.example/search?q=kites"
    assert canonicalise(url, own_hosts=frozenset({"find.example"})) == Ignored("serp:searxng")
    assert (
        canonicalise("https://find.example/about", own_hosts={"find.example"}).host
        == "find.example"
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Kite.example:8080/a", "kite.example"),
        ("https://[2001:4860:4860:0::8888]:81/a", "[2001:4860:4860::8888]"),
        ("https://[2001:4860:4860:0::8888]?a:b/c", "[2001:4860:4860::8888]"),
        ("https://kite.example", "kite.example"),
        ("https://youtu.be/KiteKite777", "youtube.com"),
    ],
)  # fmt: skip
def test_the_host_of_a_key_has_no_port(url, host):
    answer = canonicalise(url)
    assert answer.host == host
    assert host_of(answer.key) == host


def test_a_secret_in_a_query_is_kept_apart_and_never_taken_for_a_tracker():
    assert key(f"{PAGE}?token=a") != key(f"{PAGE}?token=b")


def test_importing_loads_neither_idna_nor_ipaddress_nor_urllib():
    code = (
        "import sys; from gemsearch.core.canonical import canonicalise;"
        "canonicalise('https://www.kite.example/a?b=1#c');"
        "print(sorted({'idna', 'ipaddress', 'urllib.parse', 'httpx'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
