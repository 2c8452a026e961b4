"""Show and measure the canonical key.

    python bench/canonical.py URL...                          key, rule and reason of each
    python bench/canonical.py --pairs url_pairs.tsv           precision and recall
    python bench/canonical.py --ignore url_ignore.tsv         the ignore list
    python bench/canonical.py --natural urls.gz --review OUT  idempotence, and every merge to read
    python bench/canonical.py --speed urls.gz                 URLs a second, p50, p99, import time

The files lie beside the project, never in it.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gemsearch.core.canonical import CANON_VERSION, Canonical, Ignored, canonicalise, host_of

# The classes in which we chose otherwise than a contested label says.
_CHOSEN = {
    "wrapper_trap": "same",  # two captures of one page are one page
}
_UNREACHABLE = ("git://",)  # ignored by its scheme, whatever the label


class Pair(NamedTuple):
    relation: str
    contested: bool
    kind: str
    first: str
    second: str
    merged: bool


def key_of(url: str) -> str | None:
    answer = canonicalise(url)
    return answer.key if isinstance(answer, Canonical) else None


def show(urls: list[str]) -> int:
    print(f"canon_version {CANON_VERSION}")
    for url in urls:
        answer = canonicalise(url)
        if isinstance(answer, Ignored):
            print(f"{url}\n  key     -\n  reason  {answer.reason}")
        else:
            print(f"{url}\n  key     {answer.key}\n  rule    {answer.rule}, hops {answer.hops}")
    return 0


def unescape(text: str) -> str:
    """The data files write a tab, a line end and a backslash as two characters."""
    marks = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
    return re.sub(r"\\[tn\\]", lambda mark: marks[mark[0]], text)


def read_pairs(path: Path) -> list[Pair]:
    pairs = []
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        if not line:
            continue
        relation, contested, kind, first, second = line.split("\t")[:5]
        first, second = unescape(first), unescape(second)
        key = key_of(first)
        merged = key is not None and key == key_of(second)
        pairs.append(Pair(relation, contested == "1", kind, first, second, merged))
    return pairs


def score(path: Path) -> int:
    pairs = read_pairs(path)
    plain = [pair for pair in pairs if not pair.contested]
    same = [pair for pair in plain if pair.relation == "same"]
    wrong = [pair for pair in plain if pair.relation == "different" and pair.merged]
    missed = [pair for pair in same if not pair.merged]
    right = len(same) - len(missed)
    precision = right / (right + len(wrong)) if right else 0.0
    recall = right / len(same) if same else 0.0
    weighed = 1.25 * precision * recall / (0.25 * precision + recall) if right else 0.0
    print(f"uncontested {len(plain)}: {len(same)} same, {len(plain) - len(same)} different")
    print(f"precision {precision:.4f}  recall {recall:.4f}  F0.5 {weighed:.4f}")
    list_by_class("wrong merges", wrong)
    list_by_class("missed merges", missed)
    list_classes(plain)
    list_contested([pair for pair in pairs if pair.contested])
    return 1 if wrong else 0


def list_by_class(title: str, pairs: list[Pair]) -> None:
    print(f"\n{title}: {len(pairs)}")
    for pair in sorted(pairs, key=lambda pair: pair.kind):
        print(f"  {pair.kind}\n    {pair.first!r} -> {key_of(pair.first)}")
        print(f"    {pair.second!r} -> {key_of(pair.second)}")


def list_classes(pairs: list[Pair]) -> None:
    print("\nby class: merged/same, merged/different")
    counts: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    for pair in pairs:
        counts[pair.kind][pair.relation, pair.merged] += 1
    for kind, count in sorted(counts.items()):
        same = count["same", True] + count["same", False]
        different = count["different", True] + count["different", False]
        merged, wrong = count["same", True], count["different", True]
        print(f"  {kind:20} {merged:3}/{same:<3}  {wrong:3}/{different}")


def list_contested(pairs: list[Pair]) -> None:
    """Against our choices: the label, unless the table above says otherwise."""
    other = []
    for pair in pairs:
        choice = _CHOSEN.get(pair.kind, pair.relation)
        if pair.merged != (choice == "same") and not pair.first.startswith(_UNREACHABLE):
            other.append(pair)
    print(f"\ncontested {len(pairs)}: {len(pairs) - len(other)} follow our choices")
    list_by_class("contested rows that do not", other)


def check_ignored(path: Path) -> int:
    wrong, total = 0, 0
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        if not line:
            continue
        action, kind, url, note = line.split("\t")[:4]
        total += 1
        if not is_as_asked(action, url, note):
            wrong += 1
            print(f"  {kind}: {action} {url} ({note}) -> {canonicalise(url)}")
    print(f"{total - wrong} of {total} as asked")
    return 1 if wrong else 0


def is_as_asked(action: str, url: str, note: str) -> bool:
    key = key_of(url)
    if action == "ignore" or "ignore wins" in note:
        return key is None
    if action == "keep":
        return key is not None
    return key is not None and key == key_of("https://" + note.removeprefix("-> "))


def read_urls(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return lines.read().split("\n")[:-1]


def trivial(url: str) -> str:
    """What is left when only scheme, www, slash and fragment are taken off."""
    text = re.sub(r"^https?://(?:www\.)?", "", url.partition("#")[0], flags=re.IGNORECASE)
    return text.rstrip("/")


def review(path: Path, out: Path | None) -> int:
    urls = read_urls(path)
    groups: dict[str, list[str]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    unstable = []
    for url in urls:
        answer = canonicalise(url)
        if isinstance(answer, Ignored):
            reasons[answer.reason] += 1
            continue
        groups[answer.key].append(url)
        if key_of("https://" + answer.key) != answer.key:
            unstable.append((url, answer.key, canonicalise("https://" + answer.key)))
        if host_of(answer.key) != answer.host:
            unstable.append((url, answer.key, answer.host))
    merges = {key: group for key, group in groups.items() if len({trivial(u) for u in group}) > 1}
    print(f"{len(urls)} URLs, {len(groups)} keys, {sum(reasons.values())} ignored, no exception")
    print(f"not idempotent: {len(unstable)}")
    for case in unstable[:20]:
        print("  ", *case)
    print(f"merges that are not just scheme, www, slash, fragment: {len(merges)}")
    for reason, count in reasons.most_common():
        print(f"  ignored {count:5} {reason}")
    if out is not None:
        write_review(out, merges)
    return 1 if unstable else 0


def write_review(out: Path, merges: dict[str, list[str]]) -> None:
    with out.open("w", encoding="utf-8") as text:
        for key, group in sorted(merges.items()):
            rules = sorted({rule_of(url) for url in group})
            text.write(f"{key}  [{', '.join(rules)}]\n")
            text.writelines(f"    {url}\n" for url in group)
    print(f"written to {out}")


def rule_of(url: str) -> str:
    answer = canonicalise(url)
    return answer.rule if isinstance(answer, Canonical) else answer.reason


def rate(urls: list[str]) -> float:
    """URLs a second of one core: processor time, so that other work does not count."""
    start = time.process_time()
    for url in urls:
        canonicalise(url)
    return len(urls) / (time.process_time() - start)


def measure(path: Path) -> int:
    urls = read_urls(path)
    print(f"first pass   {rate(urls):9,.0f} URLs/s (every host and pattern seen anew)")
    print(f"second pass  {rate(urls):9,.0f} URLs/s")
    spans = []
    for url in urls:
        start = time.perf_counter()
        canonicalise(url)
        spans.append((time.perf_counter() - start) * 1e6)
    spans.sort()
    p50, p99 = spans[len(spans) // 2], spans[len(spans) * 99 // 100]
    print(f"one URL      p50 {p50:.1f} us, p99 {p99:.1f} us")
    print(f"import       {import_milliseconds():.1f} ms over a bare interpreter (best of 25)")
    return 0


def import_milliseconds() -> float:
    """Best of many fresh interpreters with compiled modules, in processor time."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        quickest_start("import gemsearch.core.canonical", environment, 1)
        loaded = quickest_start("import gemsearch.core.canonical", environment, 25)
        return (loaded - quickest_start("pass", environment, 25)) * 1e3


def quickest_start(statement: str, environment: dict[str, str], times: int) -> float:
    root = Path(__file__).resolve().parents[1]
    spans = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True, cwd=root, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spans.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spans)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("urls", nargs="*", metavar="URL")
    parser.add_argument("--pairs", type=Path, metavar="FILE")
    parser.add_argument("--ignore", type=Path, metavar="FILE")
    parser.add_argument("--natural", type=Path, metavar="FILE.gz")
    parser.add_argument("--review", type=Path, metavar="OUT")
    parser.add_argument("--speed", type=Path, metavar="FILE.gz")
    asked = parser.parse_args()
    if asked.pairs:
        return score(asked.pairs)
    if asked.ignore:
        return check_ignored(asked.ignore)
    if asked.natural:
        return review(asked.natural, asked.review)
    if asked.speed:
        return measure(asked.speed)
    return show(asked.urls)


if __name__ == "__main__":
    sys.exit(main())
