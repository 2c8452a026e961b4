"""Repeats refused against new topics refused, for single measures of likeness at every threshold.

Draws docs/images/tradeoff.svg and prints a table of what each measure reaches at equal error.
Needs numpy, scipy and matplotlib; the data are those of docs/judgement.md. The points of the
profiles are given as NAME=REPEATS,NEW in percent, as `gemsearch eval` prints them.

    python bench/tradeoff.py DATA/query_variations.tsv DATA/novel_queries.tsv \
        strict=27.5,0.12 guarded=42,0.22 published=41,1.43
"""

from __future__ import annotations

import hashlib
import math
import random
import sys
from collections import Counter, defaultdict

import numpy as np
from scipy import sparse

from gemsearch.core.contrast import contrast
from gemsearch.core.signature import EXACT, STOP_WORDS, content_words, signature
from gemsearch.core.weights import Weights, stem, stems
from gemsearch.evaluation import labelled

LEFT_OUT = ("cqadupstack-english", "mq")
SHUFFLES = 4
SIZE = 5000
LIMITS = (0.10, 0.25, 0.50)
ROWS = 500


def incidence(sets):
    numbers = defaultdict(lambda: len(numbers))
    cells = [(row, numbers[word]) for row, words in enumerate(sets) for word in sorted(words)]
    rows, columns = zip(*cells, strict=True)
    shape = (len(sets), len(numbers))
    return sparse.csr_matrix((np.ones(len(cells)), (rows, columns)), shape), list(numbers)


def by_overlap(sets, weight, *, of_smaller=False):
    """Weight in common, of that of both sets or of the smaller one."""
    has, words = incidence(sets)
    weights = np.array([weight(word) for word in words])
    weighted, mass = has.multiply(weights).tocsr(), has @ weights
    for start in range(0, len(sets), ROWS):
        common = (weighted[start : start + ROWS] @ has.T).toarray()
        some, others = mass[start : start + ROWS, None], mass[None, :]
        whole = np.minimum(some, others) if of_smaller else some + others - common
        yield start, common / np.maximum(whole, 1e-9)


def hashed(text):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def by_simhash(sets):
    """1 - distance / 64 of 64-bit SimHashes."""
    bits = np.array([simhash_bits(words) for words in sets], dtype=np.float32)
    signs = 2 * bits - 1
    for start in range(0, len(sets), ROWS):
        yield start, (signs[start : start + ROWS] @ signs.T / 64 + 1) / 2


def simhash_bits(words):
    codes = [hashed(word) for word in words]
    return [2 * sum(code >> bit & 1 for code in codes) >= len(codes) for bit in range(64)]


def by_minhash(sets, permutations=64):
    chance = np.random.default_rng(0)
    prime = (1 << 31) - 1
    a, b = chance.integers(1, prime, (2, permutations), dtype=np.uint64)
    rows = [
        ((np.array([hashed(s) % prime for s in sorted(words)], np.uint64)[:, None] * a + b) % prime)
        for words in sets
    ]
    signatures = np.array([row.min(0) for row in rows], np.uint32)
    for start in range(0, len(sets), ROWS):
        block = signatures[start : start + ROWS]
        equal = np.zeros((len(block), len(sets)), np.uint8)
        for k in range(permutations):
            equal += block[:, k, None] == signatures[None, :, k]
        yield start, equal / permutations


def grams(text, length):
    padded = f" {text} "
    return {padded[at : at + length] for at in range(max(1, len(padded) - length + 1))}


def pairs_above(blocks, least):
    found = []
    for start, likeness in blocks:
        rows, columns = np.nonzero(likeness >= least - 1e-9)
        keep = rows + start < columns
        found += zip(
            (rows[keep] + start).tolist(),
            columns[keep].tolist(),
            likeness[rows[keep], columns[keep]].tolist(),
            strict=True,
        )
    return found


def figures(queries, pairs):
    """(percent of repeats refused, percent of new topics refused at SIZE gems)."""
    near = defaultdict(list)
    for one, other, _ in pairs:
        near[one].append(other)
        near[other].append(one)
    repeats, wrong = [0, 0], [0, 0]
    for seed in range(SHUFFLES):
        order = list(range(len(queries)))
        random.Random(seed).shuffle(order)
        propose(order, queries, near, repeats, wrong)
    return 100 * repeats[0] / repeats[1], 100 * wrong[0] / wrong[1]


