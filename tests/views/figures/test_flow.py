"""A flow as a picture: its lines are as wide as the weights and end at their tokens."""

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.flow import MOST_TOKENS, STRONG
from pellucid.views.scene import Axis, Flow
from tests.small_models import small_model
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps

HOSTILE = ("$x$ $", "<script>", "a\nb", "👍🏽", "שלום", "e\u0301", "w" * 5000, "日本語", "[b]")


def pattern():
    tensor = small_model().trace(ids=[1, 4, 2, 5, 4])["blocks.0.attn.pattern"]
    tokens = tensor.labels["query"]
    return Flow(
        "Who looks", tensor.values[1], Axis("query", tokens), Axis("key", tokens), tensor.name
    )


def of(weights, names=None):
    return Flow("T", np.array(weights, dtype=float), Axis("query", names), Axis("key", names))


def causal(size, seed=0):
    weights = np.tril(np.random.default_rng(seed).random((size, size)) ** 4)
    return weights / weights.sum(axis=1, keepdims=True)


def lines(figure):
    (collection,) = (c for c in figure.axes[0].collections if isinstance(c, LineCollection))
    return collection.get_segments(), collection.get_linewidth(), collection.get_colors()


def texts(figure):
    return {text.get_text(): text for text in figure.axes[0].texts}


def test_each_weight_is_a_line_of_its_width_between_its_tokens():
    flow = pattern()
    names = tuple(f"{place} {name}" for place, name in enumerate(flow.sources.labels or ()))
    figure = draw_figure(
        Flow("T", flow.weights, Axis("query", tuple(f"q{n}" for n in names)), Axis("key", names))
    )
    segments, widths, _ = lines(figure)
    places = texts(figure)
    rows = {places[name].get_position()[1]: index for index, name in enumerate(names)}
    drawn = np.zeros(flow.weights.shape)
    for segment, width in zip(segments, widths, strict=True):
        (left, start), (right, end) = segment[0], segment[-1]
        assert left < right
        drawn[rows[end], rows[start]] = width
    assert [places[f"q{name}"].get_position()[1] for name in names] == list(rows)
    np.testing.assert_allclose(drawn / drawn.max() * flow.weights.max(), flow.weights, atol=1e-12)


def test_strong_weights_have_their_numbers_beside_them():
    for flow in (pattern(), of([[1, 0, 0], [0.75, 0.25, 0], [0.6, 0.21, 0.19]])):
        strong = flow.weights[flow.weights >= STRONG]
        said = [text for text in texts(draw_figure(flow)) if text.endswith("%")]
        assert sorted(said) == sorted({f"{100 * weight:.1f}%" for weight in strong})


def test_the_legend_has_the_widths_of_the_lines():
    flow = of(causal(5))
    figure = draw_figure(flow)
    legend: Any = figure.axes[0].get_legend()
    _, widths, _ = lines(figure)
    scale = max(widths) / flow.weights.max()
    for text, handle in zip(legend.get_texts(), legend.get_lines(), strict=True):
        share = float(text.get_text().removesuffix("%")) / 100
        assert handle.get_linewidth() == pytest.approx(share * scale)


def test_a_negative_weight_has_another_colour_and_a_sign():
    figure = draw_figure(of([[0.5, -0.5]]))
    _, _, colours = lines(figure)
    assert len({tuple(colour) for colour in colours}) == 2
    assert {"50.0%", "−50.0%"} <= set(texts(figure))


def test_a_weight_above_one_is_the_widest_line():
    _, widths, _ = lines(draw_figure(of([[2.0, 1.0]])))
    assert max(widths) == pytest.approx(2 * min(widths))


def test_what_is_zero_or_not_finite_has_no_line():
    figure = draw_figure(of([[1, 0], [np.nan, 1]]))
    assert len(lines(figure)[0]) == 2
    assert any("1 of 4 weights, not finite" in text for text in texts(figure))


def test_of_a_long_flow_the_last_tokens_are_drawn_and_the_note_says_so():
    figure = draw_figure(of(causal(100)))
    shown = texts(figure)
    assert "99" in shown
    assert "50" not in shown
    assert f"{100 - MOST_TOKENS + 1} before" in shown
    assert any(f"the last {MOST_TOKENS} of 100 tokens" in text for text in shown)


@pytest.mark.parametrize(
    ("size", "theme"), [("page", "dark"), ("slide", "light"), ("paper", "light")]
)
@pytest.mark.parametrize(
    "flow", [pattern(), of([[1.0]], ("a",)), of(causal(9), HOSTILE), of(causal(40))]
)
def test_words_neither_overlap_nor_are_cut(flow, size, theme):
    figure = draw_figure(flow, theme=theme, size=size)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)
