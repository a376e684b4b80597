"""The real command line, run inside the test's own process."""

import io
import sys
from dataclasses import dataclass

import pytest

from pellucid.cli.main import main
from pellucid.cli.models import open_model
from pellucid.model.model import Model


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command line: `run("tokens", "baby-groot", "i am")`; `typed` is its standard input."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def refused(run):
    """Run a command line that must be refused in one line; return that line."""

    def refused(*arguments, **options):
        outcome = run(*arguments, **options)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("pellucid: ")
        assert outcome.err.count("\n") == 1
        return outcome.err.removeprefix("pellucid: ").rstrip("\n")

    return refused


@pytest.fixture
def folder(tmp_path):
    """A model's folder: BabyGroot with fresh weights."""
    return open_model("baby-groot", random=0).save(tmp_path / "groot")


@pytest.fixture
def chatty(tmp_path):
    """The same with a chat template: what was said last, and the end token behind it."""
    groot = open_model("baby-groot", random=0)
    assert groot.tokenizer is not None
    tokenizer = groot.tokenizer.with_settings(
        special=None,
        chat_template="{{ messages[-1].content }} <END>{{ ' we' * (messages|length // 2) }}",
    )
    return Model(groot.config, groot.parameters, tokenizer).save(tmp_path / "chatty")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    """The ids of a text are kept here, not in the cache of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
