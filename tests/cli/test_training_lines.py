"""A training as lines of text."""

import io

import pytest
from rich.console import Console

from pellucid.cli.training_lines import LONGEST_SILENCE, TrainingLines
from pellucid.training.reports import Sample, TrainingStep, Validation


def lines_on(encoding="utf-8"):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return TrainingLines(Console(file=file, width=80)), file


def written(file):
    file.flush()
    return file.buffer.getvalue().decode(file.encoding)


def step(number, *, loss=1.0, seconds=0.5, tokens=100):
    return TrainingStep(
        step=number,
        steps=1000,
        loss=loss,
        learning_rate=0.1,
        gradient_norm=1.0,
        tokens=tokens,
        seconds=seconds,
    )


def validation(number, loss=1.5):
    return Validation(step=number, loss=loss, bits_per_byte=2.1, best=True)


def test_a_line_has_the_mean_and_the_speed_of_the_steps_since_the_line_before():
    lines, file = lines_on()
    for number, loss in enumerate((4.0, 2.0), start=1):
        lines.on_step(step(number, loss=loss))
    lines.on_validation(validation(2))
    lines.on_step(step(3, loss=1.0, seconds=0.25))
    lines.on_validation(validation(3))
    first, second = written(file).splitlines()
    assert first.split()[:5] == ["2/1,000", "3.0000", "1.5000", "2.1000", "4.48"]
    # 200 tokens in 1 s, and 998 more steps of half a second.
    assert first.split()[5:9] == ["200", "8", "min", "19"]
    assert second.split()[1] == "1.0000"
    assert second.split()[5] == "400"


def test_a_long_silence_is_broken():
    lines, file = lines_on()
    lines.validates = True
    lines.on_step(step(1, seconds=LONGEST_SILENCE))
    assert written(file) == ""
    lines.on_step(step(2, seconds=1.0))
    assert written(file).split()[0] == "2/1,000"


def test_a_sample_keeps_its_lines_and_cannot_move_the_cursor():
    lines, file = lines_on()
    lines.on_sample(Sample(step=1, prompt="It was", text=" so\nand \x1b[2Jso"))
    assert written(file).splitlines() == ["  │ It was so", "  │ and U+001B[2Jso"]


def test_an_output_without_all_characters_gets_others():
    lines, file = lines_on("ascii")
    lines.on_sample(Sample(step=1, prompt="né", text=" ∞"))
    assert written(file).splitlines() == ["  | n? inf"]


@pytest.mark.parametrize("best", [True, False])
def test_a_line_says_whether_it_is_the_best(best):
    lines, file = lines_on()
    lines.on_step(step(1))
    lines.on_validation(Validation(step=1, loss=1.0, bits_per_byte=1.0, best=best))
    assert written(file).rstrip().endswith("best") == best
