"""What a diagram shows, before anything has a place: boxes, the lines between them, and frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Length:
    """A dim and how long it is; `size` is None where that depends on the text.

    Word and number belong on one line: between them is a space that must not be broken.
    """

    dim: str
    size: int | None

    def __str__(self) -> str:
        return self.dim if self.size is None else f"{self.dim}\u00a0{self.size:,}"


Shape = tuple[Length, ...]


def shape_words(shape: Shape) -> str:
    """A shape in words and numbers: `head 12 × position × d_head 64`."""
    return "\u00a0× ".join(map(str, shape)) or "one number"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A learned tensor that a box reads. `shared` where another box reads it too."""

    name: str
    label: str
    shape: Shape
    shared: bool = False

    @property
    def words(self) -> str:
        shared = " (shared)" if self.shared else ""
        return f"{self.label}{shared}: {shape_words(self.shape)}"


@dataclass(frozen=True, slots=True)
class Box:
    """One step, or several that are drawn as one.

    `name` is the tensor that it stands for and `label` that name as it reads within the frame.
    `nodes` are the steps of the graph in it, of the first block where several are drawn as one.
    `main` is the box that its first input comes from: the way on which a reader gets here.
    `inside` are the lengths of dims that are nowhere but in here.
    """

    name: str
    label: str
    title: str
    note: str
    shape: Shape
    kind: str
    part: str
    """Where it belongs, for its colour: embed, attn, mlp, norm, head, loss or stream."""
    nodes: tuple[str, ...]
    equations: tuple[str, ...]
    main: str | None = None
    inputs: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    inside: Shape = ()
    aliases: tuple[str, ...] = ()

    @property
    def adds(self) -> bool:
        """Whether it is a plain addition to the stream."""
        return self.kind == "add"


@dataclass(frozen=True, slots=True)
class Line:
    """The output of one box read by another; both by name."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What is drawn around boxes that belong together: a block, or several that are alike."""

    title: str
    times: int
    boxes: frozenset[str]


@dataclass(frozen=True)
class Structure:
    """A whole diagram without places.

    `tokens` are those of the prompt, `lengths` what dims mean that have no number in a box.
    """

    depth: str
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    frames: tuple[Frame, ...]
    panels: tuple[Frame, ...]
    tokens: tuple[str, ...] = ()
    most_positions: int | None = None

    @cached_property
    def by_name(self) -> dict[str, Box]:
        return {box.name: box for box in self.boxes}
