"""A small text and a small shape, so that a training takes hundredths of a second."""

from typing import Any

from pellucid.text.documents import Document

LINES = (
    "the fox ran over the hill to the old mill",
    "the owl sat in the oak and saw the fox run",
    "at night the mill was still and the owl sang",
    "a small boat lay by the mill in the reeds",
)

TEXT = "\n".join(line for n in range(8) for line in (*LINES[n % 4 :], *LINES[: n % 4])) + "\n"
"""Some 1,400 characters of 23 kinds."""

DOCUMENT = Document.of(TEXT, name="a small text")

SMALL: dict[str, Any] = {
    "n_layer": 1,
    "n_head": 2,
    "n_embd": 8,
    "block_size": 8,
    "steps": 12,
    "batch_size": 4,
    "every": 5,
    "learning_rate": 0.01,
    "threads": 1,
    "keep": "best",
}
"""Options of `pellucid.train`."""
