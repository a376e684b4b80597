"""A training on a terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

import pellucid
from pellucid.cli.training_live import TrainingLive
from pellucid.text.documents import Document

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
TINY: dict[str, Any] = {"n_layer": 1, "n_head": 1, "n_embd": 4, "block_size": 8, "batch_size": 2}


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Console(file=io.StringIO(), force_terminal=True, color_system=None, width=90)


def written(screen):
    return screen.file.getvalue()


def train(live, **options):
    with live:
        pellucid.train(
            [Document.of("the mole sings\n" * 40)],
            **TINY,
            **options,
            on_preflight=live.on_preflight,
            on_step=live.on_step,
            on_validation=live.on_validation,
            on_sample=live.on_sample,
        )


def test_the_bar_is_gone_at_the_end_and_the_last_sample_stays(screen):
    live = TrainingLive(screen)
    train(live, steps=4, every=2)
    said = written(screen)
    assert said.count(HIDE) == said.count(SHOW) == 1
    after = said.partition(SHOW)[2]
    assert "\x1b[2K" in after  # It erases what stood there.
    assert "tokens/s" not in after
    assert live.sample is not None
    assert live.sample.step == 4
    assert live.sample.prompt.split("\n")[0] in after


def test_the_bar_says_how_far_it_is(screen):
    live = TrainingLive(screen)
    train(live, steps=4, every=4)
    screen.print(live.now())
    said = written(screen).splitlines()[-2]
    assert "4/4" in said
    assert f"validation {live.validated.split()[-1]}" in said
    assert "tokens/s" in said


def test_an_interruption_gives_the_cursor_back(screen, monkeypatch):
    def interrupt(report):
        raise KeyboardInterrupt

    live = TrainingLive(screen)
    monkeypatch.setattr(live, "on_step", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(live, steps=4)
    assert written(screen).count(HIDE) == written(screen).count(SHOW) == 1
