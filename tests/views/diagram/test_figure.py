"""Figures: the same shapes by matplotlib, no word outside its box or cut off."""

import warnings

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError
from pellucid.views.diagram import diagram
from pellucid.views.figures.theme import DARK
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import drawn_graph

CASES = [("dropout", "deep"), ("preset gpt2-xl", "block"), ("no positions", "overview")]
TOKENS = ("$x_1$", "日本", "🌳", "\u202e", "a" * 5000, "e\u0301")


def boxes_of(figure):
    renderer = FigureCanvasAgg(figure).get_renderer()
    (axes,) = figure.axes
    words = [(text, text.get_window_extent(renderer)) for text in axes.texts]
    rects = [p.get_window_extent() for p in axes.patches if isinstance(p, FancyBboxPatch)]
    return words, rects, figure.bbox


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_words_are_within_a_box_as_the_renderer_sets_them(name, depth):
    _, found = drawn_graph(name, depth)
    words, rects, page = boxes_of(found.figure())
    on_boxes = {shape.text for shape in found.picture.shapes if hasattr(shape, "text")}
    for text, extent in words:
        assert page.x0 <= extent.x0
        assert extent.x1 <= page.x1
        if text.get_text() not in on_boxes and text.get_ha() == "center":
            assert any(
                rect.x0 <= extent.x0 and extent.x1 <= rect.x1
                for rect in rects
                if rect.y0 <= (extent.y0 + extent.y1) / 2 <= rect.y1 and rect.width < page.width
            ), text.get_text()


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_no_two_words_overlap(name, depth):
    _, found = drawn_graph(name, depth)
    words, _, _ = boxes_of(found.figure())
    for place, (one, a) in enumerate(words):
        for other, b in words[:place]:
            assert not (a.x0 < b.x1 and b.x0 < a.x1 and a.y0 + 2 < b.y1 and b.y0 + 2 < a.y1), (
                one.get_text(),
                other.get_text(),
            )


def test_tokens_are_within_their_chips():
    drawn = diagram(build_graph(SMALL), tokens=["日本", "🌳", "i", "\U00101234" * 4, "語", "a"])
    words, rects, _ = boxes_of(drawn.figure())
    top = min(text.get_position()[1] for text, _ in words)
    tokens = [extent for text, extent in words if text.get_position()[1] == top]
    assert tokens
    for extent in tokens:
        assert any(
            rect.x0 <= extent.x0 and extent.x1 <= rect.x1
            for rect in rects[1:]
            if rect.y0 <= (extent.y0 + extent.y1) / 2 <= rect.y1
        )


def test_every_box_and_line_of_the_picture_is_drawn():
    _, found = drawn_graph("dropout", "deep")
    shown = [text.get_text() for text in found.figure().axes[0].texts]
    for box in found.structure.boxes:
        assert box.label in shown


def test_tokens_are_text_and_what_no_font_has_is_its_code_point():
    drawn = diagram(build_graph(SMALL), tokens=TOKENS, title="$5 _ \\alpha")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = drawn.figure()
        FigureCanvasAgg(figure).draw()
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert "$x_1$" in shown
    assert "$5 _ \\alpha" in shown
    assert not any(text.get_parse_math() for text in figure.axes[0].texts)


def test_the_theme_is_the_one_asked_for():
    patches = diagram(build_graph(SMALL)).figure(theme="dark").axes[0].patches
    assert to_hex(patches[0].get_facecolor()) == DARK.paper


def test_a_diagram_too_high_for_pixels_is_refused_with_advice():
    tall = diagram(build_graph(PRESETS["gpt2-xl"]), unfold=True)
    with pytest.raises(
        PellucidError, match="pixels high, too much for PNG or PDF: write it as SVG"
    ):
        tall.figure()


def test_a_high_diagram_is_drawn_smaller():
    figure = diagram(build_graph(PRESETS["gpt2-xl"]), unfold=True, depth="overview").figure()
    assert figure.get_figheight() == pytest.approx(200)


def test_it_is_drawn_as_it_is_whatever_the_user_has_set():
    with matplotlib.rc_context({"text.usetex": True, "path.sketch": (1.0, 100.0, 2.0)}):
        (axes,) = diagram(build_graph(SMALL), depth="overview").figure().axes
    assert not any(text.get_usetex() for text in axes.texts)
    assert not any(patch.get_sketch_params() for patch in axes.patches)
