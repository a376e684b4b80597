"""Sizes by name."""

import pytest

from pellucid.errors import PellucidError
from pellucid.views.figures.sizes import PAPER, SLIDE, Size, size


def test_a_size_is_found_by_name_or_is_ones_own():
    assert size("paper") is PAPER
    own = Size("poster", width=20.0, text=24.0)
    assert size(own) is own


def test_a_slide_has_the_proportions_of_one():
    assert SLIDE.height is not None
    assert SLIDE.width / SLIDE.height == pytest.approx(16 / 9)


def test_an_unknown_size_is_said():
    with pytest.raises(PellucidError, match=r"no size 'slied'\. Did you mean slide"):
        size("slied")
    with pytest.raises(PellucidError, match="Choose page, slide or paper"):
        size("x")
