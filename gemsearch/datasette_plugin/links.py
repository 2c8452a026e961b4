"""Links to the plugin's pages, for Datasette's menus and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.datasette_plugin.addresses import Addresses
from gemsearch.datasette_plugin.served import known
from gemsearch.datasette_plugin.site import may_see

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.datasette_plugin.served import Served
    from gemsearch.datasette_plugin.site import Actor, Site

_ASK = "Would this be refused?"


class Link(NamedTuple):
    label: str
    href: str
    description: str

    def in_menu(self) -> dict[str, str]:
        return {"label": self.label, "href": self.href}

    def in_actions(self) -> dict[str, str]:
        return self._asdict()


def of_ledger(site: Site, ledger: Served, *, named: bool = False) -> list[Link]:
    """The pages of one ledger; `named` where several are listed together."""
    at = Addresses(site, ledger.name)
    name = f"{ledger.name}: " if named else ""
    links = [Link(f"{name}Overview of the ledger", at.overview, "Counts, charts, what recurs")]
    if ledger.live:
        said = "What the query gate would say of a topic now"
        links.append(Link(f"{name}{_ASK}", at.explain, said))
    return links


async def of_menu(site: Site, actor: Actor) -> list[Link]:
    """The pages of every ledger that the visitor may see."""
    seen = [one for one in known(site) if await may_see(site, actor, one.name)]
    return [link for ledger in seen for link in of_ledger(site, ledger, named=len(seen) > 1)]


def of_table(site: Site, ledger: Served, table: str) -> list[Link]:
    """The questions that a table answers, before the ledger's own pages."""
    at = Addresses(site, ledger.name)
    asked = [
        Link(query.title, at.query(query.name), query.description)
        for query, _ in ledger.queries
        if query.name in _QUESTIONS.get(table, ())
    ]
    return [*asked, *of_ledger(site, ledger)]


def of_row(site: Site, ledger: Served, table: str, row: Mapping[str, object]) -> list[Link]:
    at = Addresses(site, ledger.name)
    if table == "gems":
        said = "Its results, the topics it refused, gems that share its sources"
        return [Link("Page of this gem", at.gem(row["id"]), said)]
    if table == "rejections":
        said = "Both topics side by side, the signal and what it saw"
        return [Link("Page of this refusal", at.rejection(row["id"]), said)]
    return []


_QUESTIONS = {
    "gems": ("gems_that_refuse_most", "missed_duplicates", "recent_gems"),
    "rejections": (
        "why_refused",
        "rejections_by_signal",
        "near_threshold",
        "possible_false_refusals",
        "refused_again_and_again",
    ),
    "urls": ("sources_that_recur", "same_content_new_urls"),
}
