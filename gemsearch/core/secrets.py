"""Secrets and private data in a text, told from talk about them.

A search topic leaves the machine, so a key in it is leaked by the search itself; but topics *about*
keys are daily work and must pass. Hence few and exact patterns, and a second look at what they
matched: a placeholder or plain words are no secret.

Pass cleaned text: a zero-width space inside a key would hide it. Expressions are compiled when a
text holds one of their hints for the first time, most never.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Finding(NamedTuple):
    """`text[start:end]` looks like `kind`, which reads on after "contains"."""

    kind: str
    start: int
    end: int


class Pattern:
    """One kind. `hints` are lower case; without one of them in the text the pattern isn't tried.

    `word` does the same where hints are too common: the shortest word that can hold the finding.
    The finding is group 1 where there is one, else the whole match. `genuine` looks at it again.
    Letter case is ignored: a key typed in capitals is still leaked.
    """

    # A plain class, because another NamedTuple is a millisecond of every start.
    __slots__ = ("genuine", "hints", "kind", "pattern", "word")

    def __init__(
        self,
        kind: str,
        hints: tuple[str, ...],
        pattern: str,
        genuine: Callable[[str], bool],
        word: int = 0,
    ) -> None:
        self.kind = kind
        self.hints = hints
        self.pattern = pattern
        self.genuine = genuine
        self.word = word


# Of these, every text that holds a secret has one, or a long word.
MARKS = (":", "=", "@", "--")
LONG_WORD = 16

# What people write where a secret would stand.
PLACEHOLDER = (
    r"example|sample|dummy|placeholder|redacted|change_?me|your|insert|xxxx|\*\*\*|\.\.\.|foobar"
    r"|0000000|jbswy3dp|passw(?:or|0r)d|p4ssw|secret|token|api_?key|process\.env|getenv|environ|vault:"
    r"|[<>{}()\[\]]|^[$%]"
)
CHANGE = r"[a-z](?=[A-Z0-9])|[0-9](?=[A-Za-z])|[A-Z](?=[0-9])"
NO_WORD_IS_SO_LONG = 21
MASK = frozenset("*x.-_…")
SPECIAL = frozenset("!@#$%^&*+=?~|")


def find_secret(text: str) -> Finding | None:
    """Give the first secret, by the order of SECRETS; None for texts that only speak of secrets."""
    return next(_findings(_SECRET_HINTS, text), None) if _is_suspicious(text) else None


def find_all(text: str) -> list[Finding]:
    """Give every secret in the order of the text, none inside another."""
    return _apart(_findings(_SECRET_HINTS, text)) if _is_suspicious(text) else []


def find_private(text: str) -> Finding | None:
    """Give the first private datum: it may be searched and stored, but isn't published."""
    return next(_findings(_PRIVATE_HINTS, text), None)


def _is_suspicious(text: str) -> bool:
    # Most topics are a few short words: this is all they cost.
    return any(mark in text for mark in MARKS) or any(
        len(word) >= LONG_WORD for word in text.split()
    )


def _hints(patterns: tuple[Pattern, ...]) -> tuple[tuple[str, Pattern], ...]:
    return tuple((hint, row) for row in patterns for hint in row.hints)


def _findings(hints: tuple[tuple[str, Pattern], ...], text: str) -> Iterator[Finding]:
    folded = text.lower()
    longest = max(map(len, text.split()), default=0)
    near = {row.kind: row for hint, row in hints if hint in folded}  # in the order of the table
    for row in near.values():
        if row.word <= longest:
            yield from _matches(row, text)


def _matches(row: Pattern, text: str) -> Iterator[Finding]:
    expression = _compiled(row.pattern)
    group = min(expression.groups, 1)
    for match in expression.finditer(text):
        if row.genuine(match[group]):
            yield Finding(row.kind, *match.span(group))


