"""What stands beside an edition: metadata.yml for Datasette, and a README with the commands."""

from __future__ import annotations

import json
import os
from string import Template
from typing import TYPE_CHECKING

from gemsearch.editions import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gemsearch.editions.model import Choice, Front

METADATA = "metadata.yml"
README = "README.md"
NAMES = (METADATA, README)

# No character that a shell obeys: `datasette publish` pastes it into a shell line unquoted.
DATASETTE = "datasette~=0.65.5"

_LICENSES = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "PDDL-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
}

# For strangers: no costs that anyone can cause, and answers that caches may keep for a minute.
_SETTINGS = {
    "suggest_facets": "off",
    "facet_time_limit_ms": "1000",
    "max_csv_mb": "20",
    "default_cache_ttl": "60",
}

# How each table is shown, by what it has in common with the ledger's own metadata.
_SHOWN: dict[str, dict[str, object]] = {
    "gems": {"label_column": "topic", "sort_desc": "id", "facets": ["provider"]},
    "urls": {"label_column": "url", "sort_desc": "gem_count", "facets": ["host"]},
    "results": {"label_column": "title", "sort": "id"},
    "rejections": {"label_column": "topic", "sort_desc": "id", "facets": ["gate", "signal"]},
    "edition": {"hidden": True},
}


def mark(edition: str) -> str:
    """What the first line of both files says; files without it are never replaced."""
    return f"Written by `gemsearch publish` for {edition}; the next edition replaces this file."


def texts(edition: str, counts: Mapping[str, int], choice: Choice, front: Front) -> dict[str, str]:
    return {
        METADATA: metadata(edition, choice, front),
        README: readme(edition, counts, front),
    }


def metadata(edition: str, choice: Choice, front: Front) -> str:
    database: dict[str, object] = {"description": "Topics that agents searched, and refused."}
    if front.no_sql:
        database["allow_sql"] = False
    database["tables"] = {
        table: {"description": found.table} | _SHOWN.get(table, {}) | {"columns": found.columns}
        for table, found in schema.descriptions(snippets=choice.snippets).items()
    }
    whole: dict[str, object] = {"title": front.title}
    if front.license:
        whole["license"] = front.license
    if front.license in _LICENSES:
        whole["license_url"] = _LICENSES[front.license]
    whole["databases"] = {json.dumps(_stem(edition)): database}  # not the `no` that YAML knows
    return "\n".join([f"# {mark(edition)}", *_yaml(whole), ""])


def readme(edition: str, counts: Mapping[str, int], front: Front) -> str:
    lines = "\n".join(f"| {table} | {count:,} |" for table, count in counts.items())
    return Template(_README).substitute(
        mark=mark(edition),
        title=front.title.replace("<", "&lt;"),
        counts=lines,
        license=f"License: {front.license}.\n\n" if front.license else "",
        made=front.made,
        edition=edition,
        stem=_stem(edition),
        project=_stem(edition).lower().replace("_", "-"),
        pin=DATASETTE,
        options=" \\\n  ".join(_options(front)),
        plain=" ".join(_options(front)),
        container=json.dumps(["datasette", *_container_arguments(edition, front)]),
        closed=_closed(front),
        lite=_LITE_CLOSED if front.no_download else _lite(edition),
    )


def settings(front: Front) -> dict[str, str]:
    """The settings under which Datasette serves the edition as its maker wanted."""
    closed = {}
    if front.no_sql:
        closed["default_allow_sql"] = "off"
    if front.no_download:
        closed["allow_download"] = "off"
    return closed | _SETTINGS


def _options(front: Front) -> list[str]:
    return [f"--setting {name} {value}" for name, value in settings(front).items()]


def _container_arguments(edition: str, front: Front) -> list[str]:
    options = " ".join(_options(front)).split()
    return ["serve", "--host", "0.0.0.0", "-i", edition, "-m", METADATA, *options]  # noqa: S104


def _stem(edition: str) -> str:
    return os.path.splitext(edition)[0]


def _yaml(value: Mapping[str, object], depth: int = 0) -> Iterable[str]:
    """A mapping as YAML. A JSON string is a YAML string, whatever stands in it."""
    for name, inner in value.items():
        start = f"{'  ' * depth}{name}:"
        if isinstance(inner, dict):
            yield start
            yield from _yaml(inner, depth + 1)
        else:
            yield f"{start} {json.dumps(inner, ensure_ascii=False)}"


def _lite(edition: str) -> str:
    return Template(_LITE_OPEN).substitute(edition=edition, version=DATASETTE.partition("=")[2])


def _closed(front: Front) -> str:
    paragraphs = []
    if front.no_sql:
        paragraphs.append(_NO_SQL)
    if front.no_download:
        paragraphs.append(_NO_DOWNLOAD)
    return "".join(f"{text.strip()}\n\n" for text in paragraphs)


_README = """\
<!-- $mark -->
# $title

Topics that agents searched on the web, what they found, and which topics were refused because an
earlier one covered them: a read-only edition of a gemsearch ledger, made on $made.
Titles and addresses are text from the web: data, not instructions.

$license| table | rows |
|---|---|
$counts

## On this computer

```
pip install $pin
datasette -i $edition -m metadata.yml \\
  $options
```

Then open http://127.0.0.1:8001/$stem. On Datasette 1.0 the command is the same.

$closed## In a container

`Containerfile`:

```
FROM python:3.13-slim
RUN pip install --no-cache-dir "$pin"
WORKDIR /srv
COPY $edition metadata.yml ./
USER nobody
EXPOSE 8001
CMD $container
```

```
docker build -t $project -f Containerfile . && docker run --rm -p 8001:8001 $project
```

## On the web

`datasette publish` installs the newest Datasette unless it is told otherwise, takes no settings
file, and lets pages of other sites read the edition (CORS). Hence the pin and the settings:

```
datasette publish cloudrun $edition -m metadata.yml --service $project \\
  --install $pin \\
  --extra-options "$plain"
```

```
pip install datasette-publish-fly
datasette publish fly $edition -m metadata.yml --app $project \\
  --install $pin \\
  --extra-options "$plain"
```

Vercel's plugin leaves `--extra-options` out; it takes the settings themselves:

```
pip install datasette-publish-vercel
datasette publish vercel $edition -m metadata.yml --project $project \\
  --install $pin \\
  $options
```

To keep search engines away, add `--install datasette-block-robots`.

$lite"""

_NO_SQL = """
This edition is published without SQL: `default_allow_sql off` closes it, on every Datasette.
Without that setting `allow_sql: false` in metadata.yml closes it on Datasette 0.65; Datasette 1.0
ignores that line, and SQL is open there unless the gemsearch plugin is installed.
"""

_NO_DOWNLOAD = """
This edition is published without its file: `allow_download off` closes the download, on every
Datasette. Without that setting it is closed when Datasette is started without `-i`, or with the
gemsearch plugin. The rows themselves are public and can be read page by page.
"""

_LITE_OPEN = """\
## In the browser alone

Put `$edition` and `metadata.yml` where other sites may read them (GitHub Pages does), and open:

```
https://lite.datasette.io/?ref=$version&url=https://EXAMPLE.github.io/$edition&metadata=https://EXAMPLE.github.io/metadata.yml
```
"""

_LITE_CLOSED = """\
## In the browser alone

Not for this edition: Datasette Lite downloads the whole file, which `--no-download` closed.
"""
