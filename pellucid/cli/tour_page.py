"""The page that a tour ends with: its chapters beside a model that is live."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.tour.lesson import Lesson
    from pellucid.views.explorer.page import ExplorerPage
    from pellucid.views.scene import Scene

PAGE = Path("tour.html")
"""Where it is written unless a file is named."""


def check_named(page: Path | None, part: str | None) -> None:
    """Say now, not after the trainings, that the file that was named cannot be written.

    Raises:
        PellucidError: so it is, or there is no page of a single part.
    """
    if page is None:
        return
    if part is not None:
        raise PellucidError("The page holds the whole tour: leave --part out, or take --html FILE.")
    from pellucid.views.explorer.document import template
    from pellucid.views.html.page import check_page

    check_page(page)
    template()


def end_with_page(
    lesson: Lesson, scenes: Sequence[Scene], page: Path | None, *, title: str
) -> None:
    """Write the page and say where it is; open it for somebody who sits at a screen.

    A file that was named is written over. Where none was, the tour has ended well without a page
    too: what stands in its way is said, and no more.

    Raises:
        PellucidError: the file that was named cannot be written, or the page is too large.
    """
    from pellucid.cli.browser import open_in_browser
    from pellucid.cli.output import say

    try:
        if page is None:
            check_free(PAGE)
        path = page_of(lesson, scenes, title).save(page or PAGE)
    except PellucidError as error:
        if page is not None:
            raise
        say(f"There is no page of this tour. {error}")
        return
    say(f"The same in the browser, where every number answers: {path}")
    if sys.stdout.isatty():
        open_in_browser(path.resolve().as_uri())


def check_free(path: Path) -> None:
    """Raise PellucidError for somebody else's file; an earlier page of ours may be written over."""
    from pellucid.views.explorer.document import is_document

    if path.exists() and not is_document(path):
        raise PellucidError(f"{path} is another file: name one for the page with --page FILE.")


def page_of(lesson: Lesson, scenes: Sequence[Scene], title: str) -> ExplorerPage:
    """The explorer of the lesson's model and prompt, with the scenes as chapters.

    Raises:
        PellucidError: the trace is too large for a page.
    """
    from pellucid.views.explorer import to_page
    from pellucid.views.explorer.blocks import chapter_data

    return to_page(
        lesson.trace,
        title=title,
        prompt=lesson.prompt,
        tokenizer=lesson.tokenizer,
        chapters=[chapter_data(scene, lesson.trace) for scene in scenes],
    )
