"""Debian's Chromium without a window, for the browser test and the screenshots."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).parent.parent
# Without these it talks to its maker at every start.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)
WIDE, PHONE = (1200, 900), (390, 844)


def missing():
    """What is not installed, or None."""
    return next((name for name in ("chromium", "chromedriver") if not shutil.which(name)), None)


@contextlib.contextmanager
def browser(profile):
    """A browser with an empty profile in the folder `profile`."""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    service = Service(shutil.which("chromedriver"), log_output=subprocess.DEVNULL)
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


def look(driver, size, scheme):
    """Give the page a size in pixels and a colour scheme, light or dark."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def picture(driver, size, most=1600):
    """The page as a PNG, from its top, at most so many pixels high."""
    height = driver.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": size[0], "height": min(most, height), "scale": 1}
    taken = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
    )
    return base64.b64decode(taken["data"])


def requests_made(driver):
    """Every address that was asked for since the last call."""
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def hosts_of(urls):
    return {urlsplit(url).hostname for url in urls if urlsplit(url).scheme in {"http", "https"}}


def complaints(driver):
    """What the console calls an error, a violated content security policy among it."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


@contextlib.contextmanager
def served(ledger):
    """The ledger behind `gemsearch serve`; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gemsearch", "serve", "--port", str(port), "--db", str(ledger)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield _answering(server, f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait(timeout=20)


def _answering(server, address):
    for _ in range(200):
        if server.poll() is not None:
            raise RuntimeError("the server ended before it answered")
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return address
        time.sleep(0.1)
    raise RuntimeError("the server did not answer within 20 s")
