"""What is private, not chosen or holds a finding stays out whole, with what points to it."""

from __future__ import annotations

import random
import string

import pytest

from gemsearch.editions import build

rng = random.Random(5)
KEY = "ghp" + "_" + "".join(rng.choices(string.ascii_letters + string.digits, k=36))
AWS = "AK" + "IA" + "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ234567", k=16))
MAIL = "jo.doe" + "@" + "mailbox.org"
HOME = "/home/" + "jodoe/notes/plan.txt"
SIGNATURE = "".join(rng.choices("0123456789abcdef", k=64))


@pytest.mark.parametrize(
    ("topic", "kind"),
    [
        (f"why does {KEY} not work", "a GitHub token"),
        (f"mails of {MAIL}", "an e-mail address"),
        (f"error in {HOME}", "a home directory"),
        ("ssh to 10.1.2.3 fails", "a private network address"),
        (f"gh\u200bp_{KEY[4:]} with a hidden character", "a GitHub token"),
        (f"key Á{AWS[1:]} with an accent", "an AWS access key id"),
    ],
)
def test_a_topic_with_a_finding_withholds_its_gem_and_its_rejections(ledger, publish, topic, kind):
    gem = ledger.gem(topic, "https://one.example.org/a")
    ledger.rejection("the same again", gem, "https://one.example.org/a")
    ledger.gem("chezmoi encryption")
    edition = publish()
    assert edition.column("SELECT topic FROM gems") == ["chezmoi encryption"]
    assert edition.report.published["rejections"] == edition.report.published["urls"] == 0
    assert edition.withheld["gems", f"contains {kind}"] == 1
    assert edition.withheld["rejections", build.GEM_NOT_PUBLISHED] == 1


@pytest.mark.parametrize("column", ["signature", "provider", "day"])
def test_a_finding_in_any_published_column_of_a_gem_withholds_it(ledger, publish, column):
    ledger.gem("gitleaks hook", **{column: f"x {MAIL}"})
    ledger.gem("chezmoi encryption")
    assert publish().column("SELECT topic FROM gems") == ["chezmoi encryption"]


def test_a_result_with_a_finding_in_its_title_is_withheld_and_the_gem_stays(ledger, publish):
    gem = ledger.gem("chezmoi encryption", "https://one.example.org/a", "https://two.example.org/b")
    ledger.result(gem, 3, "https://three.example.org/c", title=f"Contact {MAIL}")
    ledger.result(gem, 4, "https://four.example.org/d")
    edition = publish()
    assert edition.column("SELECT rank FROM results") == [1, 2, 3], "no gap where a row was"
    assert edition.column("SELECT result_count FROM gems") == [3]
    assert "https://three.example.org/c" not in edition.column("SELECT url FROM urls")
    assert edition.withheld["results", "contains an e-mail address"] == 1


UNFIT = [
    "https://user:" + "hunter2x" + "@one.example.org/a",
    "https://user@one.example.org/a",
    f"https://one.example.org/a?sig={SIGNATURE}",
    f"https://bucket.example.org/a?X-Amz-Credential=x&X-Amz-Signature={SIGNATURE}",
    "https://one.example.org/a#access_token=short",
    "https://one.example.org/a?to=" + MAIL.replace("@", "%40"),
    f"https://one.example.org/?q={KEY}",
    "https://wiki.internal/page",
    "https://192.168.7.4/",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "https://one.example.org/\u202egnp.exe",
    "//one.example.org/a",
]


@pytest.mark.parametrize("counted", [True, False])
def test_a_result_with_an_address_that_must_not_be_shown_is_withheld(ledger, publish, counted):
    gem = ledger.gem("chezmoi encryption", "https://one.example.org/ok")
    for rank, url in enumerate(UNFIT, start=2):
        ledger.result(gem, rank, url, title=url[-9:-1], counted=counted)
    edition = publish()
    assert edition.column("SELECT title FROM results") == ["Title of https://one.example.org/ok"]
    assert edition.column("SELECT url FROM urls") == ["https://one.example.org/ok"]
    assert sum(edition.withheld.values()) == len(UNFIT)


def test_a_result_without_an_address_is_a_title(ledger, publish):
    ledger.result(ledger.gem("chezmoi encryption"), 1, "", title="A title", counted=False)
    assert publish().rows("SELECT title, url_id FROM results") == [("A title", None)]


def test_a_title_from_this_computer_is_withheld_though_its_address_is_not_published(
    ledger, publish
):
    gem = ledger.gem("chezmoi encryption")
    ledger.result(gem, 1, "http://localhost:3000/admin", title="Payroll", counted=False)
    edition = publish()
    assert edition.report.published["results"] == 0
    assert edition.withheld == {("results", f"contains {build.findings.NOT_PUBLIC}"): 1}


def test_snippets_are_published_only_when_asked_and_looked_through_then(ledger, publish):
    gem = ledger.gem("chezmoi encryption", "https://one.example.org/a")
    ledger.result(gem, 2, "https://two.example.org/b", snippet=f"Write to {MAIL}")
    assert "snippet" not in publish().column("SELECT name FROM pragma_table_info('results')")
    edition = publish(snippets=True)
    assert edition.column("SELECT snippet FROM results") == ["A snippet."]
    assert edition.column("SELECT rowid FROM results_fts WHERE results_fts MATCH 'snippet'") == [1]


