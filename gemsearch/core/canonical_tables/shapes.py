"""The shapes of the rules."""

from __future__ import annotations

from typing import NamedTuple


class IgnoreRule(NamedTuple):
    """A page that is no source. `params` must all be there; `example` is one, `kept` is not."""

    reason: str
    hosts: str
    path: str
    why: str
    example: str
    kept: str
    params: str = ""
    marker: str = ""


class Wrapper(NamedTuple):
    """A redirector or public cache: `take` says where the address of the document stands.

    `query:a,b` the first of these parameters; `search` the whole query; `rest` the group `url` of
    the path, with query and fragment; `bare:a` also without a scheme; `local:a` a path on the
    same host; other words name a way of their own (see the unwrap step).
    """

    hosts: str
    path: str
    take: str
    why: str
    example: str
    target: str
    kept: str
    marker: str = ""


class SiteRule(NamedTuple):
    """Forms of one document on one site, bound to a path.

    `path` is a pattern for the whole path without a trailing slash. `key` is a template over its
    groups, the required `params` (`name=pattern`, space-separated) and `{host}`; empty means that
    host and path stay. `drop` names the parameters that never name a document here (`name`,
    `name=value`, or `*` for all that are left); the others stay.
    """

    name: str
    hosts: str
    path: str
    key: str
    why: str
    same: tuple[str, str]
    apart: tuple[str, str]
    params: str = ""
    drop: str = ""
    marker: str = ""


class HostAlias(NamedTuple):
    """A host that serves the pages of another; with a leading dot every host below it."""

    host: str
    target: str
    why: str
    same: tuple[str, str]
    apart: tuple[str, str]


class Tracker(NamedTuple):
    """A parameter that tells where a reader came from. `shape` limits it to certain values."""

    name: str
    why: str
    shape: str = ""
