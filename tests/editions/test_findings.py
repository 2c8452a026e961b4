"""Many texts at once are looked through as one by one."""

from __future__ import annotations

import random
import string

import pytest

from gemsearch.core.secrets import PRIVATE, SECRETS, find_private, find_secret
from gemsearch.editions import findings

rng = random.Random(3)


def body(alphabet, length):
    return "".join(rng.choices(alphabet, k=length))


LETTERS = string.ascii_letters + string.digits
FOUND = [
    "ghp" + "_" + body(LETTERS, 36),
    "sk-" + "ant-api03-" + body(LETTERS, 90),
    "AK" + "IA" + body("QRSTUVWXYZ234567", 16),
    "https://jo:" + "s3cretpw" + "@files.mailbox.org/",
    "https://one.example.org/?sig=" + body("0123456789abcdef", 64),
    "Authorization: " + "Bearer " + body(LETTERS, 40),
    "password" + " = Tr0ub4dor&" + body(LETTERS, 6),
    "jo.doe" + "@" + "mailbox.org",
    "/home/" + "jodoe/plan",
    "10.1.2.3",
    "nas.internal",
    "3c:22:fb:" + "9a:1e:07",
]
# Texts that a pattern might run on from, into the next one.
BEFORE = [
    "a plain title",
    "what is a token =",
    "password:",
    "curl -u ",
    "Authorization: Bearer ",
    "https://one.example.org/?key=",
    "-----BEGIN " + "PRIVATE KEY-----",
    "https://user:",
    "3c:22:",
    "jo.doe" + "@",
]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("found", FOUND)
def test_a_finding_among_others_is_never_missed(before, found):
    assert findings.in_text(found)
    for texts in (
        [before, found],
        [found, before],
        [before, found, before],
        [before] * 9 + [found],
    ):
        assert not findings.are_clean(texts)


def test_clean_texts_are_clean_together():
    words = "how to rotate a token with a password manager : key = value @ home".split()
    texts = [" ".join(rng.choices(words, k=6)) for _ in range(200)]
    texts = [text for text in texts if not findings.in_text(text)]
    assert findings.are_clean(texts)


def test_no_pattern_reaches_over_the_gap_between_two_texts():
    """Cut in two anywhere, a key is no key; no match may have the gap in it."""
    for found in FOUND:
        for place in range(1, len(found)):
            cut = found[:place] + findings._APART + found[place:]
            match = find_secret(cut) or find_private(cut)
            assert match is None or findings._APART not in cut[match.start : match.end]


def test_the_kinds_are_those_of_the_core():
    kinds = {row.kind for row in (*SECRETS, *PRIVATE)}
    assert {findings.in_text(found) for found in FOUND} <= kinds
