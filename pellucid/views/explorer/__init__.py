"""The explorer: one HTML file in which every number answers."""

from __future__ import annotations

from typing import Any

from pellucid.trace.trace import Trace
from pellucid.views.explorer.data import page_data
from pellucid.views.explorer.page import ExplorerPage


def to_page(trace: Trace, **options: Any) -> ExplorerPage:
    """A trace and its model as a page; the options are those of `page_data`."""
    return ExplorerPage(page_data(trace, **options))
