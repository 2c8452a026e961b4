"""Overview, gem, rejection and "would this be refused?": what they say, and to whom."""

from __future__ import annotations

import re
import sqlite3
import threading

import pytest

from gemsearch.ledger.connection import open_for_writing
from tests.datasette.markup import Page
from tests.datasette.visiting import Writer, fill

AT = "/gems/-/gemsearch"
PAGES = [
    AT,
    f"{AT}/gem/1",
    f"{AT}/rejection/1",
    f"{AT}/rejection/3",
    f"{AT}/explain",
    f"{AT}/explain?topic=gitleaks+hook",
]


def words(html):
    return " ".join(" ".join(text for _, text in Page(html).text).split())


def test_the_overview_counts_and_names_what_comes_back(visitor):
    said = words(visitor.page(AT))
    assert "3 gems" in said
    assert "5 refusals" in said
    assert "4 searches saved" in said
    assert "gitleaks pre-commit hook #1" in said
    assert "b.example/5" in said


def test_what_nobody_was_refused_saved_no_search(visit, tmp_path):
    ledger = fill(tmp_path / "gems.db")
    connection = open_for_writing(str(ledger))
    connection.execute("UPDATE rejections SET enforced = 0, origin = 'history'")
    connection.close()
    said = words(visit(ledger).page(AT))
    assert "5 refusals" in said
    assert "0 searches saved" in said


def test_the_overview_draws_its_chart_and_gives_its_numbers(visitor):
    html = visitor.page(AT)
    assert html.count("<rect") > 10
    assert "2026-05-12: 0 novel, 1 refused" in html
    assert "<caption>Topics by day" in html


def test_a_gem_page_has_its_results_refusals_wordings_and_relatives(visitor):
    said = words(visitor.page(f"{AT}/gem/1"))
    for part in (
        "Gem #1, found 2026-05-11",
        "Title of https://docs.example.org/gitleaks/0",
        "hook gitleaks pre-commit",
        "secret scanning at commit time learned from refusal #1",
        "#2 io_uring zero-copy networking internals",
    ):
        assert part in said


def test_a_rejection_page_marks_the_words_that_differ(visitor):
    html = visitor.page(f"{AT}/rejection/5")
    assert "<mark>internal</mark>" in html
    assert "<mark>internals</mark>" in html
    assert "<mark>networking</mark>" not in html


def test_a_rejection_page_says_which_shared_sources_counted(visitor):
    said = words(visitor.page(f"{AT}/rejection/1"))
    assert said.count("shared, counts") == 4
    assert "4 shared sources counted; the smaller list has 4" in said
    assert "learned wording of the gem until" in said


def test_a_judged_rejection_says_so(visitor):
    said = words(visitor.page(f"{AT}/rejection/4"))
    assert "A person marked it wrong" in said
    assert "asked for another tool" in said


@pytest.mark.parametrize(
    ("topic", "verdict", "part"),
    [
        ("io_uring zero-copy networking internals", "Yes: it would be refused", "identical"),
        ("secret scanning at commit time", "Yes: it would be refused", "learned from refusal #1"),
        ("mechanical keyboard switches", "No: it would be searched", "No gem shares"),
        ("connection pooling elsewhere altogether", "No: it would be searched", "does not fire"),
    ],
)
def test_would_this_be_refused_gives_the_gates_answer(visitor, topic, verdict, part):
    answer = visitor.get(f"{AT}/explain", params={"topic": topic})
    said = words(answer.text)
    assert verdict in said
    assert part in said


def test_a_secret_is_refused_and_not_repeated(visitor):
    secret = "ghp_" + "a1B2" * 9
    answer = visitor.get(f"{AT}/explain", params={"topic": f"why is {secret} rejected"})
    assert "looks like" in answer.text
    assert secret not in answer.text


def test_a_topic_that_is_too_long_is_refused_with_the_reason(visitor):
    answer = visitor.get(f"{AT}/explain", params={"topic": "word " * 200})
    assert "the limit is 400" in words(answer.text)


def test_asking_writes_nothing(visitor, ledger):
    before = ledger.read_bytes()
    visitor.page(f"{AT}/explain?topic=gitleaks+hook")
    assert ledger.read_bytes() == before


@pytest.mark.parametrize("path", [f"{AT}/gem/999", f"{AT}/rejection/999", f"{AT}/gem/{'9' * 18}"])
def test_what_is_not_there_is_a_404_that_says_so(visitor, path):
    answer = visitor.get(path)
    assert answer.status_code == 404
    assert "There is no" in answer.text