def test_private_gems_are_never_published(ledger, publish):
    private = ledger.gem("nightjar plan", "https://one.example.org/a", visibility="private")
    ledger.rejection("nightjar plans", private)
    ledger.gem("nightjar log", origin="history", visibility="private")
    ledger.gem("chezmoi encryption")
    edition = publish(include_history=True)
    assert edition.column("SELECT topic FROM gems") == ["chezmoi encryption"]
    assert edition.withheld == {
        ("gems", build.PRIVATE): 2,
        ("rejections", build.GEM_NOT_PUBLISHED): 1,
    }


def test_history_is_published_only_when_asked(ledger, publish):
    gem = ledger.gem("from a log", origin="history")
    ledger.rejection("from a log too", gem, origin="history")
    open_gem = ledger.gem("chezmoi encryption")
    ledger.rejection("encryption chezmoi", open_gem, origin="history")
    assert publish().column("SELECT topic FROM gems") == ["chezmoi encryption"]
    assert publish().report.published["rejections"] == 0
    everything = publish(include_history=True)
    assert everything.column("SELECT topic FROM gems") == ["from a log", "chezmoi encryption"]
    assert everything.report.published["rejections"] == 2


def test_a_rejection_whose_topic_a_private_gem_has_is_withheld(ledger, publish):
    gem = ledger.gem("chezmoi encryption")
    private = ledger.gem("chezmoi encryption of nightjar", visibility="private")
    ledger.rejection("chezmoi encryption of nightjar", gem, forced_gem_id=private)
    ledger.rejection("encryption chezmoi", gem)
    edition = publish()
    assert edition.column("SELECT topic FROM rejections") == ["encryption chezmoi"]
    assert edition.withheld["rejections", build.FORCED_IS_PRIVATE] == 1


def test_a_private_refusal_by_an_open_gem_is_withheld(ledger, publish):
    gem = ledger.gem("chezmoi encryption")
    ledger.rejection("encryption chezmoi", gem, origin="hook", visibility="private")
    ledger.rejection("encryption of chezmoi", gem, origin="hook")
    edition = publish()
    assert edition.column("SELECT topic FROM rejections") == ["encryption of chezmoi"]
    assert edition.withheld == {("rejections", build.PRIVATE): 1}


def test_a_rejection_whose_gem_was_forgotten_is_withheld(ledger, publish):
    ledger.rejection("encryption chezmoi", None)
    ledger.gem("chezmoi encryption")
    assert publish().withheld == {("rejections", build.GEM_NOT_PUBLISHED): 1}


def test_since_and_project_choose_and_the_projects_name_is_not_published(ledger, publish):
    old = ledger.gem("old topic", day="2026-05-01", project="nightjar")
    gem = ledger.gem("chezmoi encryption", project="nightjar")
    ledger.gem("gitleaks hook", project="kestrel")
    ledger.rejection("older topic", old, project="nightjar")
    ledger.rejection("encryption chezmoi", gem, project="nightjar")
    ledger.rejection("chezmoi encrypted", gem, project="kestrel")
    edition = publish(since="2026-05-11", project="nightjar")
    assert edition.column("SELECT topic FROM gems") == ["chezmoi encryption"]
    assert edition.column("SELECT topic FROM rejections") == ["encryption chezmoi"]
    with open(edition.path, "rb") as file:
        assert b"nightjar" not in file.read()


def test_an_address_is_published_as_a_published_gem_got_it(ledger, publish):
    clean, tracked = "https://one.example.org/a", "https://one.example.org/a?from=nightjar"
    ledger.gem("private topic", tracked, visibility="private")
    source = ledger.connection.execute("SELECT id FROM urls").fetchone()[0]
    gem = ledger.gem("chezmoi encryption")
    ledger.insert("results", gem_id=gem, rank=1, url_id=source, url=clean, title="t", snippet="")
    edition = publish()
    assert edition.rows("SELECT url, gem_count FROM urls") == [(clean, 1)]


def test_a_refused_source_that_only_private_rows_vouch_for_is_withheld(ledger, publish):
    ledger.gem("private topic", "https://one.example.org/a", visibility="private")
    gem = ledger.gem("chezmoi encryption", "https://two.example.org/b")
    urls = [f"https://{name}.example.org/{name[0]}" for name in ("one", "two", "three")]
    urls[0], urls[1] = "https://one.example.org/a", "https://two.example.org/b"
    ledger.rejection("encryption chezmoi", gem, *urls)
    edition = publish()
    assert sorted(edition.column("SELECT url FROM urls")) == sorted(urls[1:])
    assert edition.withheld["rejection_urls", build.FOUND_BY_OTHERS] == 1


def test_a_refused_source_with_an_address_that_must_not_be_shown_is_withheld(ledger, publish):
    gem = ledger.gem("chezmoi encryption", "https://two.example.org/b")
    unfit = [url for url in UNFIT if "://" in url]
    ledger.rejection("encryption chezmoi", gem, "https://two.example.org/b", *unfit)
    edition = publish()
    assert edition.column("SELECT url FROM urls") == ["https://two.example.org/b"]
    assert sum(edition.withheld.values()) == len(unfit)


def test_bytes_and_words_where_others_belong_are_withheld(ledger, publish):
    gem = ledger.gem("chezmoi encryption")
    ledger.gem(b"bytes", signature="bytes")
    ledger.rejection("encryption chezmoi", gem, score="a word")
    edition = publish()
    assert edition.withheld == {
        ("gems", build.NOT_TEXT): 1,
        ("rejections", build.NOT_A_NUMBER): 1,
    }
