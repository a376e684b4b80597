"""A page in a notebook whose questions the kernel answers: an anywidget."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from threading import Event
from typing import Any

import anywidget
import msgspec
import traitlets

from pellucid.serve.answers import Answers, RefusedError
from pellucid.serve.messages import Asked, Left, Message, Opened

AT_ONCE = 8
"""Answers that are worked out at a time; of these the runs wait for each other."""
DONE, TOO_LARGE, BROKEN = 200, 413, 500


class ExplorerWidget(anywidget.AnyWidget):
    """Shows a document in a frame, and answers what is asked there.

    The document is sent to whoever shows it, and so is not saved with the notebook. Answers are
    worked out in threads: a kernel that is busy with one still hears that nobody wants it any more.
    """

    _esm = (files("pellucid.serve") / "widget.js").read_text(encoding="utf-8")
    height = traitlets.Int().tag(sync=True)
    instead = traitlets.Unicode().tag(sync=True)

    def __init__(self, document: str, answers: Answers, *, instead: str, height: int) -> None:
        """
        Args:
            document: the page.
            answers: to its questions.
            instead: HTML to be shown where no kernel sends the document.
            height: of the frame, in pixels.
        """
        super().__init__(instead=instead, height=height)
        self.document = document
        self.answers = answers
        self.wanted: dict[str, set[Event]] = {}
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pellucid-explorer")
        self.on_msg(self.hear)

    def hear(self, _: object, content: object, buffers: object) -> None:
        """Do what a view says."""
        match msgspec.convert(content, Message):
            case Opened(view):
                self.tell(view, {}, [self.document.encode()])
            case Left(view):
                for stop in self.wanted.pop(view, ()):
                    stop.set()
            case Asked(view) as asked:
                stop = Event()
                self.wanted.setdefault(view, set()).add(stop)
                self.threads.submit(self.reply, asked, stop)

    def reply(self, asked: Asked, stop: Event) -> None:
        """Send an answer, or why there is none."""
        said: dict[str, Any] = {"status": DONE}
        buffers = []
        try:
            buffers.append(self.answer(asked, stop))
        except RefusedError as refused:
            said = {"status": refused.status, "words": refused.words}
        except Exception as error:
            # Else the page would wait for ever; the thread has nobody to raise it to.
            said = {"status": BROKEN, "words": f"The kernel failed: {error!r}"}
        self.wanted.get(asked.view, set()).discard(stop)
        self.tell(asked.view, {"id": asked.id, **said}, buffers)

    def answer(self, asked: Asked, stop: Event) -> bytes:
        """The answer to a question.

        Raises:
            RefusedError: it cannot be answered.
        """
        question = asked.asked.encode()
        if len(question) > self.answers.runs.limits.body:
            raise RefusedError(TOO_LARGE, "The request is too large.")
        return b"".join(self.answers.answer(asked.kind, question, stop).pieces)

    def tell(self, view: str, content: dict[str, Any], buffers: Sequence[bytes]) -> None:
        """Send to one view; all of them hear it."""
        self.send({"view": view, **content}, buffers=list(buffers))
