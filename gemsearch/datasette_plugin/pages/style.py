"""The style sheet, served from a route of our own.

Datasette's address for a plugin's static files depends on how the plugin was loaded.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

_FOLDER = "static"


@cache
def _css() -> str:
    folder = resources.files("gemsearch.datasette_plugin").joinpath(_FOLDER)
    return folder.joinpath("gemsearch.css").read_text("utf-8")


STYLE_VERSION = sha256(_css().encode()).hexdigest()[:8]


async def style() -> Any:  # noqa: ANN401 - Datasette's Response is not typed
    from datasette import Response

    headers = {"cache-control": "max-age=604800"}
    return Response(_css(), content_type="text/css; charset=utf-8", headers=headers)
