"""How long an edition takes.

    python bench/publish.py [GEMS]        default 100000

An invented ledger: eight results a gem, addresses that recur as on the web (a few everywhere,
most once), a refusal for every third gem. Making it takes longer than the edition. Printed are
seconds of wall time and of this process's own CPU time by step, and the rows.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from contextlib import closing

from gemsearch.editions import build, saving
from gemsearch.editions.model import Choice, Front
from gemsearch.ledger.connection import open_for_reading, open_for_writing, write_transaction

RESULTS = 8
SYLLABLES = "ba co de fi gu ha jo ke li mu na po qui re si ta ve wo xi zu".split()


def main(gems):
    rng = random.Random(4)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(20_000)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.db")
        timed("ledger made", lambda: fill(path, gems, rng, words))
        with closing(build.new_edition()) as edition:
            choice, front = Choice(), Front("bench", made="2026-05-11")
            with closing(open_for_reading(path)) as ledger:
                built = timed("edition built", lambda: build.build(ledger, edition, choice, front))
            place = saving.find_place(os.path.join(folder, "edition", "gems.db"))
            saved = timed(
                "checked, saved", lambda: saving.save(edition, place, built[1], choice, front)
            )
        print(f"{'together':15} {built[0] + saved[0]:6.1f} s")
        print(f"{'file':15} {os.path.getsize(place.path) / 1e6:6.1f} MB")
        print(f"{'memory':15} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:6.1f} MB")
        print(built[1].published, built[1].withheld)


def timed(label, call):
    start, busy = time.perf_counter(), time.process_time()
    value = call()
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"{label:15} {seconds:6.1f} s   CPU {busy:6.1f} s", flush=True)
    return seconds, value


def fill(path, gems, rng, words):
    with closing(open_for_writing(path)) as ledger, write_transaction(ledger):
        sources = gems * RESULTS
        ledger.executemany(
            "INSERT INTO urls (id, key, url, host) VALUES (?, ?, ?, ?)",
            (source(number, rng, words) for number in range(1, sources + 1)),
        )
        for gem in range(1, gems + 1):
            topic = " ".join(rng.choices(words, k=rng.randint(2, 8)))
            ledger.execute(
                "INSERT INTO gems (id, topic, signature, provider, agent, origin, created, day,"
                " result_count) VALUES (?, ?, ?, 'searxng', 'a', 'search', ?, ?, ?)",
                (gem, topic, topic, "2026-05-11T00:00:00.000Z", "2026-05-11", RESULTS),
            )
            ledger.executemany(
                "INSERT INTO results (gem_id, url_id, rank, title, snippet)"
                " VALUES (?, ?, ?, ?, '')",
                [
                    (gem, url, rank, title(url, words))
                    for rank, url in enumerate(chosen(rng, sources), 1)
                ],
            )
            if gem % 3 == 0:
                refuse(ledger, gem, topic, rng, sources)


def source(number, rng, words):
    host = f"www.{rng.choice(words)}{number % 5000}.example.org"
    path = f"/{rng.choice(words)}/{rng.choice(words)}-{rng.choice(words)}/{number}.html"
    return number, host + path, f"https://{host}{path}?id={number}", host


def title(url, words):
    chosen = (words[url * step % len(words)] for step in (1, 3, 7, 11, 13, 17, 19))
    return f"{' '.join(chosen)}: a guide - {words[url % 997]} {url}"


def chosen(rng, sources):
    """Half of a list recurs, the more often the smaller its number; half is met by chance."""
    recurring = [int(sources ** rng.random()) for _ in range(RESULTS // 2)]
    return {*recurring, *(rng.randint(1, sources) for _ in range(RESULTS // 2))}


def refuse(ledger, gem, topic, rng, sources):
    rejection = ledger.execute(
        "INSERT INTO rejections (topic, signature, gate, signal, score, threshold, evidence,"
        " gem_id, shared, smaller, profile, origin, created, day)"
        " VALUES (?, ?, 'source', 'sources', 3, 3, '{}', ?, 3, 8, 'guarded', 'search', ?, ?)",
        (topic, topic, gem, "2026-05-11T00:00:00.000Z", "2026-05-11"),
    ).lastrowid
    ledger.executemany(
        "INSERT INTO rejection_urls (rejection_id, url_id, shared, counted) VALUES (?, ?, 1, 1)",
        [(rejection, url) for url in chosen(rng, sources)],
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
