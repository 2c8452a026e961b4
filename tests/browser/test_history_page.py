"""The page of `gemsearch mine --html` in a real browser, from a file."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.looking import CONTRAST, LOOKS, need_chromium
from tests.history import mixed
from tools import chromium


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    from tests.conftest import Command

    need_chromium()
    home = tmp_path_factory.mktemp("home")
    mixed.write(home)
    assert Command(home)("mine", "--html", str(home / "page.html")).code == 0
    return (home / "page.html").as_uri()


@pytest.fixture(autouse=True)
def quiet(driver):
    """No error in the console, and nothing asked of any machine."""
    yield
    assert chromium.complaints(driver) == []
    assert chromium.hosts_of(chromium.requests_made(driver)) == set()


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_the_page_fits_can_be_read_and_is_dark_in_the_dark(driver, page, size, scheme):
    chromium.look(driver, size, scheme)
    driver.get(page)
    driver.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert driver.execute_script(CONTRAST, "body *") == []
    wider = "return document.documentElement.scrollWidth - window.innerWidth"
    assert driver.execute_script(wider) <= 0
    red, *_ = driver.execute_script(
        "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    )
    assert (red < 60) is (scheme == "dark")


def test_the_style_sheet_passes_the_pages_own_policy(driver, page):
    chromium.look(driver, chromium.WIDE, "light")
    driver.get(page)
    tile = driver.find_element(By.CSS_SELECTOR, ".tiles li")
    assert tile.value_of_css_property("border-top-style") == "solid"
    bars = driver.find_elements(By.CSS_SELECTOR, ".gs-columns rect")
    assert max(bar.size["height"] for bar in bars) > 20
    assert bars[0].value_of_css_property("fill") == "rgb(43, 122, 120)"


def test_the_keyboard_opens_the_numbers_and_shows_where_it_is(driver, page):
    chromium.look(driver, chromium.WIDE, "light")
    driver.get(page)
    driver.switch_to.active_element.send_keys(Keys.TAB)
    focused = driver.switch_to.active_element
    assert focused.text.startswith("The numbers by day")
    assert focused.value_of_css_property("outline-style") == "solid"
    focused.send_keys(Keys.ENTER)
    assert "2026-11-03" in driver.find_element(By.CSS_SELECTOR, "details table").text
