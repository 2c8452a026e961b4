"""Runs the suite and says how much was tried: `python -m tests.hostile`, with `--all` all of it."""

from __future__ import annotations

import sys

import pytest

from tests.hostile import corpus
from tests.hostile.attacks import attacks
from tests.hostile.counted import TRIED
from tests.hostile.reports import REPORTS
from tests.hostile.test_canary_key import SECRETS
from tests.hostile.test_contacts import ELSEWHERE, HOSTS
from tests.hostile.test_foreign_databases import DOUBTFUL, READ, REFUSED


def main():
    marks = [] if "--all" in sys.argv else ["-m", "not soak"]
    code = pytest.main(["-q", "-p", "no:xdist", "tests/hostile", *marks])
    made = {
        "texts": len(corpus.INPUTS),
        "answers of services": len(attacks()),
        "databases": len(REFUSED) + len(READ) + len(DOUBTFUL),
        "addresses": len(HOSTS) + len(ELSEWHERE),
        "kinds of secrets": len(SECRETS),
        "public reports": sum(report.where.count(",") + 1 for report in REPORTS),
    }
    lines = [*made.items(), ("", ""), *TRIED.most_common(), ("handed over in all", TRIED.total())]
    for name, count in lines:
        sys.stdout.write(f"{count!s:>8}  {name}\n" if name else "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
