"""What the tests of pages share: sizes, light and dark, and whether text stands out."""

from __future__ import annotations

import os

import pytest

from tools import chromium

REQUIRED = os.environ.get("GEMSEARCH_REQUIRE_BROWSER") == "1"
LOOKS = [
    pytest.param(size, scheme, id=f"{name}-{scheme}")
    for name, size in (("wide", chromium.WIDE), ("phone", chromium.PHONE))
    for scheme in ("light", "dark")
]

# Every text of the page against the first background behind it; the eye needs 4.5 : 1. In the
# dark Datasette's own pages are ours to colour, but for the editors, which are turned round.
CONTRAST = """
const channel = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = c => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
const parse = s => (s.match(/[\\d.]+/g) || []).map(Number);
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  return [255, 255, 255];
};
const poor = [];
for (const e of document.querySelectorAll(arguments[0])) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  const apart = 'svg, .gs-unseen, .CodeMirror, .cm-editor, input[type=submit], .icon-text';
  if (!own || !e.offsetParent || e.closest(apart)) continue;
  const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) poor.push(e.className + ' ' + e.textContent.trim().slice(0, 40) + ' ' + ratio);
}
return poor;
"""


def need_chromium():
    missing = chromium.missing()
    if missing and REQUIRED:
        pytest.fail(f"{missing} is not installed, and GEMSEARCH_REQUIRE_BROWSER=1")
    if missing:
        pytest.skip(f"{missing} is not installed")
