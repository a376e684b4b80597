"""What a model writes while it is trained, as lines that no text of it can break."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from pellucid.training.reports import Sample
from pellucid.views.labels import clean
from pellucid.views.terminal import theme
from pellucid.views.terminal.wrap import wrap

MARGIN = "  │ "


def sample_lines(sample: Sample, *, width: int) -> Iterator[Text]:
    """The prompt, which is given, in bold, and after it what the model makes of it."""
    text = Text()
    for part, style in ((sample.prompt.lstrip(), theme.TITLE), (sample.text, "")):
        text.append("\n".join(clean(line) for line in part.split("\n")), style)
    for line in text.split("\n", allow_blank=True):
        for piece in wrap(line, width - len(MARGIN)):
            yield Text().append(MARGIN, theme.RULE).append_text(piece)
