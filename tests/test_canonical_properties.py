"""What holds for any URL and for any text."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.core.canonical import Canonical, Ignored, canonicalise, host_of
from gemsearch.core.canonical_tables.sites import SITES
from gemsearch.core.canonical_tables.trackers import TRACKERS
from gemsearch.core.canonical_tables.wrappers import WRAPPERS

QUICK = settings(max_examples=60, deadline=None)  # a busy machine is no failure
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
NAMES = st.sampled_from(["id", "p", "t", "v", "q", "page", "lang", "version", "format", "tag"])
LABELS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)
HOSTS = st.builds("{}.{}.example".format, LABELS.filter(lambda label: label != "www"), LABELS)
PATHS = st.lists(WORDS, max_size=4).map(lambda parts: "/" + "/".join(parts))
PARAMS = st.lists(st.tuples(NAMES, WORDS), min_size=1, max_size=6)
PLAIN_TRACKERS = st.sampled_from([t.name for t in TRACKERS if not t.shape])
EXAMPLES = [url for rule in SITES for url in (*rule.same, *rule.apart)]
EXAMPLES += [url for rule in WRAPPERS for url in (rule.example, rule.kept)]
SHARDS = (
    "%2F %2e / // /../ /. % %25 %41 %zz & &amp; ? # #!/ ; ;jsessionid=x index.html .html /amp .amp "
    'www. m. @ \\ : :443 :8080 \t " < > é %E9 \ud800 💩 = a=1 utm_source=x + %2B [ ] 0x7f xn-- ß '
    "http:// https%3A%2F%2F /-/ README.md .git :~: /threads/a.5 /viewtopic.php?t=4&f=2 { } _"
).split(" ")


def key(url):
    answer = canonicalise(url)
    return answer.key if isinstance(answer, Canonical) else None


def write(params):
    return "&".join(f"{name}={value}" for name, value in params)


def check(text):
    """The promises for any text: an answer, and a key that is its own key."""
    answer = canonicalise(text)
    if isinstance(answer, Ignored):
        assert answer.reason
        return
    assert key("https://" + answer.key) == answer.key
    assert answer.host == host_of(answer.key)
    assert answer.key.isascii()
    assert " " not in answer.key


@settings(QUICK)
@given(HOSTS, PATHS, PARAMS, st.randoms(use_true_random=False))
def test_the_order_of_parameters_does_not_matter(host, path, params, shuffler):
    """Parts of one name keep their order: `a=1&a=2` is not `a=2&a=1`."""
    names = [name for name, _ in params]
    shuffler.shuffle(names)
    rows = {name: [row for row in params if row[0] == name] for name in names}
    shuffled = [rows[name].pop(0) for name in names]
    assert key(f"https://{host}{path}?{write(shuffled)}") == key(
        f"https://{host}{path}?{write(params)}"
    )


@settings(QUICK)
@given(HOSTS, PATHS, PARAMS, PLAIN_TRACKERS, WORDS, st.integers(0, 6))
def test_a_tracker_at_any_place_does_not_matter(host, path, params, tracker, value, place):
    tracked = [*params[:place], (tracker, value), *params[place:]]
    assert key(f"https://{host}{path}?{write(tracked)}") == key(
        f"https://{host}{path}?{write(params)}"
    )


@settings(QUICK)
@given(HOSTS, PATHS, NAMES, WORDS, WORDS)
def test_a_parameter_that_names_the_document_always_matters(host, path, name, one, other):
    same = key(f"https://{host}{path}?{name}={one}") == key(f"https://{host}{path}?{name}={other}")
    assert same == (one == other)
    assert key(f"https://{host}{path}?{name}={one}") != key(f"https://{host}{path}")


@settings(QUICK)
@given(HOSTS, PATHS, st.sampled_from(["http", "https", "HTTP", "hTTps"]), st.booleans())
def test_scheme_www_case_of_the_host_and_slash_do_not_matter(host, path, scheme, slash):
    other = f"{scheme}://WWW.{host.upper()}{path}{'/' if slash else ''}"
    assert key(other) == key(f"https://{host}{path}")


@settings(QUICK)
@given(HOSTS, st.lists(st.sampled_from("%c3%a9 %2f %3f %7e %41 %28 b -".split()), min_size=1))
def test_the_case_of_percent_digits_does_not_matter(host, pieces):
    path = "x" + "".join(pieces)
    digits = path.replace("%c3", "%C3").replace("%a9", "%A9").replace("%2f", "%2F")
    digits = digits.replace("%3f", "%3F").replace("%7e", "%7E")
    assert key(f"https://{host}/{path}") == key(f"https://{host}/{digits}")
    assert key(f"https://{host}/?q={path}") == key(f"https://{host}/?q={digits}")


@settings(QUICK)
@given(HOSTS, PATHS, st.text(alphabet="abc:@%/", max_size=12).filter(lambda text: "/" not in text))
def test_userinfo_never_reaches_a_key(host, path, secret):
    assert key(f"https://{secret}@{host}{path}") == key(f"https://{host}{path}")


@settings(QUICK, max_examples=150)
@given(st.text())
def test_any_text_has_an_answer(text):
    check(text)
    check("https://" + text)
    check("https://kite.example/" + text)
    check("https://kite.example/?q=" + text)


@settings(QUICK)
@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_lone_surrogates_have_an_answer(text):
    check(f"https://kite.example/\ud800{text}")
    check(f"https://\udfff{text}.example/")


@settings(QUICK)
@given(st.binary(max_size=60))
def test_bytes_read_as_text_have_an_answer(octets):
    for text in (octets.decode("latin-1"), octets.decode("utf-8", "surrogateescape")):
        check(text)
        check("https://kite.example/#" + text)


@pytest.mark.parametrize("seed", range(8))
def test_damaged_urls_of_known_sites_keep_their_key_when_read_again(seed):
    chooser = random.Random(seed)
    for _ in range(400):
        url = chooser.choice(EXAMPLES)
        for _ in range(chooser.randint(1, 4)):
            place = chooser.randint(0, len(url))
            url = url[:place] + chooser.choice(SHARDS) + url[place + chooser.randint(0, 3) :]
        check(url)


@pytest.mark.parametrize(
    "unit", ["a", "/", "%41", "&a=1", "&amp;", "a.", "-a1", "/../", "(S(", "é"]
)
def test_a_megabyte_is_refused_at_once(unit):
    url = "https://kite.example/?" + unit * (1_000_000 // len(unit))
    start = time.process_time()
    assert canonicalise(url) == Ignored("malformed:too long")
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a/",
        "a-",
        "1a",
        "%41",
        "%e9",
        "é",
        "a=1&",
        "&amp;",
        "/../",
        "(",
        "a.",
        "//",
        "/a-b/amp",
    ],
)
@pytest.mark.parametrize(
    "start",
    [
        "https://kite.example/",
        "https://kite.example/?",
        "https://kite.example/#!",
        "https://github.com/",
        "https://gitlab.com/",
        "https://hackage.haskell.org/package/",
        "https://doi.org/10.5555/",
        "https://medium.com/",
        "https://www.google.com/url?q=",
        "https://web.archive.org/web/",
        "https://",
    ],
)
def test_the_longest_url_that_is_read_takes_no_long_time(start, unit):
    url = start + unit * ((8000 - len(start)) // len(unit))
    begin = time.process_time()
    check(url)
    assert time.process_time() - begin < 1.0
