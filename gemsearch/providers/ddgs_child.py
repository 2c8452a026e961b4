"""Runs `ddgs` in a process that can be killed: a question on standard input, an answer on output.

Started by path with `python -P`, so that the module beside it, ddgs.py, doesn't hide the package.
"""

from __future__ import annotations

import json
import os
import sys


def answer(question: dict[str, object]) -> dict[str, object]:
    try:
        from ddgs import DDGS
    except ImportError as fault:
        return {"missing": fault.name or "ddgs"}
    try:
        found = DDGS(timeout=question["timeout"]).text(
            question["query"], backend=question["backend"], max_results=question["max_results"]
        )
        return {"results": list(found)}
    except Exception as fault:  # noqa: BLE001 - the parent decides by name and text
        return {"error": type(fault).__name__, "text": str(fault)[:500]}


def main() -> None:
    # Whatever the package prints must not mix with the answer.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with output:
        json.dump(answer(json.load(sys.stdin)), output, default=str)


if __name__ == "__main__":
    main()
