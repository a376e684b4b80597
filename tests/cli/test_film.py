"""`pellucid film`, and `pellucid train --film` before it."""

import json

import pytest
from PIL import Image

import pellucid
from pellucid.training.film_file import FILM
from tests.training.texts import TEXT

TINY = (
    *("--n-layer", "1", "--n-head", "2", "--n-embd", "8", "--block-size", "8"),
    *("--batch-size", "4", "--steps", "6", "--every", "3"),
)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def filmed(run, text, tmp_path):
    """The folder of a run with a film of steps 0, 2, 4 and 6."""
    assert run("train", str(text), "--out", str(tmp_path / "run"), *TINY, "--film", "2").code == 0
    return tmp_path / "run"


def test_a_training_keeps_a_film_and_says_how_to_watch_it(run, text, tmp_path):
    outcome = run(
        "train", str(text), "--out", str(tmp_path / "run"), *TINY, "--film", "0,3,6", "--film-half"
    )
    assert outcome.code == 0
    assert "The film keeps 3 steps" in outcome.out
    assert f'Watch it: pellucid film {tmp_path / "run"} "a prompt" --out film.gif' in outcome.out
    film = pellucid.film(tmp_path / "run")
    assert film.steps == (0, 3, 6)
    assert film.dtype == "float16"


def test_without_it_none_is_kept_and_none_is_spoken_of(run, text, tmp_path):
    outcome = run("train", str(text), "--out", str(tmp_path / "run"), *TINY)
    assert not (tmp_path / "run" / FILM).exists()
    assert "film" not in outcome.out


def test_sentences_have_a_film_too(run, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("the sun is up\nthe moon is down\n", encoding="utf-8")
    out = str(tmp_path / "run")
    done = run("train", str(path), "--preset", "baby-groot", "--film", "100", "--out", out)
    assert done.code == 0
    assert "Watch it: pellucid film" in done.out
    outcome = run("film", out)
    assert "3 epochs, 0 to 200" in outcome.out


def test_a_film_by_itself_is_its_steps_and_losses(run, filmed):
    outcome = run("film", str(filmed))
    assert outcome.code == 0
    assert "4 steps, 0 to 6" in outcome.out
    for _, loss in pellucid.film(filmed).losses.training[1::2]:
        assert f"{loss:.3f}" in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_of_a_prompt_it_shows_embeddings_a_pattern_and_the_next_token(run, filmed):
    outcome = run("film", str(filmed), "the fox", "--head", "1")
    for title in ("Embeddings on their way", "block 0, head 1", "What comes after", "Loss"):
        assert title in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_a_tensor_over_the_steps(run, filmed):
    outcome = run("film", str(filmed), "the", "--show", "blocks.0.attn.pattern", "--steps", "2,6")
    assert "step 6, head 1" in outcome.out
    assert "step 4" not in outcome.out
    value = pellucid.film(filmed).model(6).trace("the")["blocks.0.attn.pattern"].values[1, 2, 0]
    assert f"{value:.3f}" in outcome.out


def test_programs_read_json(run, filmed):
    facts = json.loads(run("film", str(filmed), "--json").out)
    assert facts["steps"] == [0, 2, 4, 6]
    assert facts["unit"] == "step"
    assert len(facts["losses"]["training"]) == 6
    seen = json.loads(run("film", str(filmed), "the fox", "--json", "--steps", "0,6").out)
    (probs,) = seen["tensors"]
    assert seen["steps"] == [0, 6]
    assert probs["dims"] == ["step", "position", "vocab"]
    own = pellucid.film(filmed).trace("the fox", steps=[0, 6])["probs"]
    assert probs["values"] == own.values.tolist()


def test_an_animation_is_written(run, filmed, tmp_path):
    out = tmp_path / "film.gif"
    outcome = run(
        *("film", str(filmed), "the fox", "--out", str(out), "--per-second", "1"),
        *("--frames", "2", "--theme", "dark"),
    )
    assert outcome.code == 0
    assert outcome.out == f"Written to {out}\n"
    with Image.open(out) as image:
        assert image.size == (960, 540)


def test_the_views_are_written_as_a_picture(run, filmed, tmp_path):
    out = tmp_path / "film.svg"
    outcome = run("film", str(filmed), "the fox", "--out", str(out))
    assert outcome.out == f"Written to {out}\n"
    assert "Embeddings on their way" in out.read_text(encoding="utf-8")


def test_ids_will_do_instead_of_text(run, filmed):
    text = run("film", str(filmed), "the").out
    ids = pellucid.film(filmed).trace("the").ids
    assert run("film", str(filmed), "--ids", ",".join(map(str, ids))).out == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--out", "film.gif"), "A film is of a prompt"),
        (("the fox", "--steps", "3"), "The film has no step 3. Near it are 0, 2, 4."),
        (("the fox", "--head", "7"), "head=7 is out of range"),
        (("the fox", "--block", "7"), "block=7 is out of range"),
        (("the fox", "--show", "patern"), 'no tensor "patern"'),
        (("the fox", "--out", "film.webp"), "no ending of a picture"),
        (("the fox that ran and ran",), "context"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_line(refused, filmed, arguments, said):
    assert said in refused("film", str(filmed), *arguments)


def test_a_folder_without_a_film_is_refused(refused, folder):
    assert "a film is kept by pellucid train --film 10" in refused("film", str(folder))


@pytest.mark.parametrize("film", ["often", "0", "1,x"])
def test_what_is_no_plan_is_refused(refused, text, tmp_path, film):
    out = str(tmp_path / "run")
    said = refused("train", str(text), "--out", out, *TINY, "--film", film)
    assert "film" in said


def test_it_is_no_option_of_going_on(refused, filmed):
    said = refused("train", "--resume", str(filmed), "--film", "3")
    assert "--film does not go with --resume" in said


@pytest.mark.parametrize(
    ("options", "needs"),
    [
        (("--theme", "dark"), "--out FILE."),
        (("--frames", "4"), "--out FILE.gif or FILE.mp4."),
        (("--per-second", "4", "--out", "film.svg"), "--out FILE.gif or FILE.mp4."),
    ],
)
def test_an_option_of_a_file_that_is_not_written_is_refused(run, filmed, options, needs):
    outcome = run("film", str(filmed), "a", *options)
    assert outcome.code == 2
    assert options[0] in outcome.err
    assert needs in " ".join(outcome.err.split())
