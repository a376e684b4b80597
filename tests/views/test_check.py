"""What a check found, to look at."""

import pytest

from pellucid.trace.check import Check
from pellucid.trace.finding import Finding
from pellucid.views.check import check_blocks
from pellucid.views.scene import Heading, Table
from pellucid.views.terminal import to_text
from tests.traces import trace_of


@pytest.fixture(scope="module")
def sound():
    return trace_of("baby-groot").check(cells=2)


def with_wrong(found, number):
    """The same findings, and so many that do not hold."""
    wrong = tuple(Finding(f"tensor.{i}", "rows sum to 1", 4, 2.0, "am") for i in range(number))
    return Check((*found.findings, *wrong))


def test_each_kind_of_check_has_a_row(sound):
    heading, table = check_blocks(sound)
    assert isinstance(table, Table)
    assert heading == Heading("Every check holds, on 56 tensors", level=2)
    assert [row[0] for row in table.rows] == list(dict.fromkeys(f.check for f in sound.findings))
    for kind, tensors, cells, *_ in table.rows:
        of_the_kind = [f for f in sound.findings if f.check == kind]
        assert (tensors, cells) == (len(of_the_kind), sum(f.cells for f in of_the_kind))


def test_the_first_that_fails_stands_on_top(sound):
    heading, _, wrong = check_blocks(with_wrong(sound, 2))
    assert heading == Heading("The first that fails: tensor.0[am], rows sum to 1", level=2)
    assert isinstance(wrong, Table)
    assert [row[0] for row in wrong.rows] == ["tensor.0", "tensor.1"]
    assert wrong.note is None


def test_many_that_fail_are_counted(sound):
    wrong = check_blocks(with_wrong(sound, 20))[-1]
    assert isinstance(wrong, Table)
    assert (len(wrong.rows), wrong.note) == (12, "8 more.")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_it_fits_the_page(sound, width):
    assert all(len(line) <= width for line in to_text(sound, width=width).splitlines())


def test_it_prints_itself(sound):
    assert "Every check holds" in repr(sound)
