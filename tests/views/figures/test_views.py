"""The figure of every view: the numbers of the model, in words that can be read, at every size."""

import inspect
from functools import cache

import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from pellucid import figures
from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.views.catalogue.views import VIEWS
from pellucid.views.figures.views import Look
from pellucid.views.numbers import NumberFormat, percent
from pellucid.views.scene import (
    Bars,
    Curve,
    Flow,
    Histogram,
    Matrix,
    Network,
    Panels,
    Points,
    Prose,
    Row,
    Table,
)
from tests.small_models import SMALL, random_parameters
from tests.views.catalogue.given import given, trace_of, worded
from tests.views.figures.looks import (
    assert_looks_like,
    assert_nothing_cut,
    assert_nothing_overlaps,
    written,
)

HOSTILE = "$x$ <script>alert(1)</script> \U0001f642 مرحبا é́ 日本語 a_b^c \\frac{1}{2} " + "w" * 5000
FEW = ("token_table", "pattern", "flow", "network", "ladder", "heads", "stream_norms")
ALIKE = (
    *("masked_scores", "position_table", "queries_keys_values", "second_residual", "second_norm"),
    *("final_norm", "top_logits", "gradient_histogram"),
)
"""Laid out as another view is, block for block."""
CLOCKED = ("older_way",)
"""What the clock decides looks otherwise each time."""


def arguments(name):
    """What the view is drawn of: a model that has it."""
    return (worded(),) if name == "final_norm" else given(VIEWS[name].needs)


@cache
def drawn(name, size="page", theme="light"):
    return getattr(figures, name)(*arguments(name), size=size, theme=theme)


def blocks(name):
    return [
        part
        for block in VIEWS[name].build(*arguments(name))
        for part in (block.blocks if isinstance(block, Row) else [block])
    ]


@cache
def words(figure):
    """All text, without spaces: a title may be broken into lines."""
    return "".join("".join(line.text.split()) for line in written(figure))


def meshes(figure):
    """The numbers of coloured cells, NaN where none is drawn."""
    found = [part for axes in figure.axes for part in axes.get_children()]
    arrays = [part.get_array() for part in found if isinstance(part, QuadMesh | AxesImage)]
    return [
        np.ma.filled(np.ma.asarray(array, np.float64), np.nan)
        for array in arrays
        if array is not None
    ]


def points(series):
    return np.stack([series.x, series.y], axis=1)


def has_the_numbers_of(figure, block):
    """Whether what is drawn is what the block holds, by what was given to matplotlib."""
    match block:
        case Matrix():
            shown = np.where(np.isfinite(block.values), block.values, np.nan)
            causal = (block.rows.dim, block.columns.dim) == ("query", "key")
            if causal and block.kind == "probability":
                shown = np.where(np.triu(np.ones_like(shown), 1), np.nan, shown)
            return any(
                array.shape == shown.shape and np.array_equal(array, shown, equal_nan=True)
                for array in meshes(figure)
            )
        case Bars():
            lengths = [n for _, n in block.items]
            bars = (
                [patch.get_width() for patch in axes.patches if isinstance(patch, Rectangle)]
                for axes in figure.axes
            )
            return any(np.array_equal(widths, lengths) for widths in bars)
        case Curve():
            lines = [line.get_xydata() for axes in figure.axes for line in axes.lines]
            return all(
                any(np.array_equal(line, points(series)) for line in lines)
                for series in block.series
            )
        case Flow():
            joined = [
                part
                for axes in figure.axes
                for part in axes.collections
                if isinstance(part, LineCollection)
            ]
            widths = np.sort(np.concatenate([np.asarray(part.get_linewidth()) for part in joined]))
            shares = np.sort(block.weights[block.weights != 0])
            strong = [percent(share) for share in shares if share > 0.2]
            return np.allclose(widths / widths[-1], shares / shares[-1]) and all(
                text in words(figure) for text in strong
            )
        case Network():
            numbers = np.concatenate([layer.values for layer in block.layers])
            form = NumberFormat.fitting(numbers)
            return all(form.text(n).replace("-", "−") in words(figure) for n in numbers if n)
        case Histogram():
            return all(
                f"max{each.counts.max():,}of{each.total:,}" in words(figure)
                for each in block.distributions
            )
        case Panels():
            image = np.concatenate([array.ravel() for array in meshes(figure)])
            inside = [array[:, *np.tril_indices(array.shape[-1])] for array in block.values]
            return set(np.concatenate(inside, axis=None)) <= set(image)
        case Points():
            dots, ways = figure.axes[0].lines[0], figure.axes[0].collections[0]
            return np.array_equal(dots.get_xydata(), block.ends) and np.array_equal(
                ways.get_segments(), block.ways
            )
        case Table():
            cells = [str(cell) for row in block.rows for cell in row if isinstance(cell, str | int)]
            return all("".join(cell.split()) in words(figure) for cell in cells)
        case Prose():
            spans = (span.text for paragraph in block.paragraphs for span in paragraph)
            return "".join("".join(spans).split()) in words(figure)
    return False


