"""All site rules. Within one host the first that matches decides."""

from __future__ import annotations

from gemsearch.core.canonical_tables.sites_code import CODE
from gemsearch.core.canonical_tables.sites_docs import DOCUMENTS
from gemsearch.core.canonical_tables.sites_forums import FORUMS
from gemsearch.core.canonical_tables.sites_media import MEDIA
from gemsearch.core.canonical_tables.sites_packages import PACKAGES
from gemsearch.core.canonical_tables.sites_papers import PAPERS
from gemsearch.core.canonical_tables.sites_shops import SHOPS

SITES = (*PAPERS, *CODE, *PACKAGES, *FORUMS, *MEDIA, *DOCUMENTS, *SHOPS)
