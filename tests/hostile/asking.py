"""A process that asks every attack in turn and says what it cost; test_answers.py starts it."""

from __future__ import annotations

import json
import resource
import sys
import time

from gemsearch import novelty
from gemsearch.errors import SearchFailed
from gemsearch.providers import http, searxng
from gemsearch.providers.base import Settings
from gemsearch.providers.unpaced import Unpaced


def outcome(url, seconds):
    """What came of it, through everything that a search does with a page before it is stored."""
    try:
        page = http.HttpProvider(searxng.ADAPTER, Settings({"url": url})).search(
            "canary hook", Unpaced(), seconds
        )
    except SearchFailed as failure:
        return failure.kind, f"{failure.message}\n{failure.hint}"
    found = novelty.found_in(page.results[:100], "searxng")
    return f"page {len(page.results)}", "\n".join(map(str, found.results[:20]))


def main():
    http.BACKOFF = 0.01
    # The first request of all pays for imports.
    outcome("http://127.0.0.1:9", 1)
    for line in sys.stdin:
        name, url, seconds = json.loads(line)
        before, start = peak(), time.monotonic()
        kind, told = outcome(url, seconds)
        cost = {"seconds": time.monotonic() - start, "megabytes": peak() - before}
        sys.stdout.write(json.dumps([name, kind, told[:5000], len(told), cost]) + "\n")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
