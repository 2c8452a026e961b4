"""The path: one spelling, and the endings that servers treat as the same page."""

from __future__ import annotations

import re

from gemsearch.core.canonical_steps.parse import unescape
from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_steps.text import spell_path

# Nothing to respell: no percent, dot segment, double slash, path parameter, session segment.
_CLEAN = re.compile(r"(?:/[A-Za-z0-9_~!$')*+,=:@-][A-Za-z0-9_~!$'()*+,=:@.-]*)*/?")
_DOT = r"(?:\.|%2[eE]){1,2}"
_SLASHES = r"//+"
_SESSION = r"(?i);(?:jsessionid|phpsessid)=[^/;]*"
# ASP.NET without cookies writes the session as a segment: /(S(24 letters and digits))/
_ASP_SESSION = r"/\((?:[A-Za-z]\([a-z0-9]{24}\))+\)(?=/)"
_GOOGLE_TAIL = r"&(?:usg|ved|sa)=.*$"
_INDEX = frozenset(
    f"{stem}.{ending}"
    for stem in ("index", "default")
    for ending in "html htm xhtml shtml php php3 php5 asp aspx jsp jspx cfm".split()
) - {"default.php", "default.php3", "default.php5"}


def spell(path: str) -> str:
    """Give a path its one spelling, without a trailing slash ("" is the root)."""
    if _CLEAN.fullmatch(path) is None:
        path = _respell(path)
    return path.rstrip("/")


def _respell(path: str) -> str:
    path = unescape(spell_path(_off_dots(path)))
    if ";" in path:
        path = pattern(_SESSION).sub("", path)
    if "/(" in path:
        path = pattern(_ASP_SESSION).sub("", path)
    if "&" in path:
        path = pattern(_GOOGLE_TAIL).sub("", path)
    if "//" in path and "://" not in path:
        path = pattern(_SLASHES).sub("/", path)
    return path


def _off_dots(path: str) -> str:
    """Resolve `.` and `..`, also written `%2e`. Source: WHATWG URL Standard, path state."""
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for place, segment in enumerate(segments):
        dots = pattern(_DOT).fullmatch(segment)
        if dots is None:
            kept.append(segment)
            continue
        if len(segment.lower().replace("%2e", ".")) == 2 and kept:
            kept.pop()
        if place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def off_endings(path: str) -> str:
    """Take off index file, `.html` and AMP endings until none is left; the root is ""."""
    while True:
        shorter = _off_one_ending(path).rstrip("/")
        if shorter == path:
            return path
        path = shorter


def _off_one_ending(path: str) -> str:
    folder, _, name = path.rpartition("/")
    if "." in name:
        return _off_suffix(path, folder, name)
    if name == "amp" and _is_story(folder):
        return folder
    if path.startswith("/amp/") and _is_amp_prefixed(path):
        return path[4:]
    return path


def _off_suffix(path: str, folder: str, name: str) -> str:
    if name.lower() in _INDEX:
        return folder
    stem, _, ending = name.rpartition(".")
    if ending.lower() in {"html", "htm"} and stem:
        if stem.endswith(".amp") and len(stem) > 4:
            stem = stem[:-4]
        return f"{folder}/{stem}"
    if ending == "amp" and "-" in stem:
        return f"{folder}/{stem}"
    if path.startswith("/amp/") and _is_amp_prefixed(path):
        return path[4:]
    return path


def _is_story(folder: str) -> bool:
    """A slug with a hyphen or a deep path: `/guitar/amp` is a page about an amplifier."""
    return "-" in folder.rpartition("/")[2] or folder.count("/") >= 3


def _is_amp_prefixed(path: str) -> bool:
    """`/amp/section/some-slug`: a section and a slug follow, or it is a page about AMP."""
    return path.count("/") >= 3 and "-" in path.rpartition("/")[2]
