"""The browser of whoever sits at this machine."""

from __future__ import annotations

import os
import sys


def open_in_browser(address: str) -> None:
    """Open an address, or a file, where a window can be opened; else do nothing.

    Where there is no display Python falls back on browsers of the terminal, which would take it
    over.
    """
    import webbrowser

    if has_display():
        webbrowser.open(address)


def has_display() -> bool:
    """Whether a window would be seen: a screen, or a browser that somebody has named."""
    if os.environ.get("BROWSER"):
        return True
    if "SSH_CONNECTION" in os.environ and not os.environ.get("DISPLAY"):
        return False
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
