"""JSON with comments as text that is edited in place.

Where things stand in the text is found by a parser of our own, because every library that keeps
comments writes the whole text anew. Comments and trailing commas are read in every file: an agent
that does not allow them says so itself.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

OBJECT, ARRAY, SCALAR = "object", "array", "scalar"
DEEPEST = 64
_TOKEN = re.compile(
    r'(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r"|(?P<word>-?[0-9][0-9.eE+-]*|true|false|null)"
    r"|(?P<mark>[{}\[\],:])"
)
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)


class NotJson(ValueError):
    """`line` and `column` count from 1."""

    def __init__(self, message: str, text: str, place: int) -> None:
        self.line = text.count("\n", 0, place) + 1
        self.column = place - (text.rfind("\n", 0, place) + 1) + 1
        super().__init__(f"{message}, line {self.line}, column {self.column}")


class Member(NamedTuple):
    """One member of an object, or one element of an array, whose key is ""."""

    key: str
    start: int  # of the key, or of the element
    node: Node
    comma: int  # where the comma after it stands, -1 when there is none

    @property
    def end(self) -> int:
        """Just after the member and its comma."""
        return self.comma + 1 if self.comma >= 0 else self.node.end


class Node(NamedTuple):
    """A value and where it stands in the text: `text[start:end]`."""

    kind: str
    start: int
    end: int
    value: object
    members: tuple[Member, ...] = ()

    def get(self, key: str) -> Node | None:
        """The last member of that name, as JavaScript would read it."""
        found = [member.node for member in self.members if member.key == key]
        return found[-1] if found and self.kind == OBJECT else None


def parse(text: str) -> Node:
    """The root of a text. Raises NotJson."""
    start = _after_trivia(text, 0)
    node = _node(text, start, 0)
    rest = _after_trivia(text, node.end)
    if rest != len(text):
        raise NotJson("something follows the end", text, rest)
    return node


def appended(text: str, container: Node, key: str, value: object) -> str:
    """The text with a member, or an element of an array, after all others of `container`."""
    style = _Style.of(text, container)
    entry = style.entry(key if container.kind == OBJECT else None, value)
    if not container.members:
        inner = text[container.start + 1 : container.end - 1].rstrip()
        return _spliced(
            text, container.start + 1, container.end - 1, f"{inner}{entry}{style.closing}"
        )
    last = container.members[-1]
    place = _after_comments(text, last.end, container.end - 1)
    if last.comma >= 0:
        return _spliced(text, place, place, f"{entry},")
    with_entry = _spliced(text, place, place, entry)
    return _spliced(with_entry, last.node.end, last.node.end, ",")


def removed(text: str, container: Node, index: int) -> str:
    """The text without one member: what `appended` would have begun with."""
    member = container.members[index]
    before = container.members[index - 1].end if index else container.start + 1
    start = _after_comments(text, before, member.start)
    kept, rest = text[:start], text[member.end :]
    if (
        len(container.members) == 1
        and not (kept[before:] + text[member.end : container.end - 1]).strip()
    ):
        return text[:before] + text[container.end - 1 :]
    is_last = index == len(container.members) - 1
    if is_last and index and member.comma < 0:
        comma = container.members[index - 1].comma
        kept = _spliced(kept, comma, comma + 1, "")
    return kept + _line_end_after(text[before:start], rest, text) + rest


def _line_end_after(trivia: str, rest: str, text: str) -> str:
    """What must stand after a line's comment, or it would run on."""
    comments = re.findall(r"//[^\r\n]*|/\*.*?\*/", trivia, re.DOTALL)
    if not comments or comments[-1].startswith("/*") or re.match(r"[ \t]*\r?\n", rest):
        return ""
    return _line_end(text)