def _apart(findings: Iterator[Finding]) -> list[Finding]:
    """Sorted by place; where two overlap the earlier one stays, or the one that is listed first."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: finding.start):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
    return kept


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(PLACEHOLDER, re.IGNORECASE | re.ASCII)


@cache
def _consonants() -> re.Pattern[str]:
    return re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE | re.ASCII)


@cache
def _change() -> re.Pattern[str]:
    return re.compile(CHANGE)


def _always(_found: str) -> bool:
    return True


def _is_placeholder(found: str) -> bool:
    return len(set(found.lower()) - MASK) < 5 or bool(_placeholder().search(found))


def _changes(found: str) -> int:
    """How often letters, digits and capitals take turns within words."""
    return len(_change().findall(found))


def _is_random(found: str) -> bool:
    """What follows a telling prefix is a key, not the rest of a name such as `sk-learn-contrib`."""
    if _is_placeholder(found):
        return False
    longest = max(map(len, re.split(r"[^A-Za-z0-9]", found)))
    return longest >= NO_WORD_IS_SO_LONG or _changes(found) >= 3


def _is_mixed(found: str) -> bool:
    """Nothing but its looks tells a bare value: one change in five letters. CamelCase has fewer."""
    if _is_placeholder(found):
        return False
    changes = _changes(found)
    return changes >= max(4, len(found) / 5) or (changes >= 2 and _is_unpronounceable(found))


def _is_unpronounceable(found: str) -> bool:
    """Five consonants in a row; not asked of mixed case, where HTTPSConnection has them too."""
    if len(found) < LONG_WORD or not (found.islower() or found.isupper()):
        return False
    return bool(_consonants().search(found))


def _is_key_id(found: str) -> bool:
    """In small letters only a digit tells a key id from words that begin with "asia"."""
    return not _is_placeholder(found) and (found.isupper() or any(map(str.isdigit, found)))


def _is_password(found: str) -> bool:
    """A value that someone made hard to guess; `password=changeme` and `token: expired` aren't."""
    if _is_mixed(found):
        return True
    has_all = any(map(str.isdigit, found)) and not SPECIAL.isdisjoint(found)
    return has_all and _changes(found) >= 1 and not _is_placeholder(found)


def _is_url_password(found: str) -> bool:
    """`user:password` of a URL: in that place even a weak password is one, but not a default."""
    user, _, password = found.partition(":")
    if len(password) < 6 or password.lower() == user.lower() or _is_placeholder(password):
        return False
    return not password.isalpha() and not password.isdigit()


