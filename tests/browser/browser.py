"""A real browser for the tests: the system's where one starts, else Playwright's own Chromium.

`python -m tests.browser.browser` says which it is, and fails where there is none.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class NoBrowserError(Exception):
    """No browser starts on this machine."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window.

    Raises:
        NoBrowserError: there is none.
    """
    with sync_playwright() as playwright:
        browser = first_that_starts(playwright)
        yield browser
        browser.close()


def first_that_starts(playwright: Playwright) -> Browser:
    """One of the system's browsers, some of which only ask for another to be installed, or ours."""
    for path in (*filter(None, map(shutil.which, NAMES)), None):
        try:
            return playwright.chromium.launch(executable_path=path, args=list(QUIET))
        except Error as error:
            why = error
    raise NoBrowserError(
        "These tests need a browser, and none starts here: scripts/install-browser installs one."
    ) from why


if __name__ == "__main__":
    with chromium() as found:
        sys.stdout.write(f"Chromium {found.version}\n")
