"""The same in processes of their own: through a pipe, and on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.hostile.corpus import passable
from tests.hostile.counted import TRIED
from tests.hostile.inert import alarms

# What click draws a progress bar with: it begins a line anew and hides the cursor meanwhile.
DRAWING = ("\r", "\x1b[?25l", "\x1b[?25h", "\x1b[K")
RUNS = [
    ("gems", "--limit", "1000"),
    ("show", "7"),
    ("explain", "--rejection", "8"),
    ("stats",),
    ("rejections", "--json"),
    ("check", "canary", "hook"),
]


def run(*arguments, **more):
    """Standard output and standard error of a process, as bytes."""
    TRIED["processes"] += 1
    return subprocess.run(
        [sys.executable, "-m", "gemsearch", *arguments],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | more,
        timeout=60,
        check=False,
    )


def on_a_terminal(*arguments):
    """What a terminal would have received of both streams."""
    TRIED["processes"] += 1
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gemsearch", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm-256color"},
    )
    os.close(theirs)
    received = b""
    try:
        while chunk := os.read(ours, 65536):
            received += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    finally:
        os.close(ours)
        process.wait(60)
    return received.decode("utf-8")


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_what_a_terminal_receives_is_plain_lines(arguments, spoiled):
    received = on_a_terminal(*arguments).replace("\r\n", "\n")
    assert len(received) > 100
    for drawn in DRAWING:
        received = received.replace(drawn, "")
    assert not alarms(received)


def test_an_argument_that_is_no_text_is_no_crash(home):
    """Every input that can be passed to a process, many at once."""
    texts = [*passable().values()]
    for start in range(0, len(texts), 40):
        words = [text[:200] for text in texts[start : start + 40]]
        for command in ("gems", "search"):
            done = run(command, "--", *words)
            assert done.returncode in {0, 1, 5}
            assert b"Traceback" not in done.stderr
            assert not alarms(done.stdout.decode() + done.stderr.decode())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_a_terminal_that_knows_few_letters_gets_the_others_written_out(encoding, spoiled):
    done = run("gems", "--limit", "1000", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode(encoding)
    assert ("日本語" in shown) == (encoding == "utf-8")
    assert ("\\u65e5\\u672c" in shown) == (encoding != "utf-8")
    assert not alarms(shown)
