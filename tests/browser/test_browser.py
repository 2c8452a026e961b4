"""The pages in a real browser, as a person goes through them."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.looking import CONTRAST, LOOKS, need_chromium
from tests.datasette.visiting import fill
from tools import chromium

AT = "/gems/-/gemsearch"
PAGES = [
    AT, f"{AT}/gem/1", f"{AT}/rejection/1", f"{AT}/rejection/5",
    f"{AT}/explain?topic=gitleaks+hook", "/gems", "/gems/gems", "/gems/rejections/1",
    "/gems/why_refused",
]  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    need_chromium()
    with chromium.served(fill(tmp_path_factory.mktemp("ledger") / "gems.db")) as found:
        yield found


@pytest.fixture(autouse=True)
def quiet(driver):
    """No error in the console, and nothing asked of another machine, whatever was done."""
    yield
    assert chromium.complaints(driver) == []
    assert chromium.hosts_of(chromium.requests_made(driver)) <= {"127.0.0.1"}


def heading(driver):
    return driver.find_element(By.TAG_NAME, "h1").text


def shows(driver, text):
    WebDriverWait(driver, 10).until(lambda it: text in it.page_source, f"no {text!r} in the page")


def click(driver, text):
    link = driver.find_element(By.PARTIAL_LINK_TEXT, text)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_a_person_finds_out_why_a_topic_was_refused(driver, address, size, scheme):
    chromium.look(driver, size, scheme)
    driver.get(address + AT)
    assert heading(driver) == "What was searched, and what was refused"
    assert driver.find_elements(By.CSS_SELECTOR, "svg.gs-columns rect.gs-refused")

    click(driver, "Refusals")
    box = driver.find_element(By.ID, "_search")
    box.send_keys("hook", Keys.ENTER)
    shows(driver, "2 rows")
    click(driver, "subset")
    shows(driver, "1 row")
    assert driver.find_element(By.ID, "_search").get_attribute("value") == "hook"

    click(driver, "gitleaks pre-commit hook setup")
    assert heading(driver) == "Why was this refused?"
    click(driver, "gem #1")
    assert heading(driver) == "gitleaks pre-commit hook"
    click(driver, "secret scanning at commit time")
    assert "refused" in driver.find_element(By.CSS_SELECTOR, ".gs-side-refused h2").text

    click(driver, "Other refusals of this topic")
    assert heading(driver) == "Why was this topic refused?"
    shows(driver, "4 recur")
    driver.back()
    click(driver, "Would it be refused now?")
    shows(driver, "Yes: it would be refused")


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_and_can_be_read(driver, address, path, size, scheme):
    chromium.look(driver, size, scheme)
    driver.get(address + path)
    ours = path.startswith(AT)
    looked_at = "body *" if scheme == "dark" else "main.gs *"
    assert driver.execute_script(CONTRAST, looked_at) == []
    red, *_ = driver.execute_script(
        "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    )
    assert (red < 60) is (scheme == "dark")
    if ours:
        wider = "return document.documentElement.scrollWidth - window.innerWidth"
        assert driver.execute_script(wider) <= 0


def test_the_keyboard_reaches_everything_and_shows_where_it_is(driver, address):
    chromium.look(driver, chromium.WIDE, "light")
    driver.get(address + f"{AT}/explain")
    reached = []
    for _ in range(12):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = driver.switch_to.active_element
        reached.append(focused.get_attribute("id") or focused.text)
        assert focused.value_of_css_property("outline-style") != "none", reached
        if focused.get_attribute("id") == "gs-topic":
            break
    assert reached[-1] == "gs-topic"
    driver.switch_to.active_element.send_keys("io_uring zero-copy networking internals", Keys.ENTER)
    shows(driver, "Yes: it would be refused")