# Bodies may be a little shorter than real ones: a mistyped key is leaked too.
SECRETS = (
    Pattern("an Anthropic API key", ("sk-ant-",), r"(?<![a-z0-9])sk-ant-[\w-]{20,}", _is_random),
    Pattern(
        "a model provider's API key",
        ("sk-",),
        r"(?<![a-z0-9])sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[\w-]{30,}",
        _is_random,
    ),
    Pattern(
        "a model or search provider's API key",
        ("gsk_", "xai-", "pplx-", "r8_", "tvly-", "nvapi-"),
        r"(?<![a-z0-9])(?:gsk_|xai-|pplx-|r8_|tvly-(?:dev-|prod-)?|nvapi-)[\w-]{28,}",
        _is_random,
    ),
    Pattern(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"(?<![a-z0-9])gh[pousr]_[a-z0-9]{30,}",
        _is_random,
    ),
    Pattern(
        "a GitHub fine-grained token",
        ("github_pat_",),
        r"(?<![a-z0-9])github_pat_\w{36,}",
        _is_random,
    ),
    Pattern(
        "a GitLab token",
        ("glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-"),
        r"(?<![a-z0-9])gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent)-[\w-]{18,}",
        _is_random,
    ),
    Pattern(
        "an AWS access key id",
        ("akia", "asia"),
        r"(?<![a-z0-9])(?:AKIA|ASIA)[A-Z2-7]{15,17}(?![a-z0-9])",
        _is_key_id,
    ),
    Pattern(
        "an AWS secret key",
        ("aws", "secretaccesskey"),
        r"(?:aws_?secret(?:_?access)?_?key|secretaccesskey)[\"']?\s{0,3}[=:]\s{0,3}[\"']?"
        r"([a-z0-9/+]{38,42})(?![a-z0-9/+])",
        _is_mixed,
    ),
    Pattern("a Google API key", ("aiza",), r"(?<![a-z0-9])AIza[\w-]{32,}", _is_random),
    Pattern("a Google client secret", ("gocspx-",), r"GOCSPX-[\w-]{24,}", _is_random),
    Pattern("a Google access token", ("ya29.",), r"(?<![a-z0-9])ya29\.[\w-]{30,}", _is_random),
    Pattern(
        "a Slack token",
        ("xox", "xapp-"),
        r"(?<![a-z0-9])(?:xox[abeoprs]|xapp)-[a-z0-9-]{20,}",
        _is_random,
    ),
    Pattern(
        "a Slack webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([a-z0-9/]{30,})",
        _is_random,
    ),
    Pattern(
        "a Discord webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/\d{15,22}/([\w-]{50,})",
        _is_random,
    ),
    Pattern(
        "a Discord bot token",
        (".",),
        r"(?<![\w.-])[mno][\w-]{22,27}\.[\w-]{5,7}\.[\w-]{27,45}(?![\w-])",
        _is_mixed,
        word=57,
    ),
    Pattern(
        "a Telegram bot token",
        (":aa",),
        r"(?<!\d)\d{8,10}:AA[\w-]{30,}",
        _is_random,
    ),
    Pattern("a Hugging Face token", ("hf_",), r"(?<![a-z0-9])hf_[a-z0-9]{30,}", _is_random),
    Pattern("an npm token", ("npm_",), r"(?<![a-z0-9])npm_[a-z0-9]{32,}", _is_random),
    Pattern("a PyPI token", ("pypi-ag",), r"(?<![a-z0-9])pypi-Ag[\w-]{50,}", _is_random),
    Pattern("a Docker Hub token", ("dckr_",), r"(?<![a-z0-9])dckr_[op]at_[\w-]{20,}", _is_random),
    Pattern(
        "a Stripe key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"(?<![a-z0-9])(?:[sr]k_(?:live|test)|whsec)_[a-z0-9+/]{20,}",
        _is_random,
    ),
    Pattern(
        "a Shopify or Square token",
        ("shp", "sq0"),
        r"(?<![a-z0-9])(?:shp(?:at|ca|pa|ss)_[a-f0-9]{30,}|sq0(?:atp|csp)-[\w-]{20,})",
        _is_random,
    ),
    Pattern("a SendGrid key", ("sg.",), r"(?<![a-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}", _is_random),
    Pattern(
        "a Twilio key",
        ("sk", "ac"),
        r"(?<![a-z0-9#])(?:SK|AC)[0-9a-f]{31,33}(?![a-z0-9])",
        _is_random,
        word=33,
    ),
    Pattern(
        "a Mailgun key", ("key-",), r"(?<![a-z0-9])key-[0-9a-f]{31,33}(?![a-z0-9])", _is_random
    ),
    Pattern(
        "a DigitalOcean token", ("_v1_",), r"(?<![a-z0-9])do[opr]_v1_[0-9a-f]{56,}", _is_random
    ),
    Pattern(
        "a Databricks token",
        ("dapi",),
        r"(?<![a-z0-9])dapi[0-9a-f]{31,33}(?![a-z0-9])",
        _is_random,
    ),
    Pattern(
        "a HashiCorp token",
        ("hvs.", "hvb.", ".atlasv1."),
        r"(?<![a-z0-9])(?:hv[sb]\.[\w-]{24,}|[a-z0-9]{14}\.atlasv1\.[\w-]{50,})",
        _is_random,
    ),
    Pattern(
        "a Grafana or New Relic key",
        ("glsa_", "nrak-"),
        r"(?<![a-z0-9])(?:glsa_[a-z0-9]{30,}_[0-9a-f]{8}|NRAK-[a-z0-9]{25,})",
        _is_random,
    ),
    Pattern(
        "a Notion, Linear or Atlassian token",
        ("ntn_", "lin_", "atatt"),
        r"(?<![a-z0-9])(?:ntn_[a-z0-9]{36,}|lin_(?:api|oauth)_[a-z0-9]{36,}|ATATT3[\w=-]{50,})",
        _is_random,
    ),
    Pattern(
        "a Supabase, Netlify or PlanetScale token",
        ("sbp_", "nfp_", "pscale_"),
        r"(?<![a-z0-9])(?:sbp_[0-9a-f]{36,}|nfp_[a-z0-9]{36,}|pscale_(?:tkn|pw|oauth)_[\w-]{28,})",
        _is_random,
    ),
    Pattern(
        "an Azure storage key",
        ("accountkey", "sharedaccesskey"),
        r"(?:account|sharedaccess)key=([a-z0-9+/]{40,}={0,2})",
        _is_random,
    ),
    Pattern(
        "an age secret key",
        ("age-secret-key-",),
        r"AGE-SECRET-KEY-(?:PQ-)?(1[0-9a-z]{50,})",
        _is_random,
    ),
    Pattern(
        "a private key",
        ("private key",),
        r"-----BEGIN (?:[a-z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,9}"
        r"(?:(?:Proc-Type|Version|Comment)[^\0]{0,120}?)?[a-z0-9+/=]{32,}",
        _always,
    ),
    Pattern(
        "a JSON Web Token",
        ("eyj",),
        r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}",
        _is_random,
    ),
    Pattern(
        "a bearer token",
        ("bearer",),
        r"(?<![a-z0-9])bearer[:=]?\s{1,3}[\"']?([\w.~+/-]{18,}={0,2})",
        _is_mixed,
    ),
    Pattern(
        "a user name and password",
        ("authorization",),
        r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?basic\s{1,3}([a-z0-9+/]{12,}={0,2})",
        _is_mixed,
    ),
    Pattern(
        "a password in a URL",
        ("@",),
        r"://([^\s/:@?#]{0,64}:[^\s/@?#]{6,200})@(?!sha256:|(?:[\w-]+\.)*example\.)[\w\[]",
        _is_url_password,
    ),
    Pattern(
        "a user name and password on a command line",
        ("-u ", "--user"),
        r"(?<!\S)(?:-u\s{1,3}|--user[\s=]\s{0,2})[\"']?[^\s:\"']{1,64}:([^\s\"'(){}\[\]]{8,200})",
        _is_password,
    ),
    Pattern(
        "a signed URL or a URL with a key",
        (
            *("sig=", "signature=", "credential=", "token=", "jwt=", "key=", "code=", "auth="),
            *("secret=", "password=", "sid=", "session_id=", "sessionid="),
        ),
        r"[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|jwt|key"
        r"|(?:access_|id_|refresh_|auth_?)?token|api_?key|code|auth|secret|client_secret"
        r"|password|session_?id|sid)=([^\s&#\"'<>()\[\]{}]{16,})",
        _is_mixed,
        word=LONG_WORD,
    ),
    Pattern(
        "a password or token",
        ("pass", "pwd", "secret", "token", "key", "credential"),
        r"(?:passw(?:or)?d|pwd|pass(?:phrase|code)|(?<![a-z])pass|secret|token|credential"
        r"|(?:api|access|auth|account|private|encryption|signing|client|secret)[_-]?key)s?[\"']?"
        r"(?:\s{0,3}(?::=|=>|==?|:)\s{0,3}|(?<=--password)\s{1,3}|(?<=--token)\s{1,3}"
        r"|(?<=--api-key)\s{1,3}|(?<=--secret)\s{1,3})"
        r"[\"']?([^\s\"',;&<>()\[\]{}]{8,256})",
        _is_password,
    ),
)


