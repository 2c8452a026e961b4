from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from tests.browser.looking import need_chromium
from tools import chromium


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    need_chromium()
    with chromium.browser(tmp_path_factory.mktemp("profile")) as found:
        yield found
