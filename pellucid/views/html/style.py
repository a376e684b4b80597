"""The style sheet of what Pellucid shows as HTML: one file, and the colours of both themes."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from pellucid.views.figures.theme import DARK, LIGHT
from pellucid.views.html.colours import properties, step_rules
from pellucid.views.html.element import Html

_DARK = (
    'body[data-jp-theme-light="false"]',  # JupyterLab
    "body.vscode-dark",
    "body.vscode-high-contrast",
    ".dark",  # marimo
    '[data-theme="dark"]',  # Sphinx
    'html[theme="dark"]',  # Colab
)
"""What says, in the programs that show notebooks, that their paper is dark."""
LIGHT_PAPER = f"{properties(LIGHT)};--behind:var(--paper);--in-light:block;--in-dark:none"
DARK_PAPER = f"{properties(DARK)};--in-light:none;--in-dark:block"
_HOST_PAPER = "var(--jp-layout-color0,var(--vscode-editor-background,var(--background,Canvas)))"
"""The paper that a notebook's program has under its outputs, or the browser's."""


@cache
def notebook_style() -> Html:
    """For an output: on the paper of the program around it, which also says whether it is dark."""
    return style_element(
        f".pellucid{{--behind:{_HOST_PAPER}}}"
        f"@media screen{{{','.join(f'{where} .pellucid' for where in _DARK)}{{{DARK_PAPER}}}}}"
    )


@cache
def page_style() -> Html:
    """For a page of its own: light or dark as the reader's system is, and always light in print."""
    return style_element(
        f"@media screen and (prefers-color-scheme:dark){{.pellucid{{{DARK_PAPER}}}}}",
        "page.css",
    )


def style_element(where_dark: str, *sheets: str) -> Html:
    """The colours, then what is common to every place where HTML is shown, then other sheets."""
    rules = "".join(map(sheet_of, ("style.css", *sheets))) + step_rules()
    # Named twice, each rule outweighs those of JupyterLab for tables, which name two classes.
    rules = rules.replace(".pellucid ", ".pellucid.pellucid ")
    return Html(f"<style>.pellucid{{{LIGHT_PAPER}}}{where_dark}{rules}</style>")


def sheet_of(name: str) -> str:
    """A style sheet of this package, its comments and spare space left out."""
    written = files(__package__).joinpath(name).read_text(encoding="utf-8")
    bare = re.sub(r"/\*.*?\*/", "", written, flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s*|\s+", lambda m: m[1] or " ", bare).strip()
