"""Makes gemsearch/core/words.txt: how often words occur in English, technical and general.

Counted are the sentences of texts that may be used for this: on the technical side manual pages,
descriptions of Debian packages, the documentation under /usr/share/doc and of CMake, Node and Rust,
and the docstrings of Python's standard library; on the general side the definitions and examples of
WordNet 3.0 (Princeton University, whose licence permits any use; Debian's package wordnet-base).
Both sides weigh the same. No text is kept: a line is a word without its ending and -100 times the
natural logarithm of the share of sentences that have it.

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    python tools/make_word_table.py wordnet/usr/share/wordnet > gemsearch/core/words.txt
"""

from __future__ import annotations

import ast
import glob
import gzip
import html
import math
import os
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gemsearch.core.weights import stem

_MOST_BYTES = 190_000
_RAREST = 1150  # -100 ln(1e-5): rarer words are as rare as unknown ones

_MANUALS = "/usr/share/man/man*/*"
_DOCUMENTS = (
    "/usr/share/doc/**/README*",
    "/usr/share/doc/**/*.md",
    "/usr/share/doc/**/*.txt",
    "/usr/share/doc/**/*.html",
    "/usr/share/doc/**/copyright",
    "/usr/share/info/*.gz",
    "/usr/share/cmake-*/Help/**/*.rst",
    "/usr/lib/node_modules/**/*.md",
    "~/.rustup/toolchains/stable-*/share/doc/rust/html/*book/**/*.html",
    "~/.rustup/toolchains/stable-*/share/doc/rust/html/rust-by-example/**/*.html",
)
_LIBRARY = os.path.join(sysconfig.get_paths()["stdlib"], "**", "*.py")

_MARKUP = re.compile(
    r"<(script|style|pre)\b.*?</\1>|<[^>]*>|^[.'].?\\\".*$|^\.[A-Za-z]{1,2}\b|\\f[A-Z(]\w?|\\[-&e]",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;]\s|\n\s*\n|\n\s*[-*]|[|{}]")
_WORD = re.compile(r"[^\W\d_]{2,20}")
_LONGEST_FILE = 3_000_000
_MOST_A_DOCUMENT = 5


if TYPE_CHECKING:
    from collections.abc import Iterator

Sentences = Iterable[str]


def technical() -> Iterator[Sentences]:
    """Documents as lists of sentences."""
    yield from ([line] for line in _packages())
    for pattern in (_MANUALS, *_DOCUMENTS):
        for path in sorted(glob.iglob(os.path.expanduser(pattern), recursive=True)):
            if os.path.isfile(path) and not _repeats_itself(path):
                yield _SENTENCE_END.split(_MARKUP.sub(" ", html.unescape(_read(path))))
    for path in sorted(glob.iglob(_LIBRARY, recursive=True)):
        if "site-packages" not in path:
            yield _SENTENCE_END.split("\n\n".join(_docstrings(_read(path))))


def general(folder: str) -> Iterator[Sentences]:
    """WordNet's definitions and examples: what stands after the bar of each line."""
    for name in ("noun", "verb", "adj", "adv"):
        for line in _read(os.path.join(folder, f"data.{name}")).splitlines():
            yield line.partition(" | ")[2].split(";")


def _repeats_itself(path: str) -> bool:
    name = os.path.basename(path).casefold()
    return name.startswith(("gcloud", "changelog")) or os.path.getsize(path) > _LONGEST_FILE


def _packages() -> Iterator[str]:
    for line in _output("apt-cache", "dumpavail").splitlines():
        if line.startswith("Description: "):
            yield line.partition(": ")[2]
    yield from _SENTENCE_END.split(_output("dpkg-query", "-W", "-f", "${Description}\n\n"))


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _read(path: str) -> str:
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")  # noqa: SIM115
    with opened as file:
        return file.read().decode("utf-8", "replace")


def _docstrings(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def shares(documents: Iterable[Sentences]) -> Counter[str]:
    """The share of the distinct sentences that have each word; a document adds few of a word."""
    seen: set[int] = set()
    counts: Counter[str] = Counter()
    for document in documents:
        here: Counter[str] = Counter()
        for sentence in document:
            words = _WORD.findall(sentence.casefold())
            mark = hash(tuple(words))
            if len(words) > 1 and mark not in seen:
                seen.add(mark)
                here.update(set(words))
        counts.update({word: min(count, _MOST_A_DOCUMENT) for word, count in here.items()})
    return Counter({word: count / len(seen) for word, count in counts.items()})


def table(sides: Iterable[Counter[str]]) -> list[str]:
    """The most frequent words, as many as fit, in alphabetical order."""
    together: Counter[str] = Counter()
    for side in sides:
        for word, share in side.items():
            if word.isascii():
                together[stem(word)] += share / 2
    lines, size = [], 0
    for word, share in together.most_common():
        line = f"{word} {round(-100 * math.log(min(1.0, share)))}"
        size += len(line) + 1
        if size > _MOST_BYTES or share < math.exp(-_RAREST / 100):
            break
        lines.append(line)
    return sorted(lines)


if __name__ == "__main__":
    print("\n".join(table([shares(general(sys.argv[1])), shares(technical())])))
