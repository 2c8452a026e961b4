"""How fast a history is read and reported, and how much memory that takes.

    python bench/history.py 200                 a history of 200 MB with 5,000 searches
    python bench/history.py 2000 --calls 5000   the memory of a large one

Makes up logs as Claude Code writes them: most lines are other tools' work, as in real ones. Then
reads them and makes the report, each in a process of its own, and prints MB/s of reading, calls/s
of the report and the most memory that each had. Times are processor time, of one core.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpus import Corpus, url_of

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOW = datetime(2026, 11, 30, tzinfo=UTC)
CALLS_IN_A_SESSION = 25
ANSWER = "What the pages say, in the words of the agent that read them, with a few numbers. " * 12
CODE = "    value = self.ledger.read(position, length)  # see the notes on pages and leaves\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=int)
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--part", choices=("read", "report"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps({"read": read, "report": report}[options.part](options.folder)))
        return
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), options.megabytes, options.calls)
        megabytes = size_of(folder)
        found = {part: in_a_process(part, folder) for part in ("read", "report")}
    took, calls = found["read"]["seconds"], found["read"]["calls"]
    print(f"{megabytes:.0f} MB, {calls} calls, {found['report']['topics']} topics")
    print(f"reading     {megabytes / took:7.0f} MB/s   {took:6.2f} s   {memory(found['read'])}")
    took = found["report"]["seconds"]
    print(f"the report  {calls / took:7.0f} calls/s{took:6.2f} s   {memory(found['report'])}")
    whole = found["read"]["seconds"] + took
    print(f"both        {whole:18.2f} s")


def in_a_process(part: str, folder: str) -> dict:
    command = [sys.executable, __file__, "0", "--part", part, "--folder", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return json.loads(done.stdout)


def memory(found: dict) -> str:
    return f"{found['peak']:5.0f} MB of memory at most"


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(folder: str) -> dict:
    from gemsearch.history.collecting import collected
    from gemsearch.history.model import Source

    started = time.process_time()
    with collected([Source("claude-code", folder)]) as history:
        seconds = time.process_time() - started
        assert not history.skipped, history.skipped
        return {"seconds": seconds, "calls": len(history.calls), "peak": peak()}


def report(folder: str) -> dict:
    from gemsearch.history.collecting import collected
    from gemsearch.history.model import Source
    from gemsearch.history.proposals import Choice
    from gemsearch.history.report import report_of

    with collected([Source("claude-code", folder)]) as history:
        started = time.process_time()
        found = report_of(history.calls, NOW, Choice())
        seconds = time.process_time() - started
    return {"seconds": seconds, "topics": found.topics, "peak": peak()}


def write(folder: Path, megabytes: int, calls: int) -> None:
    """Sessions of equal length; what is not a search fills them up to the size."""
    sessions = max(1, calls // CALLS_IN_A_SESSION)
    room = megabytes * 1_000_000 // sessions
    chance = random.Random(1)
    asking = Asking(calls, chance)
    for session in range(sessions):
        at = START + timedelta(hours=session)
        name = f"{session:08d}-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
        place = folder / f"-home-dev-project{session % 7}"
        place.mkdir(exist_ok=True)
        with (place / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            left = room
            for number in range(calls // sessions):
                moment = at + timedelta(minutes=number)
                for line in asking.lines(f"toolu_{session}_{number}", name, moment):
                    left -= file.write(line)
            filling = work(name, at, chance)
            while left > 0:
                left -= file.write(next(filling))


class Asking:
    """Calls about questions: more than half are new, the others come back, often reworded."""

    def __init__(self, calls: int, chance: random.Random) -> None:
        self.corpus = Corpus(calls)
        self.chance = chance
        self.questions = 0

    def lines(self, call: str, session: str, at: datetime):
        question = self.question()
        topic = self.wording(question)
        links = [
            {"title": f"Notes on {topic}, part {place}", "url": url_of(source)}
            for place, source in enumerate(self.found(question), start=1)
        ]
        told = f'Web search results for query: "{topic}"\n\nLinks: {json.dumps(links)}\n\n{ANSWER}'
        answer = {"query": topic, "results": [{"tool_use_id": call, "content": links}, ANSWER]}
        asked = {"type": "tool_use", "id": call, "name": "WebSearch", "input": {"query": topic}}
        given = {"type": "tool_result", "tool_use_id": call, "content": told}
        yield line(session, at, "assistant", [asked])
        yield line(session, at + timedelta(seconds=4), "user", [given], toolUseResult=answer)

    def question(self) -> int:
        if self.questions == 0 or self.chance.random() < 0.55:
            self.questions += 1
            return self.questions
        # Few come back often, most hardly ever.
        return 1 + int(self.questions * self.chance.random() ** 2)

    def wording(self, question: int) -> str:
        words = self.corpus.topic(question).split(" ")
        kind = self.chance.random()
        if kind < 0.3:
            self.chance.shuffle(words)
        elif kind < 0.5:
            words.append(self.chance.choice(("guide", "notes", "2026", "example", "internals")))
        return " ".join(words)

    def found(self, question: int) -> list[int]:
        """Ten sources: most are the question's own, the rest whatever a search brings."""
        own = self.corpus.sources(question, 12)
        others = self.corpus.sources(self.chance.randrange(1 << 30), 4)
        return list(dict.fromkeys([*self.chance.sample(own, 7), *others]))[:10]


def work(session: str, at: datetime, chance: random.Random):
    """What agents do all day: they read files, run commands and write."""
    number = 0
    while True:
        number += 1
        call, text = f"toolu_w{number}", CODE * chance.randint(5, 120)
        tool, given = chance.choice((("Read", "file_path"), ("Bash", "command")))
        asked = {"type": "tool_use", "id": call, "name": tool, "input": {given: "notes/pages.md"}}
        yield line(session, at, "assistant", [{"type": "text", "text": ANSWER}, asked])
        result = {"type": "tool_result", "tool_use_id": call, "content": text}
        yield line(session, at, "user", [result], toolUseResult={"stdout": text, "stderr": ""})


def line(session: str, at: datetime, role: str, content: list, **others) -> str:
    told = {
        "type": role,
        "cwd": "/home/dev/project",
        "sessionId": session,
        "version": "2.1.332",
        "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
        "message": {"role": role, "content": content},
    }
    return json.dumps(told | others) + "\n"


def size_of(folder: str) -> float:
    return sum(path.stat().st_size for path in Path(folder).rglob("*.jsonl")) / 1e6


if __name__ == "__main__":
    main()