@pytest.mark.parametrize("path", ["/gems/-/gemsearch/gem/x", "/other/-/gemsearch", f"{AT}/gem/-1"])
def test_other_addresses_are_404(visitor, path):
    assert visitor.get(path).status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_a_page_can_be_heard_and_used_by_keyboard(visitor, path):
    page = Page(visitor.page(path))
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    steps = zip(page.headings, page.headings[1:], strict=False)
    assert all(later - earlier <= 1 for earlier, later in steps)
    assert all(field.get("id") in page.labels for field in page.fields)
    html = visitor.page(path)
    assert html.count("<table") == html.count("<caption")
    assert all('scope="' in cell for cell in re.findall(r"<th[ >][^>]*", html))
    assert all("aria-" in svg for svg in re.findall(r'<svg class="gs[^>]*', html))
    assert 'tabindex="1' not in html


@pytest.mark.parametrize("path", PAGES)
def test_nobody_reads_a_page_of_a_database_he_may_not_see(visit, ledger, path):
    private = {"databases": {"gems": {"allow": {"id": "root"}}}}
    assert visit(ledger, metadata=private).get(path).status_code == 403


def test_a_page_is_closed_when_one_of_its_tables_is(visit, ledger):
    private = {"databases": {"gems": {"tables": {"results": {"allow": {"id": "root"}}}}}}
    assert visit(ledger, metadata=private).get(f"{AT}/gem/1").status_code == 403


def test_an_edition_has_its_pages_too_but_no_gate(visit, edition):
    visitor = visit(edition)
    at = "/public/-/gemsearch"
    for path in (at, f"{at}/gem/1", f"{at}/rejection/1", f"{at}/rejection/5"):
        page = visitor.page(path)
        assert "/explain" not in page
        assert "gemsearch mark" not in page
    assert "it has no gate" in visitor.page(f"{at}/explain?topic=gitleaks")


def test_an_empty_ledger_has_all_its_pages(visit, tmp_path):
    open_for_writing(str(tmp_path / "gems.db")).close()
    visitor = visit(tmp_path / "gems.db")
    assert "Nothing yet" in visitor.page(AT)
    assert "No: it would be searched" in visitor.page(f"{AT}/explain?topic=anything+new")


def test_a_file_with_nothing_in_it_is_no_ledger(visit, tmp_path):
    (tmp_path / "gems.db").touch()
    visitor = visit(tmp_path / "gems.db")
    assert visitor.get("/").status_code == 200
    assert visitor.get(AT).status_code == 404


def test_a_newer_ledger_is_read(visit, tmp_path, ledger):
    path = copied(ledger, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.execute("ALTER TABLE gems ADD COLUMN mood TEXT")
    connection.close()
    visitor = visit(path)
    for page in PAGES:
        visitor.page(page)


def test_a_damaged_ledger_is_named_and_never_half_shown(visit, tmp_path, ledger):
    path = copied(ledger, tmp_path)
    overwrite_root(path, "rejections", b"\xff")
    visitor = visit(path)
    for page in PAGES[:4]:
        answer = visitor.get(page)
        assert answer.status_code == 503
        assert "the ledger is damaged" in answer.text
        assert str(path) in answer.text
    assert visitor.get("/gems/gems").status_code == 200
    assert visitor.get("/gems/rejections").status_code in {400, 500}


def test_a_ledger_whose_schema_is_gone_is_no_ledger(visit, tmp_path, ledger):
    path = copied(ledger, tmp_path)
    with path.open("r+b") as file:
        file.truncate(4096)
    try:
        visitor = visit(path)
    except sqlite3.DatabaseError as error:
        assert "malformed" in str(error)  # noqa: PT017 - 1.0 itself does not start
        return
    assert visitor.get(AT).status_code in {404, 500, 503}


def test_a_ledger_is_served_while_it_is_written(visit, tmp_path, ledger):
    path = copied(ledger, tmp_path)
    visitor = visit(path)
    done = threading.Event()
    writer = threading.Thread(target=write_until, args=(str(path), done))
    writer.start()
    try:
        counts = [int(re.search(r'gs-value">(\d+)', visitor.page(AT))[1]) for _ in range(6)]
        for page in PAGES:
            visitor.page(page)
    finally:
        done.set()
        writer.join()
    assert counts == sorted(counts)
    assert counts[-1] > 3


def write_until(path, done):
    ledger = Writer(path)
    while not done.is_set():
        ledger.gem(f"subject {ledger.days}", [f"https://w.example/{ledger.days}"])
    ledger.connection.close()


def overwrite_root(path, table, byte):
    connection = sqlite3.connect(path)
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
    (root,) = connection.execute(sql, (table,)).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(byte * size)


def copied(ledger, folder):
    path = folder / "gems.db"
    with sqlite3.connect(ledger) as connection:
        connection.execute("VACUUM INTO ?", (str(path),))
    connection.close()
    return path
