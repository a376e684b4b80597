"""`pellucid explore`: one file, or a server (see tests/serve/test_server.py)."""

import json
import socket

import pytest

from pellucid.cli.browser import has_display
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import small_config

OPEN = ("explore", "baby-groot", "i am groot")


def read_page(path):
    """What a page was handed."""
    _, data = path.read_text(encoding="utf-8").split('id="pellucid-page">')
    return json.loads(data.partition("</script>")[0])


def test_one_file_holds_the_model_and_the_text(run, tmp_path):
    path = tmp_path / "page.html"
    outcome = run(*OPEN, "--static", str(path))
    assert (outcome.code, outcome.out, outcome.err) == (0, f"Wrote {path}\n", "")
    page = read_page(path)
    assert (page["title"], page["prompt"]["text"]) == ("baby-groot", "i am groot")
    assert page["parameters"]["bytes"]
    assert page["server"] == ""


def test_without_a_text_it_opens_at_the_start(run, tmp_path):
    path = tmp_path / "page.html"
    assert run("explore", "baby-groot", "--static", str(path)).code == 0
    assert read_page(path)["prompt"]["ids"] == [1]
    assert run("explore", "baby-groot", "--ids", "3,8", "--static", str(path)).code == 0
    assert read_page(path)["prompt"] == {"text": None, "ids": [3, 8]}


@pytest.mark.parametrize(("words", "begins"), [("hat the ear", "the"), ("xyz xyz zy", "x")])
def test_without_a_start_token_it_opens_with_a_first_word(run, tmp_path, words, begins):
    tokenizer = Tokenizer.characters([words], running=True)
    config = small_config().replace(vocab_size=tokenizer.vocab_size)
    folder = Model.from_config(config, tokenizer).save(tmp_path / "model")
    page = tmp_path / "page.html"
    assert run("explore", str(folder), "--static", str(page)).code == 0
    assert read_page(page)["prompt"] == {"text": begins, "ids": tokenizer.encode(begins)}


def test_a_model_without_words_is_opened_by_ids(run, tmp_path):
    path = tmp_path / "page.html"
    outcome = run("explore", "lesson-3", "--random", "0", "--ids", "1,2", "--static", str(path))
    assert outcome.code == 0
    assert read_page(path)["tokenizer"] is None


def test_what_cannot_be_opened_is_refused_in_one_line(refused, tmp_path):
    assert "Did you mean groot?" in refused("explore", "baby-groot", "i am gruut")
    assert "nowhere" in refused("explore", "nowhere")
    assert "cannot be written" in refused(*OPEN, "--static", str(tmp_path / "none" / "page.html"))
    assert "gruut" in refused(*OPEN, "--target", "gruut", "--static", str(tmp_path / "page.html"))


def test_a_port_that_is_taken_is_refused_in_one_line(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port} cannot be listened on" in refused(*OPEN, "--port", port)
    assert "cannot be listened on" in refused(*OPEN, "--host", "no.such.host.invalid")


@pytest.mark.parametrize(
    ("environment", "seen"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"BROWSER": "firefox"}, True),
        ({"SSH_CONNECTION": "far"}, False),
        ({"SSH_CONNECTION": "far", "DISPLAY": "localhost:10.0"}, True),
    ],
)
def test_a_window_is_opened_only_where_it_would_be_seen(environment, seen, monkeypatch):
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", "linux")
    assert has_display() == seen
