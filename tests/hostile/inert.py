"""What no output may hold, written down apart from the code that removes it."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from functools import cache

from tests.hostile.corpus import FORGED

# From Unicode's DerivedCoreProperties.
DEFAULT_IGNORABLE = {
    *(0x00AD, 0x034F, 0x061C, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x115F, 0x1161),
    *range(0x17B4, 0x17B6),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
}
BLANK = {0x2800, 0x1D159, 0x16FE4}
# Format characters that are drawn: number signs of Arabic, Syriac and Kaithi.
DRAWN = {*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD}
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@cache
def is_forbidden(char):
    code = ord(char)
    if code in DEFAULT_IGNORABLE or code in BLANK:
        return True
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return True
    category = unicodedata.category(char)
    if category == "Cf":
        return code not in DRAWN
    return category in {"Cc", "Cs", "Co", "Zl", "Zp"} or (category == "Zs" and char != " ")


def alarms(text):
    """What is wrong with an output: nothing, for one that only a person can act upon."""
    found = [
        f"U+{ord(char):04X}" for char in sorted(set(text)) if char != "\n" and is_forbidden(char)
    ]
    lines = text.split("\n")
    if text.splitlines() != (lines[:-1] if lines[-1] == "" else lines):
        found.append("a line that only some readers see")
    return found + [f"forged: {line[:60]}" for line in lines if is_forged(line)]


def is_forged(line):
    """Does a line begin as one of ours would? Blanks may have been folded."""
    return not line.startswith(" ") and " ".join(line[:100].split()).startswith(PRETENDED)


PRETENDED = tuple(" ".join(text.split()) for text in FORGED)


def as_json(text):
    """The value, of JSON that stays ASCII and has no words of JavaScript's."""
    assert text.isascii()
    return json.loads(text, parse_constant=_no_constant)


def as_csv(text):
    """The rows, of CSV in which a spreadsheet finds nothing to run."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == text.count("\r\n"), "a cell with a line of its own"
    for row in rows:
        for cell in row:
            assert not cell.startswith(FORMULA) or _is_number(cell), cell[:60]
            assert not [part for part in cell.split(";")[1:] if part.lstrip().startswith(FORMULA)]
    return rows


def texts_in(value):
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _no_constant(word):
    raise AssertionError(f"{word} is no JSON")
