"""A summary of heads shown by itself names them; the whole of it has every share."""

import pytest

import pellucid
from pellucid.views.heads import heads_blocks
from pellucid.views.scene import Heading, Row, Table
from pellucid.views.terminal import to_text
from tests.analysis.induction import made_by_hand


@pytest.fixture(scope="module")
def summary():
    return pellucid.heads(made_by_hand())


def test_the_clearest_heads_are_shown_and_all_where_they_are_asked_for(summary):
    assert [type(block) for block in heads_blocks(summary)] == [Heading, Table]
    assert [type(block) for block in heads_blocks(summary, whole=True)] == [Heading, Table, Row]


@pytest.mark.parametrize("width", [80, 160])
def test_it_fits_a_terminal(summary, width):
    for whole in (False, True):
        text = to_text(heads_blocks(summary, whole=whole), width=width)
        assert max(map(len, text.splitlines())) <= width
    assert "1:0 91.7%" in repr(summary)
    assert "1:0 91.7%" in summary._repr_html_()


def test_a_rollout_shows_itself():
    rolled = pellucid.rollout(made_by_hand().trace(ids=[1, 2, 3]))
    assert "Attention rollout after block 1" in repr(rolled)
    assert "Attention rollout after block 1" in rolled._repr_html_()