# Names that stand for any person or machine.
ANYBODY = frozenset(
    "user users username you yourname your me name myuser someone alice bob john foo runner node"
    " ubuntu debian vagrant ec2-user pi linuxbrew circleci jovyan vscode shared public default"
    " app admin example git coder".split()
)
DEFAULT_ADDRESSES = frozenset("10.0.0.1 10.0.2.2 192.168.0.1 192.168.1.1 192.168.1.254".split())
COMMON_HOSTS = frozenset(
    "host.docker.internal gateway.docker.internal metadata.google.internal env.local".split()
)


def _is_own_mail(found: str) -> bool:
    name, _, domain = found.lower().partition("@")
    if name in {"git", "user", "you", "noreply", "no-reply", "username", "hg", "name"}:
        return False
    return not re.search(r"(?:^|\.)(?:example(?:\.\w+)?|test|invalid|localhost)$", domain)


def _is_own_home(found: str) -> bool:
    return re.split(r"[\\/]", found)[-1].lower().rstrip("0123456789") not in ANYBODY


def _is_own_address(found: str) -> bool:
    if ":" in found:
        return sum(map(bool, found.split(":"))) >= 3  # fd00::/8 is talk about networks
    numbers = [int(number) for number in found.split(".")]
    return max(numbers) < 256 and numbers[2:] != [0, 0] and found not in DEFAULT_ADDRESSES