def propose(order, queries, near, repeats, wrong):
    recorded, labels = set(), set()
    for place in order:
        label = queries[place].label
        hits = [other for other in near[place] if other in recorded]
        if label in labels:
            repeats[0] += any(queries[other].label == label for other in hits)
            repeats[1] += 1
        elif abs(len(recorded) - SIZE) <= SIZE / 4:
            wrong[0] += bool(hits)
            wrong[1] += 1
        labels.add(label)
        if not hits:
            recorded.add(place)


def measures(queries):
    """Name, blocks of likeness, thresholds; whether contrasts are heeded."""
    signed = [signature(query.text, EXACT) for query in queries]
    words = [frozenset(text.split(" ")) for text in signed]
    stemmed = [stems(text) for text in signed]
    content = [content_words(each) for each in words]
    counts = Counter(word for each in content for word in each)
    weights = Weights(len(queries), Counter(word for each in stemmed for word in each))

    def idf(word):
        return math.log((len(queries) + 1) / (counts[word] + 0.5))

    def one(_):
        return 1.0

    fine = [n / 50 for n in range(20, 46)]
    yield "overlap of weighted stems, contrasts", by_overlap(stemmed, weights.of), fine, True
    yield "overlap of weighted stems", by_overlap(stemmed, weights.of), fine, False
    yield "the same, table alone", by_overlap(stemmed, Weights().of), fine, False
    silent = frozenset(map(stem, STOP_WORDS))
    yield (
        "the same, stop words weigh nothing",
        by_overlap(stemmed, lambda word: 0 if word in silent else weights.of(word)),
        fine,
        False,
    )
    yield "IDF-Jaccard alone", by_overlap(content, idf), fine, False
    yield "Jaccard of words", by_overlap(content, one), fine, False
    contained = by_overlap(content, one, of_smaller=True)
    yield "containment", contained, [0.7, 0.75, 0.8, 0.9, 1], False
    weighty = by_overlap(stemmed, weights.of, of_smaller=True)
    yield "containment by weight, contrasts", weighty, [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1], True
    four = [grams(text, 4) for text in signed]
    yield "Jaccard of 4-grams", by_overlap(four, one), fine, False
    yield "MinHash of 4-grams, 64", by_minhash(four), fine, False
    yield "SimHash of words, 64 bits", by_simhash(content), [1 - n / 64 for n in range(13)], False


def curve(queries, blocks, thresholds, heeded):
    pairs = pairs_above(blocks, min(thresholds))
    if heeded:
        words = [frozenset(signature(query.text, EXACT).split(" ")) for query in queries]
        pairs = [pair for pair in pairs if not contrast(words[pair[0]], words[pair[1]])]
    points = []
    for threshold in sorted(thresholds, reverse=True):
        kept = [pair for pair in pairs if pair[2] >= threshold - 1e-9]
        points.append((threshold, *figures(queries, kept)))
    return points


def best(points, limit):
    reached = [(repeats, threshold) for threshold, repeats, wrong in points if wrong <= limit]
    return f"{max(reached)[0]:5.1f} ({max(reached)[1]:.2f})" if reached else "    -"


def draw(curves, profiles, path):
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["svg.hashsalt"] = "gemsearch"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5))
    for name, points in curves.items():
        axes.plot([p[2] for p in points], [p[1] for p in points], label=name, linewidth=1)
    for name, (repeats, wrong) in profiles.items():
        axes.plot([wrong], [repeats], "ko")
        axes.annotate(name, (wrong, repeats), textcoords="offset points", xytext=(6, -12))
    axes.set(xlim=(0, 1.6), ylim=(0, 60))
    axes.set_xlabel("new topics refused at 5,000 gems, percent")
    axes.set_ylabel("true repeats refused, percent")
    axes.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def main(repeats, novel, *given):
    streams = labelled.novel(novel, LEFT_OUT)
    queries = [*labelled.repeats(repeats), *(query for each in streams.values() for query in each)]
    points = {name: text.split(",") for name, _, text in (each.partition("=") for each in given)}
    curves = {}
    print(f"repeats refused in percent (threshold) at new topics refused of at most {LIMITS}")
    for name, blocks, thresholds, heeded in measures(queries):
        curves[name] = curve(queries, blocks, thresholds, heeded)
        print(f"{name:38}", *(best(curves[name], limit) for limit in LIMITS), flush=True)
    profiles = {name: tuple(map(float, text)) for name, text in points.items()}
    draw(curves, profiles, "docs/images/tradeoff.svg")


if __name__ == "__main__":
    main(*sys.argv[1:])