class _Style(NamedTuple):
    """How a container writes its members."""

    gap: str  # what stands before a member
    closing: str  # what stands before the closing bracket of a container that was empty
    indent: str | None  # None: everything on one line
    line_end: str
    margin: str

    @classmethod
    def of(cls, text: str, container: Node) -> _Style:
        line_end = _line_end(text)
        if _is_on_one_line(text, container):
            return cls(" " if container.members else "", "", None, line_end, "")
        unit = indentation(text)
        margin = _margin(text, container.start)
        within = margin + unit
        if container.members and _starts_its_line(text, container.members[-1].start):
            within = _margin(text, container.members[-1].start)
        return cls(f"{line_end}{within}", f"{line_end}{margin}", unit, line_end, within)

    def entry(self, key: str | None, value: object) -> str:
        written = json.dumps(value, ensure_ascii=False, indent=self.indent)
        if self.indent is not None:
            written = written.replace("\n", f"{self.line_end}{self.margin}")
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        return f"{self.gap}{name}{written}"


def indentation(text: str) -> str:
    """One step of the text's indentation: what stands before its first indented member."""
    found = re.search(r'[{\[][ \t]*\r?\n([ \t]+)["{\[\w-]', text)
    if not found:
        return "  "
    outer = _margin(text, found.start())
    step = found[1]
    return step[len(outer) :] if step.startswith(outer) and step != outer else step


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_on_one_line(text: str, container: Node) -> bool:
    """Whether new members go on the same line: the whole text does so, or this container does."""
    if container.members:
        return "\n" not in text[container.start : container.end]
    return "\n" not in text.strip() and text.strip() != "{}"


def _starts_its_line(text: str, place: int) -> bool:
    return not text[text.rfind("\n", 0, place) + 1 : place].strip(" \t")


def _margin(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _spliced(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


def _after_comments(text: str, start: int, end: int) -> int:
    """After the last comment between two places, or `start`."""
    return start + len(text[start:end].rstrip(" \t\r\n"))


def _after_trivia(text: str, place: int) -> int:
    found = _TRIVIA.match(text, place)
    end = found.end() if found else place
    if text.startswith("/*", end):
        raise NotJson("a comment has no end", text, end)
    return end


def _node(text: str, place: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise NotJson(f"nested more than {DEEPEST} deep", text, place)
    token = _TOKEN.match(text, place)
    if token is None:
        raise NotJson("a value is expected", text, place)
    if token["mark"] in {"{", "["}:
        return _container(text, place, depth, token[0])
    if token["mark"]:
        raise NotJson(f"a value is expected, not `{token[0]}`", text, place)
    try:
        return Node(SCALAR, place, token.end(), json.loads(token[0]))
    except ValueError:
        raise NotJson("a value is expected", text, place) from None


def _container(text: str, place: int, depth: int, opening: str) -> Node:
    kind, closing = (OBJECT, "}") if opening == "{" else (ARRAY, "]")
    members: list[Member] = []
    at = _after_trivia(text, place + 1)
    while not text.startswith(closing, at):
        if members and members[-1].comma < 0:
            raise NotJson(f"`,` or `{closing}` is expected", text, at)
        member = _member(text, at, depth + 1, keyed=kind == OBJECT)
        members.append(member)
        at = _after_trivia(text, member.end)
    value = (
        {member.key: member.node.value for member in members}
        if kind == OBJECT
        else [member.node.value for member in members]
    )
    return Node(kind, place, at + 1, value, tuple(members))


def _member(text: str, place: int, depth: int, *, keyed: bool) -> Member:
    key, at = "", place
    if keyed:
        name = _TOKEN.match(text, place)
        if name is None or not name["string"]:
            raise NotJson("a name in double quotes is expected", text, place)
        key = str(_node(text, place, depth).value)
        at = _after_trivia(text, name.end())
        if not text.startswith(":", at):
            raise NotJson("`:` is expected", text, at)
        at = _after_trivia(text, at + 1)
    node = _node(text, at, depth)
    after = _after_trivia(text, node.end)
    return Member(key, place, node, after if text.startswith(",", after) else -1)
