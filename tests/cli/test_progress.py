"""The bars that stand while a model is trained, and while things are done one by one."""

import io

import pytest
from rich.console import Console

from pellucid.cli.progress import CountBar, TrainingBar
from pellucid.training.history import Epoch

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


@pytest.fixture(autouse=True)
def _able_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def console(*, terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, color_system=None, width=80)


def written(console):
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def epoch(number):
    return Epoch(number=number, loss=1 / number, mean_of_batches=0.0, learning_rate=0.0)


def test_it_stands_from_the_first_epoch_to_the_last():
    screen = console(terminal=True)
    with TrainingBar(3, screen) as bar:
        assert written(screen) == ""
        bar.update(epoch(1))
        assert HIDE in written(screen)
        bar.update(epoch(2))
        assert SHOW not in written(screen)
        bar.update(epoch(3))
        assert SHOW in written(screen)
        assert "3/3 epochs, loss 0.3333 nats" in written(screen)


def test_what_is_counted_stands_until_the_end():
    screen = console(terminal=True)
    with CountBar("Drawing", "steps", screen) as bar:
        assert written(screen) == ""
        bar.update(1, 3)
        assert HIDE in written(screen)
        bar.update(3, 3)
        assert SHOW not in written(screen)
    assert SHOW in written(screen)
    assert "Drawing" in written(screen)
    assert "3/3 steps" in written(screen)
    file = console(terminal=False)
    with CountBar("Drawing", "steps", file) as bar:
        bar.update(1, 1)
    assert written(file) == ""


def interrupt_after_the_first_epoch(bar):
    with bar:
        bar.update(epoch(1))
        raise KeyboardInterrupt


def test_an_interruption_gives_the_cursor_back():
    screen = console(terminal=True)
    bar = TrainingBar(3, screen)
    with pytest.raises(KeyboardInterrupt):
        interrupt_after_the_first_epoch(bar)
    assert HIDE in written(screen)
    assert SHOW in written(screen)


def test_without_a_terminal_nothing_is_written():
    file = console(terminal=False)
    with TrainingBar(2, file) as bar:
        bar.update(epoch(1))
        bar.update(epoch(2))
    assert written(file) == ""
