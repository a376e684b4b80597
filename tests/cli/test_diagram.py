"""`pellucid diagram`."""

from xml.etree import ElementTree

import pytest

from pellucid.cli.models import open_model
from pellucid.decoder.presets import PRESETS
from pellucid.views.diagram import diagram


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_drawn_without_weights(run, preset, monkeypatch):
    def draw(*_, **__):
        raise AssertionError("weights were made")

    monkeypatch.setattr("pellucid.model.model.initialise", draw)
    outcome = run("diagram", preset, "--depth", "overview")
    assert outcome.code == 0
    assert outcome.out.startswith(f"{preset}\n")
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_a_folder_is_drawn_without_weights(run, folder):
    (folder / "model.safetensors").unlink()
    outcome = run("diagram", str(folder), "--prompt", "i am groot")
    assert outcome.code == 0
    assert "4 tokens: <START> | i | am | groot" in outcome.out


def test_a_folder_is_drawn_as_it_is_stored(run, folder):
    drawn = diagram(open_model("baby-groot", random=0).graph, title=folder.name)
    assert run("diagram", str(folder)).out == drawn.text()


@pytest.mark.parametrize("format", ["svg", "mermaid"])
@pytest.mark.parametrize("depth", ["overview", "block", "deep"])
def test_formats_that_are_text_are_printed(run, format, depth):
    graph = open_model("baby-groot", random=0).graph
    drawn = diagram(graph, depth=depth, title="baby-groot")
    wanted = {"svg": drawn.svg(), "mermaid": drawn.mermaid()}[format]
    assert run("diagram", "baby-groot", "--format", format, "--depth", depth).out == wanted


def test_a_prompt_is_written_in(run):
    out = run("diagram", "baby-groot", "--prompt", "i am groot").out
    assert "4 tokens: <START> | i | am | groot" in out
    assert "head 1 × query 4 × key 4" in out


def test_ids_need_no_tokenizer(run):
    out = run("diagram", "gpt2", "--ids", "464,50256").out
    assert "2 tokens: 464 | 50256" in out
    assert "head 12 × query 2 × key 2" in out


def test_unfolded_every_block_has_a_frame(run):
    out = run("diagram", "nano", "--unfold", "--depth", "overview").out
    assert [f" blocks.{i} ─" in out for i in range(5)] == [True, True, True, True, False]


@pytest.mark.parametrize("file", ["a.svg", "a.png", "a.pdf", "a.mmd", "a.txt"])
def test_a_file_is_written_and_named(run, tmp_path, file):
    path = tmp_path / file
    outcome = run("diagram", "baby-groot", "--depth", "overview", "--out", str(path))
    assert outcome.out == f"Written to {path}\n"
    assert path.stat().st_size > 1000


def test_a_theme_may_be_chosen(run):
    document = run("diagram", "baby-groot", "--format", "svg", "--theme", "dark").out
    assert ElementTree.fromstring(document).attrib["class"] == "pellucid-diagram-dark"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--depth", "blocks"], 'There is no depth "blocks". Did you mean block?'),
        (["--format", "pgn"], 'There is no format "pgn". Did you mean png?'),
        (["--format", "png"], "A PNG is no text: give --out FILE.png."),
        (["--format", "pdf"], "A PDF is no text: give --out FILE.pdf."),
        (["--theme", "drak"], 'There is no theme "drak". Did you mean dark?'),
        (["--out", "a.jpeg"], "a.jpeg has no ending of a diagram"),
        (["--prompt", "i am", "--ids", "1,2"], "Give a prompt or ids, not both."),
        (["--ids", "1,24"], "24 is not an id of this vocabulary of 24 tokens."),
        (["--ids", "1,2,3,4,5"], "The prompt has 5 tokens, and this model reads at most 4."),
        (["--prompt", "i am grot"], "grot"),
    ],
)
def test_what_cannot_be_drawn_is_refused(refused, arguments, said):
    assert said in refused("diagram", "baby-groot", *arguments)


def test_a_shape_without_a_vocabulary_reads_no_prompt(refused):
    assert "shape without a vocabulary" in refused("diagram", "gpt2", "--prompt", "i am")
