"""Programs as providers: no shell, no surprises, nothing left running."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers import child
from gemsearch.providers.base import Settings
from gemsearch.providers.command import Command
from tests.providers.servers import FreePace

ROW = {"url": "https://example.org/a", "title": "A"}


def command(code, *words, **options):
    """A provider whose program is a line of Python."""
    argv = [sys.executable, "-S", "-c", code, *words]
    return Command(Settings({"argv": argv, **options}), "mine")


def search(provider, topic="gitleaks hook", timeout=20.0):
    return provider.search(topic, FreePace(), timeout)


def failure_of(provider, **how):
    with pytest.raises(SearchFailed) as caught:
        search(provider, **how)
    return caught.value


def printing(text, **options):
    return command(f"print({text!r})", **options)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ROW]),
        json.dumps([ROW], indent=1),
        json.dumps({"results": [ROW]}),
        json.dumps(ROW),
        "\ufeff" + json.dumps([ROW]),
    ],
    ids=["array", "many lines", "object", "one line", "byte order mark"],
)
def test_every_form_of_json_is_read(text):
    assert search(printing(text)).results == [Result("https://example.org/a", "A")]


def test_json_lines_are_read():
    page = search(printing("\n\n".join(json.dumps(ROW) for _ in range(3))))
    assert len(page.results) == 3


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"href": "http://a.org", "name": "T", "body": "S", "date": "2026"},
            Result("http://a.org", "T", "S", "2026"),
        ),
        (
            {"link": "http://a.org", "abstract": "<b>S</b> &amp; T", "age": "1 day"},
            Result("http://a.org", "", "S & T", "1 day"),
        ),
        (
            {"url": None, "link": "http://a.org", "title": None},
            Result("http://a.org"),
        ),
    ],
)
def test_fields_are_found_under_their_usual_names(row, expected):
    assert search(printing(json.dumps([row]))).results == [expected]


def test_fields_can_be_mapped():
    row = {"page": "https://example.org/a", "heading": "A"}
    provider = printing(json.dumps([row]), map={"url": "page", "title": "heading"})
    assert search(provider).results == [Result("https://example.org/a", "A")]


@pytest.mark.parametrize("text", ["[]", '{"results": []}'])
def test_an_empty_list_is_an_empty_page(text):
    assert search(printing(text)).results == []


def test_rows_without_a_web_address_are_counted():
    page = search(printing(json.dumps([ROW, {"url": "javascript:x"}, 7, {}])))
    assert (len(page.results), page.dropped) == (1, 3)


@pytest.mark.parametrize(
    "text",
    ["", "No results.", "{}", '{"error": "x"}', "7", "null", '[{"site": "x"}]', '{"results": 3}'],
)
def test_anything_else_is_a_failure_never_an_empty_page(text):
    failure = failure_of(printing(text))
    assert failure.kind == "bad_response"
    assert failure.provider == "mine"


def test_an_exit_code_is_a_failure_and_the_end_of_standard_error_is_shown():
    code = "import sys; print('[]'); sys.stderr.write('x' * 9999 + '\\x1b[31m sorry'); sys.exit(3)"
    failure = failure_of(command(code))
    assert failure.kind == "upstream"
    assert "exit code 3" in failure.message
    assert failure.message.endswith("sorry")
    assert failure.message.isprintable()
    assert len(failure.message) < 300


def test_a_killed_program_is_a_failure():
    failure = failure_of(command("import os; print('[]', flush=True); os.kill(os.getpid(), 9)"))
    assert "signal 9" in failure.message


ECHO = "import json, sys; print(json.dumps([{'url': 'http://a.org', 'title': ' '.join(%s)}]))"
HOSTILE = ["a; touch x", "$(id)", "`id`", "a && b", "a\nb", "*", "~", "'\"", "日本語"]


@pytest.mark.parametrize("topic", HOSTILE)
def test_the_topic_is_one_argument_and_no_shell_reads_it(topic):
    page = search(command(ECHO % "sys.argv[1:]", "--", "{query}"), topic)
    assert page.results[0].title == " ".join(["--", *topic.split()])


@pytest.mark.parametrize("topic", HOSTILE)
def test_without_a_place_the_topic_goes_to_standard_input(topic):
    page = search(command(ECHO % "[sys.stdin.buffer.read().decode()]"), topic)
    assert page.results[0].title == " ".join(topic.split())


class TestTopicsThatLookLikeOptions:
    @pytest.mark.parametrize(("words", "topic"), [(["{query}"], "-o x"), (["-n", "{query}"], "-")])
    def test_they_are_refused(self, words, topic):
        failure = failure_of(command("", *words), topic=topic)
        assert (failure.kind, failure.exit_code) == ("bad_query", 1)
        assert '"--"' in failure.hint

    @pytest.mark.parametrize("words", [["--", "{query}"], ["--query={query}"], ["q={query}"], []])
    def test_they_are_passed_where_they_can_not_be_one(self, words):
        assert search(command(ECHO % "sys.argv", *words), "-o x").results


@pytest.mark.parametrize("topic", ["a\0b", "a\ud800b"])
def test_what_can_not_be_an_argument_is_refused_or_passed(topic):
    try:
        search(command(ECHO % "['x']", "--", "{query}"), topic)
    except SearchFailed as failure:
        assert failure.kind == "bad_query"  # noqa: PT017 - either outcome is sound


@pytest.mark.parametrize(
    "argv",
    [
        None,
        [],
        "ddgr {query}",
        [1],
        [""],
        ["{query}"],
        ["/nonexistent/program"],
        ["/"],
        ["sh", "-c", "ddgr {query}"],
    ],
)
def test_a_wrong_argv_names_the_table_to_correct(argv):
    failure = failure_of(Command(Settings({"argv": argv}), "mine"))
    assert (failure.kind, failure.exit_code, failure.billed) == ("config", 5, "no")
    assert "[providers.mine]" in failure.hint


class TestNothingIsLeft:
    def gone(self, pid):
        for _ in range(200):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return True  # ended; whoever adopted it has not asked yet
            except OSError:
                pass
            time.sleep(0.05)
        return False

    def test_a_slow_program_and_its_children_are_ended(self, tmp_path):
        pids = tmp_path / "pids"
        code = (
            "import os, subprocess, sys, time\n"
            "kid = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
            f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{kid.pid}}')\n"
            "time.sleep(60)"
        )
        failure = failure_of(command(code), timeout=3.0)
        assert (failure.kind, failure.billed) == ("timeout", "unknown")
        assert all(self.gone(int(pid)) for pid in pids.read_text().split())

    def test_a_program_that_ignores_sigterm_is_killed(self, monkeypatch):
        monkeypatch.setattr(child, "GRACE", 0.2)
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
        assert failure_of(command(code), timeout=0.7).kind == "timeout"

    def test_a_child_that_keeps_the_output_open_delays_nothing(self):
        code = (
            "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
            f"print({json.dumps([ROW])!r})"
        )
        start = time.monotonic()
        assert search(command(code), timeout=50.0).results
        assert time.monotonic() - start < 30

    def test_endless_output_is_cut(self):
        failure = failure_of(command("while True: print('x' * 9999)"))
        assert failure.kind == "bad_response"
        assert "2 MB" in failure.message

    def test_much_output_on_standard_error_blocks_nothing(self):
        code = f"import sys; sys.stderr.write('x' * 999_999); print({json.dumps([ROW])!r})"
        assert search(command(code)).results


def test_keys_of_other_services_are_not_passed_on(monkeypatch):
    monkeypatch.setenv("OTHER_API_KEY", "secret")
    monkeypatch.setenv("MINE", "passed")
    page = search(command("import os;" + ECHO % "sorted(os.environ)", env=["MINE"]))
    names = page.results[0].title.split()
    assert "MINE" in names
    assert "PATH" in names
    assert "OTHER_API_KEY" not in names
