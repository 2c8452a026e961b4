"""Makes the pictures in docs/images from the demo ledger and history, with Debian's Chromium.

python -m tools.screenshots
"""

import tempfile
from pathlib import Path

from gemsearch.history import page
from gemsearch.history.collecting import collected
from gemsearch.history.finding import found
from gemsearch.history.proposals import Choice
from gemsearch.history.report import report_of
from tools import chromium, demo_history, demo_ledger

FOLDER = Path(__file__).parent.parent / "docs" / "images"
AT = "/gems/-/gemsearch"
ASKED = "docker+container+vulnerability+scanning+trivy"

# File, page, size, colour scheme, height.
PICTURES = [
    ("overview", AT, chromium.WIDE, "light", 1300),
    ("overview-phone-dark", AT, chromium.PHONE, "dark", 1100),
    ("gem", f"{AT}/gem/{{gem}}", chromium.WIDE, "light", 1150),
    ("rejection", f"{AT}/rejection/{{rejection}}", chromium.WIDE, "light", 1150),
    ("explain", f"{AT}/explain?topic={ASKED}", chromium.WIDE, "light", 850),
    ("table", "/gems/rejections?signal=sources&_size=5", chromium.WIDE, "light", 1450),
    ("query", "/gems/sources_that_recur", chromium.WIDE, "light", 700),
]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ledger = Path(folder, "gems.db")
        shown = demo_ledger.build(ledger)
        with chromium.served(ledger) as address, chromium.browser(f"{folder}/profile") as driver:
            for name, page, size, scheme, height in PICTURES:
                chromium.look(driver, size, scheme)
                driver.get(address + page.format(**shown))
                _keep(name, chromium.picture(driver, size, height))
            driver.get(_mined(Path(folder, "home")))
            chromium.look(driver, chromium.WIDE, "light")
            _keep("history", chromium.picture(driver, chromium.WIDE, 1160))


def _mined(home):
    """The address of the page about the demo history."""
    demo_history.build(home)
    with collected(found({}, str(home))) as history:
        report = report_of(history.calls, demo_history.LAST, Choice())
    place = home / "page.html"
    page.save(str(place), page.rendered(report, demo_history.LAST))
    return place.as_uri()


def _keep(name, picture):
    (FOLDER / f"{name}.png").write_bytes(picture)
    print(f"{name}.png {len(picture) // 1024} kB")


if __name__ == "__main__":
    main()
