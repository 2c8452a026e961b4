"""Where the plugin's own pages are: below each ledger's database, under `-/gemsearch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gemsearch.datasette_plugin.site import Site

STYLE = "/-/gemsearch/gemsearch.css"


class Addresses(NamedTuple):
    """Addresses within one ledger, with the site's base_url."""

    site: Site
    database: str

    @property
    def overview(self) -> str:
        return f"{self.site.urls.database(self.database)}/-/gemsearch"

    @property
    def explain(self) -> str:
        return f"{self.overview}/explain"

    def gem(self, number: object) -> str:
        return f"{self.overview}/gem/{number}"

    def rejection(self, number: object) -> str:
        return f"{self.overview}/rejection/{number}"

    def source(self, number: object) -> str:
        return f"{self.table('urls')}/{number}"

    def table(self, name: str) -> str:
        return str(self.site.urls.table(self.database, name))

    def query(self, name: str) -> str:
        return f"{self.site.urls.database(self.database)}/{name}"

    def of(self, kind: str, number: object) -> str | None:
        """The page of one gem, rejection or source."""
        if not isinstance(number, int):
            return None
        pages = {"gem": self.gem, "rejection": self.rejection, "source": self.source}
        return pages[kind](number)
