"""docs/views.md: the headings that it names are there, and its Python runs."""

import re
from pathlib import Path
from typing import Any

import pytest

import pellucid.text.statistics
from pellucid.tour.tour import chapter
from pellucid.views.scene import Heading
from tests.tour.scenes import of_kind

DOCUMENT = (Path(__file__).parents[2] / "docs" / "views.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOCUMENT.splitlines()
    if line.startswith("|") and re.match(r"\d$", line.strip("|").split("|")[1].strip())
]
VIEWS = {
    "show_vocabulary",
    "show_training_pairs",
    "show_embeddings",
    "show_positional_embeddings",
    "constructing_input_matrix",
    "show_h0",
    "display_q_matrix",
    "show_wq",
    "display_k_matrix",
    "plot_scaled_dot_product_attention_matrix",
    "causal_mask",
    "plot_a_times_v",
    "plot_causal_attention_flow",
    "residual_connection",
    "plot_normalisation1",
    "plot_ffn_graph",
    "visualise_ff_output",
    "display_final_block_out",
    "show_top_five_highest_scores",
    "show_final_probabilities",
    "generate_argmax",
}


@pytest.fixture(scope="module")
def headings(lesson):
    return {
        number: [heading.text for heading in of_kind(chapter(lesson, number).blocks, Heading)]
        for number in range(1, 8)
    }


@pytest.fixture(scope="module")
def names():
    """What the document's Python has made before its tables begin."""
    made: dict[str, Any] = {"pellucid": pellucid}
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, flags=re.DOTALL)
    exec(code, made)
    return made


def test_every_view_of_the_notebook_has_its_counterpart():
    listed = {name for row in ROWS for name in re.findall(r"^`(\w+)`", row[0])}
    assert listed >= VIEWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_row_leads_somewhere(row, headings, names):
    _, part, heading, *code = row
    assert heading in headings[int(part)]
    for expression in re.findall(r"`([^`]+)`", " ".join(code)):
        assert eval(expression, names) is not None