def _is_own_host(found: str) -> bool:
    name = found.lower().removeprefix("://")
    if name in COMMON_HOSTS or name.endswith("cluster.local"):
        return False
    # `threading.local` is code, `https://wiki.local` and `nas-2.local` are hosts.
    return not re.fullmatch(r"[a-z_]+\.local", found.lower())


def _is_own_hardware(found: str) -> bool:
    digits = re.sub(r"[:-]", "", found.lower())
    return len(set(digits)) > 2 and digits not in {"aabbccddeeff", "001122334455", "0123456789ab"}


PRIVATE = (
    Pattern(
        "an e-mail address",
        ("@",),
        r"(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])",
        _is_own_mail,
    ),
    Pattern(
        "a home directory",
        ("/home/", "/users/", "\\users\\"),
        r"(?:(?<![\w./-])|(?<=file://))(?-i:/home|/Users|/var/home|/export/home)/[a-z0-9_][\w.-]*"
        r"|(?<![a-z])[a-z]:[\\/]{1,2}Users[\\/]{1,2}[\w.-]+",
        _is_own_home,
    ),
    Pattern(
        "a private network address",
        ("10.", "172.", "192.168.", "fc", "fd", "fe80:"),
        r"(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![.]?\d)"
        r"|(?<![\w:])(?:f[cd][0-9a-f]{2}|fe80):(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}(?![\w:])",
        _is_own_address,
    ),
    Pattern(
        "an internal host name",
        (".internal", ".corp", ".local", ".lan", ".intranet", ".home.arpa"),
        r"(?:(?<=\w)://|(?<![\w.-]))[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*"
        r"\.(?:internal|corp|local|lan|intranet|home\.arpa)(?![\w-]|\.\w)",
        _is_own_host,
    ),
    Pattern(
        "a hardware address",
        (":", "-"),
        r"(?<![0-9a-z:-])(?:(?:[0-9a-f]{2}:){5}|(?:[0-9a-f]{2}-){5})[0-9a-f]{2}(?![0-9a-z:-])",
        _is_own_hardware,
        word=len("00:00:00:00:00:00"),
    ),
)

_SECRET_HINTS = _hints(SECRETS)
_PRIVATE_HINTS = _hints(PRIVATE)