@pytest.mark.parametrize("name", VIEWS)
def test_the_numbers_drawn_are_those_of_the_blocks(name):
    for block in blocks(name):
        assert has_the_numbers_of(drawn(name), block), block


@pytest.mark.parametrize("name", VIEWS)
def test_titles_and_notes_stand_above_and_below_and_axes_are_named(name):
    said = words(drawn(name))
    for block in blocks(name):
        named = [getattr(block, part, None) for part in ("title", "note", "name")]
        match block:
            case Matrix():
                named += [block.rows.dim, block.columns.dim, *(block.rows.labels or ())]
                end = 1.0 if block.kind == "probability" else block.limit
                legend = [] if end is None else [NumberFormat.fitting(np.array([end])).text(end)]
                named += legend
                named += [word for row in block.words or () for word in row]
            case Curve():
                named += [block.x_label, block.y_label, *(series.name for series in block.series)]
            case Points():
                named += [block.x_label, block.y_label]
            case Bars():
                named += [label for label, _ in block.items]
            case Table():
                named += block.columns
        for text in filter(None, named):
            assert "".join(text.split()) in said, text


@pytest.mark.parametrize("name", VIEWS)
def test_no_word_lies_over_another_or_is_cut(name):
    assert_nothing_overlaps(drawn(name))
    assert_nothing_cut(drawn(name))


@pytest.mark.parametrize("size", ["paper", "slide"])
@pytest.mark.parametrize("name", FEW)
def test_nor_in_a_column_or_on_a_slide(name, size):
    assert_nothing_overlaps(drawn(name, size))
    assert_nothing_cut(drawn(name, size))


@pytest.mark.slow
@pytest.mark.parametrize("size", ["paper", "slide"])
@pytest.mark.parametrize("name", [name for name in VIEWS if name not in (*FEW, *ALIKE)])
def test_nor_does_any_other(name, size):
    assert_nothing_overlaps(drawn(name, size))
    assert_nothing_cut(drawn(name, size))


def test_a_slide_has_the_proportions_of_a_screen():
    for name in FEW:
        across, down = drawn(name, "slide").get_size_inches()
        assert across / down == pytest.approx(16 / 9)


@pytest.mark.parametrize("name", [name for name in VIEWS if name not in CLOCKED])
def test_each_looks_as_it_was_seen_to_look(name):
    assert_looks_like(drawn(name), f"view-{name}")


@pytest.mark.parametrize("name", ["pattern", "flow", "network", "loss_curve"])
def test_and_in_the_dark(name):
    assert_looks_like(drawn(name, theme="dark"), f"view-{name}-dark")


@pytest.mark.parametrize(
    "name", ["pattern", "flow", "network", "heads", "token_table", "top_logits"]
)
def test_whatever_stands_in_the_text(name):
    tokenizer = Tokenizer.words([HOSTILE])
    config = SMALL.replace(vocab_size=tokenizer.vocab_size, block_size=16)
    model = Model(config, random_parameters(config), tokenizer)
    figure = getattr(figures, name)(model.trace(ids=range(tokenizer.vocab_size)))
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


@pytest.mark.parametrize("name", ["pattern", "first_norm", "flow", "heads", "token_table"])
def test_a_long_prompt_of_a_large_vocabulary_is_reduced_and_says_so(name):
    shape = ModelConfig(vocab_size=50257, block_size=1024, n_layer=1, n_head=2, n_embd=16)
    figure = getattr(figures, name)(long_trace(shape))
    assert_nothing_cut(figure)
    said = words(figure)
    assert any(word in said for word in ("Shown", "Drawn", "Eachcellstandsfor")), said[-400:]


@cache
def long_trace(shape):
    ids = np.random.default_rng(0).integers(0, shape.vocab_size, shape.block_size)
    names = ["blocks.0.attn.pattern", "embed.out", *(f"blocks.0.norm1{x}" for x in ENDS)]
    return Model.from_config(shape).trace(ids=ids.tolist(), names=names)


ENDS = ("", ".mean", ".rstd", ".normalized")


@pytest.mark.parametrize("name", VIEWS)
def test_a_figure_takes_what_its_view_takes_and_how_it_is_to_look(name):
    options = inspect.signature(getattr(figures, name)).parameters
    built = inspect.signature(VIEWS[name].build).parameters
    *own, look = options.values()
    assert look.kind is inspect.Parameter.VAR_KEYWORD
    assert set(Look.__annotations__) == {"theme", "size", "ax"}
    assert [(each.name, each.default, each.kind) for each in own] == [
        (each.name, each.default, each.kind) for each in built.values()
    ]
    assert name in figures.__all__


def test_a_single_picture_can_be_drawn_into_axes():
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    assert figures.pattern(trace_of("as it is"), head=1, ax=axes) is figure
    (pattern,) = VIEWS["pattern"].build(trace_of("as it is"), head=1)
    assert has_the_numbers_of(figure, pattern)
    with pytest.raises(PellucidError, match="3 pictures"):
        figures.first_residual(trace_of("as it is"), ax=axes)


def test_what_a_model_does_not_have_is_said_in_words():
    with pytest.raises(PellucidError, match="no position table"):
        figures.position_table(trace_of("no positions"))
