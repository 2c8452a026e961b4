"""Many processes at everything at once: search, check, record and hooks on one ledger.

    python bench/load.py --processes 32 --seconds 30 --folder /tmp/load

Every call is a process of its own, as an agent makes it; a quarter of the workers use the library
on a connection that stays open. Topics come from a window that moves on, so that many propose the
same one. A Datasette serves the ledger and is asked for pages meanwhile, and doctor, backup,
publish and mine run over and over.

Prints calls, outcomes and waits of each kind. Exits 1 when a gem that a process was told of is
missing, a topic has two, or a call ended in any way but those promised (4: the ledger was busy for
five seconds). A run in a --folder that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not this folder: its datasette.py is none

from bench.callers import READY, Call, Worker, addresses  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BESIDE = ("pages", "care")
PAGES = (
    "/gems",
    "/gems/gems",
    "/gems/rejections",
    "/gems/-/gemsearch",
    "/gems/gems?_search=subject",
    "/gems/results.json?_size=20",
)


# What runs beside the workers


class _Search(BaseHTTPRequestHandler):
    """Answers as a SearXNG does; every topic has sources of its own."""

    def do_GET(self) -> None:
        topic = parse_qs(urlsplit(self.path).query).get("q", [""])[0]
        rows = [{"url": url, "title": url, "content": "About it."} for url in addresses(topic)]
        body = json.dumps({"query": topic, "results": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serve_searches(server: ThreadingHTTPServer) -> None:
    server.serve_forever()


def _read_pages(folder: Path, port: int, ends: float) -> None:
    """Ask Datasette for page after page; what is not 200 is a complaint."""
    read = 0
    complaints: list[str] = []
    while time.monotonic() < ends and len(complaints) < 20:
        path = PAGES[read % len(PAGES)]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                answer.read()
        except OSError as error:
            complaints.append(f"{path}: {error}")
        read += 1
        time.sleep(0.05)
    _put(folder / "pages.json", {"read": read, "complaints": complaints})
    os._exit(0)


def _take_care(folder: Path, ends: float) -> None:
    """doctor, backup, publish and mine, over and over."""
    made, failed, number = Counter[str](), [], 0
    log = folder / "calls.jsonl"
    log.write_text(
        "".join(
            json.dumps({"query": f"mined{n} shaft{n}", "links": addresses(f"mined{n}"), "id": n})
            + "\n"
            for n in range(200)
        )
    )
    while time.monotonic() < ends:
        for command in (
            ("doctor",),
            ("backup", str(folder / "copies" / f"{number}.db")),
            ("publish", str(folder / "edition" / "public.db"), "--yes"),
            ("mine", "--into-ledger", "--source", "jsonl", "--path", str(log)),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "gemsearch", *command],
                capture_output=True, text=True, timeout=300, check=False,
            )  # fmt: skip
            made[command[0]] += 1
            if done.returncode not in {0, 4}:
                failed.append(f"{command[0]}: exit {done.returncode}: {done.stdout}{done.stderr}")
        (folder / "copies" / f"{number}.db").unlink(missing_ok=True)
        number += 1
    _put(folder / "care.json", {"made": made, "complaints": failed[:20]})
    os._exit(0)


def _put(path: Path, value: object) -> None:
    path.write_text(json.dumps(value))


def _fork(task: Callable[..., None], *arguments: object) -> int:
    child = os.fork()
    if child:
        return child
    try:
        task(*arguments)
    except KeyboardInterrupt:
        pass
    except Exception:  # noqa: BLE001 - whatever it is, the run has failed
        import traceback

        traceback.print_exc()
    os._exit(70)


def _work(number: int, folder: Path, begun: float, ends: float) -> None:
    worker = Worker(number, folder, begun, ends)
    worker.run(worker.by_library if number % 4 == 3 else worker.by_commands)


# The run


def load(folder: Path, processes: int, seconds: float, beside: Iterable[str]) -> None:
    """Put the load on the ledger in `folder`; what happened stands there afterwards."""
    for name in ("journals", "copies", "edition"):
        (folder / name).mkdir(exist_ok=True)
    done = _elapsed(folder)
    if done >= seconds:
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Search)
    _set_environment(folder, server.server_port)
    for name in READY:
        import_module(name)
    services = [_fork(_serve_searches, server)]
    server.server_close()
    datasette = None
    workers: set[int] = set()
    try:
        datasette = _started_datasette(folder) if "pages" in beside else None
        begun = time.monotonic() - done
        ends = begun + seconds
        workers.update(_fork(_work, number, folder, begun, ends) for number in range(processes))
        if datasette:
            workers.add(_fork(_read_pages, folder, datasette[1], ends))
        if "care" in beside:
            workers.add(_fork(_take_care, folder, ends))
        _wait_for(workers, folder, begun)
    finally:
        for each in [*workers, *services, *([datasette[0].pid] if datasette else [])]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGTERM)
    if datasette:
        datasette[0].wait(20)


def _elapsed(folder: Path) -> float:
    kept = folder / "elapsed.json"
    return float(json.loads(kept.read_text())) if kept.exists() else 0.0


def _wait_for(workers: set[int], folder: Path, begun: float) -> None:
    """Until none is left; how far they are is kept for another run."""
    while workers:
        _put(folder / "elapsed.json", time.monotonic() - begun)
        for worker in list(workers):
            ended, status = os.waitpid(worker, os.WNOHANG)
            if ended:
                workers.discard(worker)
                if status:
                    raise SystemExit(f"a worker ended with {status}")
        time.sleep(0.2)


def _set_environment(folder: Path, port: int) -> None:
    os.environ.update(
        {
            "HOME": str(folder),
            "GEMSEARCH_DB": str(folder / "gems.db"),
            "GEMSEARCH_CONFIG": str(folder / "config.toml"),
            "GEMSEARCH_LOAD_PLUGINS": "",
            "GEMSEARCH_PROVIDER": "searxng",
            "SEARXNG_URL": f"http://127.0.0.1:{port}",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
    )


def _started_datasette(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    from gemsearch.ledger.connection import open_for_writing

    open_for_writing(str(folder / "gems.db")).close()
    with closing(ThreadingHTTPServer(("127.0.0.1", 0), _Search).socket) as free:
        port = free.getsockname()[1]
    log = (folder / "datasette.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "gemsearch", "serve", "--port", str(port)], stdout=log, stderr=log
    )
    while process.poll() is None:
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}{PAGES[0]}", timeout=10).close()
            return process, port
        time.sleep(0.1)
    raise SystemExit((folder / "datasette.log").read_text())


# What came of it


class Report(NamedTuple):
    calls: list[Call]
    complaints: list[str]
    beside: dict[str, dict[str, object]]


def report(folder: Path) -> Report:
    calls = [
        Call(*json.loads(line))
        for path in sorted((folder / "journals").glob("*.jsonl"))
        for line in path.read_text().split("\n")[:-1]  # one that was stopped may end half-way
    ]
    beside = {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in BESIDE
        if (folder / f"{name}.json").exists()
    }
    log = folder / "gems.db.hook.log"
    if log.exists():
        said = [line.split(": ")[1] for line in log.read_text().splitlines()]
        beside["hooks that let a search pass unchecked"] = {"made": Counter(said), "complaints": []}
    complaints = [f"{call.kind}: {call.outcome}" for call in calls if not _is_promised(call)]
    for name, told in beside.items():
        complaints += [f"{name}: {said}" for said in told["complaints"]]
    complaints += _of_ledger(folder / "gems.db", calls)
    return Report(calls, complaints, beside)


def _is_promised(call: Call) -> bool:
    return call.outcome in {0, 2, 4, "denied", "noted", "novel", "duplicate", "pending"}


def _of_ledger(path: Path, calls: Iterable[Call]) -> list[str]:
    with closing(sqlite3.connect(path)) as ledger:
        gems = ledger.execute("SELECT id, topic FROM gems").fetchall()
    there = set(gems)
    times = Counter(topic for _, topic in gems)
    told = {(call.gem_id, call.topic) for call in calls if call.gem_id is not None}
    lost = [f"lost: gem #{gem_id} {topic}" for gem_id, topic in sorted(told - there)]
    return lost + [f"recorded {n} times: {topic}" for topic, n in times.items() if n > 1]


def lines(found: Report) -> list[str]:
    by_kind: defaultdict[str, list[Call]] = defaultdict(list)
    for call in found.calls:
        by_kind[call.kind].append(call)
    told = [f"{len(found.calls)} calls, {sum(call.outcome == 4 for call in found.calls)} busy"]
    for kind, calls in sorted(by_kind.items()):
        waits = sorted(call.seconds * 1000 for call in calls)
        p50, p99 = (waits[int(len(waits) * share)] for share in (0.5, 0.99))
        outcomes = dict(sorted(Counter(str(call.outcome) for call in calls).items()))
        told.append(
            f"{kind:15} {len(calls):6}  p50 {p50:6.0f} ms  p99 {p99:6.0f} ms"
            f"  slowest {waits[-1]:6.0f} ms  {outcomes}"
        )
    for name, what in found.beside.items():
        told.append(f"{name}: {what.get('read') or dict(what['made'])}")
    return told + [f"NOT PROMISED {said}" for said in found.complaints[:20]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--folder", type=Path, help="where to keep it, and to go on")
    parser.add_argument("--beside", nargs="*", choices=BESIDE, default=BESIDE)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="gemsearch-load-"))
    folder.mkdir(parents=True, exist_ok=True)
    load(folder, options.processes, options.seconds, options.beside)
    found = report(folder)
    print("\n".join(lines(found)))
    if options.folder is None:
        shutil.rmtree(folder)
    sys.exit(bool(found.complaints))


if __name__ == "__main__":
    main()
