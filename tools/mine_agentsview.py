"""Mines the database of the real agentsview program, made from the invented sessions of the tests.

    python tools/mine_agentsview.py [--agentsview PATH]

The program is installed with `pip install agentsview`, best into an environment of its own. It is
run once, offline, with a home folder and a data folder of its own below a temporary folder; what
it starts it also ends. Printed is what gemsearch finds in its database, beside what the plain query
for three tool names finds, and what it finds in the same sessions' logs themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gemsearch.history.collecting import collected
from gemsearch.history.finding import found
from gemsearch.history.model import Source

SESSIONS = Path(__file__).parent.parent / "tests" / "history" / "fixtures" / "home"
PLAIN = "SELECT count(*) FROM tool_calls WHERE tool_name IN ('web_search', 'WebSearch', 'search')"


def synced(program: str, home: Path) -> Path:
    """The database that the program makes of the sessions, which are put into `home` first.

    Raises RuntimeError with what the program said if it makes none.
    """
    shutil.copytree(SESSIONS, home, dirs_exist_ok=True)
    folder = home / "agentsview"
    folder.mkdir(mode=0o700)
    done = subprocess.run(
        [program, "sync"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "AGENTSVIEW_DATA_DIR": str(folder),
            "AGENTSVIEW_NO_DAEMON": "1",
            "AGENTSVIEW_TELEMETRY_ENABLED": "0",
            "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
            "DO_NOT_TRACK": "1",
        },
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    database = folder / "sessions.db"
    if done.returncode or not database.exists():
        raise RuntimeError(f"agentsview sync ended with {done.returncode}: {done.stderr.strip()}")
    return database


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--agentsview", default=shutil.which("agentsview"), metavar="PATH")
    program = options.parse_args().agentsview
    if not program:
        sys.exit("There is no agentsview here: pip install agentsview, or --agentsview PATH.")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    print(version.stdout.strip())
    with tempfile.TemporaryDirectory(prefix="gemsearch-agentsview-") as name:
        home = Path(name)
        database = synced(program, home)
        with collected([Source("agentsview", str(database))]) as history:
            here = list(history.calls)
        with contextlib.closing(sqlite3.connect(database)) as connection:
            plain = connection.execute(PLAIN).fetchone()[0]
            rows = connection.execute("SELECT count(*) FROM tool_calls").fetchone()[0]
        logs = [source for source in found({}, str(home)) if source.reader != "agentsview"]
        with collected(logs) as raw:
            there = list(raw.calls)
    print(f"tool calls in its database       {rows}")
    print(f"  the plain query finds          {plain} rows")
    print(f"  gemsearch finds                {len(here)} topics searched for")
    print(f"    with addresses               {sum(bool(call.answer.results) for call in here)}")
    print(f"    told twice                   {history.repeated}")
    print(f"    calls of gemsearch itself    {history.own}, counted apart")
    print(f"    pages fetched                {history.fetches}, counted apart")
    print(f"in the same sessions' logs       {len(there)} topics searched for")
    print("by agent: in the database, in the logs")
    agents = Counter(call.agent for call in here)
    for agent, count in sorted(Counter(call.agent for call in there).items()):
        print(f"  {agent:12} {agents[agent]:3} {count:4}")


if __name__ == "__main__":
    main()
