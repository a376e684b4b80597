"""The tour as a whole: its parts, what they promise together, and what is refused at once."""

import numpy as np
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.tour import PARTS, chapter, tour
from pellucid.training.history import Epoch
from pellucid.views.scene import Matrix, Prose
from pellucid.views.terminal import to_text
from tests.small_models import OPTIONS, SMALL, WORDS
from tests.tour.scenes import links, of_kind, words

TEXT = "text:"
"""What a link to a text begins with."""


def test_an_opening_and_seven_parts_follow_each_other():
    scenes = list(tour())
    assert len(scenes) == 8
    assert [s.title.partition(":")[0] for s in scenes[1:]] == [f"Part {n}" for n in range(1, 8)]
    assert all(scene.blocks for scene in scenes)


@pytest.mark.parametrize("number", range(1, 8))
def test_a_part_alone_is_the_same_as_within_the_whole(lesson, number):
    (alone,) = tour(part=number)
    assert to_text(alone) == to_text(chapter(lesson, number))


def test_the_same_seed_makes_the_same_tour_and_another_seed_another():
    one, same, another = (to_text(tour(seed=seed, part=4)) for seed in (3, 3, 4))
    assert one == same != another


def test_parts_are_built_as_they_are_asked_for():
    epochs: list[Epoch] = []
    scenes = tour(on_epoch=epochs.append)
    next(scenes)
    assert next(scenes).title == "Part 1: Data"
    assert not epochs
    assert next(scenes).title == "Part 2: Model and training"
    assert [epoch.number for epoch in epochs] == list(range(1, 201))


def test_the_main_training_is_heard_of_once():
    epochs: list[Epoch] = []
    assert len(list(tour(on_epoch=epochs.append))) == 8
    assert len(epochs) == 200


# Every kind of lesson


@pytest.mark.parametrize("width", [80, 120, 200])
def test_every_part_fits_every_page(any_scenes, width):
    lines = to_text(any_scenes.values(), width=width).splitlines()
    assert max(map(len, lines)) <= width


def is_part_of(matrix, tensor):
    """Whether a matrix is the tensor, one head of it, or those columns of a weight matrix."""
    own = [part.values for part in Matrix.each(tensor)]
    if matrix.columns.dim in ("d_attn", "d_kv"):
        own = [part[:, [int(column) for column in matrix.columns.labels]] for part in own]
    return any(np.array_equal(matrix.values, part) for part in own)


def test_every_matrix_is_the_models_own(any_lesson, any_scenes):
    for number in range(1, 7):
        for matrix in of_kind(any_scenes[number].blocks, Matrix):
            assert is_part_of(matrix, any_lesson.trace[matrix.name])


def test_every_link_leads_to_a_tensor_or_a_parameter(any_lesson, any_scenes):
    for scene in any_scenes.values():
        for target in links(scene.blocks):
            if target.startswith(TEXT):
                assert any_lesson.model.trace(target.removeprefix(TEXT)).tokens
            else:
                assert target.partition("[")[0] in any_lesson.trace


def test_every_number_that_is_quoted_from_a_tensor_is_the_one_at_its_place(any_lesson, any_scenes):
    quoted = 0
    for scene in any_scenes.values():
        for block in of_kind(scene.blocks, Prose):
            for part in (part for paragraph in block.paragraphs for part in paragraph):
                name, _, places = (part.target or "").rstrip("]").partition("[")
                if places and not name.startswith(TEXT):
                    value = any_lesson.trace[name].values[tuple(map(int, places.split(",")))]
                    assert part.text in (f"{value:.3f}", f"{100 * value:.1f}%")
                    quoted += 1
    assert quoted >= 4


@pytest.mark.parametrize("number", range(1, 8))
def test_prose_speaks_of_no_word_that_is_not_there(number):
    (scene,) = tour(corpus=("birds sing", "fish swim", "birds fly high"), part=number)
    # A preset is called so, whatever it is trained on.
    assert "groot" not in to_text(scene).replace("--preset baby-groot", "")
    assert "0.7264" not in to_text(scene)


def test_a_users_words_are_not_read_as_markup():
    text = to_text(tour(corpus=("a *bold* [link](x) `code`",)), width=200)
    assert '"<START> a *bold* [link](x) `code`"' in text


def test_the_prompt_is_the_first_sentence_of_ones_own_corpus():
    (scene,) = tour(corpus=("birds sing", "fish swim"), part=1)
    assert 'of "birds sing"' in words(scene.blocks)


def test_a_file_of_sentences_can_be_the_corpus(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("birds sing\n\nfish swim\n", encoding="utf-8")
    (scene,) = tour(corpus=path, part=1)
    assert "2 sentences" in words(scene.blocks)


# A model that was made before


@pytest.mark.parametrize("option", OPTIONS)
def test_a_given_model_of_any_kind_is_shown_without_a_training(option):
    model = Model.from_config(SMALL.replace(**OPTIONS[option]), WORDS, scheme="torch")
    scenes = list(tour("oak elm oak", model=model))
    assert len(scenes) == 8
    assert "was given to the tour, not trained in it" in words(scenes[2].blocks)
    assert max(len(line) for line in to_text(scenes, width=80).splitlines()) <= 80
    for scene in scenes[3:7]:
        for matrix in of_kind(scene.blocks, Matrix):
            assert is_part_of(matrix, model.trace("oak elm oak")[matrix.name])


def test_a_given_model_is_held_against_a_corpus_where_there_is_one(given, given_with_corpus):
    assert "The floor under the loss" not in to_text(chapter(given, 2))
    assert "The floor under the loss" in to_text(chapter(given_with_corpus, 2))
    assert "What the mask buys" in to_text(chapter(given_with_corpus, 4))


def test_characters_can_be_tokens():
    tokenizer = Tokenizer.characters(GROOT)
    shape = ModelConfig(
        vocab_size=tokenizer.vocab_size, block_size=16, n_layer=1, n_head=2, n_embd=8
    )
    model = Model.from_config(shape, tokenizer)
    assert len(list(tour("i am", model=model))) == 8


# What is refused, before anything is trained


def test_a_corpus_that_would_take_hours_is_refused_at_once():
    with pytest.raises(PellucidError, match="1,000,010 characters, and a tour"):
        tour(corpus=["i am groot"] * 100_001)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"part": 0}, "no part 0"),
        ({"part": 8}, "parts 1 to 7"),
        ({"prompt": "i am gruut"}, "Did you mean groot"),
        ({"prompt": "i am groot groot"}, "5 tokens.*context is 4"),
        ({"corpus": []}, "empty"),
        ({"corpus": ["  "]}, "empty"),
        ({"corpus": "nowhere.txt"}, "nowhere.txt"),
        ({"model": Model.from_config(SMALL)}, "no tokenizer"),
        (
            {"model": Model.from_config(SMALL, WORDS), "prompt": "oak", "corpus": ["oak " * 9]},
            "10 tokens.*context is 6",
        ),
        (
            {"model": Model.from_config(SMALL, WORDS), "prompt": "oak", "corpus": ["oak ivy"]},
            "ivy",
        ),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_shown_is_refused_at_once(arguments, said):
    with pytest.raises(PellucidError, match=said):
        tour(**arguments)


def test_the_opening_says_how_to_see_one_part():
    assert "One part at a time: pellucid tour --part 4" in words(next(tour()).blocks)


def test_each_part_names_its_question():
    assert all(part.question.endswith("?") for part in PARTS)
