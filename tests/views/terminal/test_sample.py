"""What a model writes, as lines."""

from rich.cells import cell_len

from pellucid.training.reports import Sample
from pellucid.views.terminal import theme
from pellucid.views.terminal.sample import MARGIN, sample_lines


def test_the_prompt_stands_out():
    (line,) = sample_lines(Sample(step=1, prompt="It was", text=" so"), width=40)
    (given,) = (span for span in line.spans if span.style == theme.TITLE)
    assert line.plain[given.start : given.end] == "It was"
    assert not line.style


def test_line_ends_stay_and_long_lines_are_broken():
    text = "\n\nand " + "so on " * 30
    lines = list(sample_lines(Sample(step=1, prompt="a", text=text), width=30))
    assert [line.plain.rstrip() for line in lines[:2]] == [f"{MARGIN}a", MARGIN.rstrip()]
    assert all(cell_len(line.plain) <= 30 for line in lines)
    words = " ".join(line.plain.removeprefix(MARGIN) for line in lines).split()
    assert words == ["a", "and", *["so", "on"] * 30]
