"""What MODEL stands for: presets and folders."""

import numpy as np
import pytest

from pellucid.cli.models import open_config, open_model, open_shape, open_tokenizer
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.interop.seeds import lesson_3


def test_fresh_weights_follow_from_their_seed():
    first, same, other = (open_model("baby-groot", random=seed) for seed in (0, 0, 1))
    for name, values in first.parameters.items():
        np.testing.assert_array_equal(values, same.parameters[name])
    assert any(
        (values != other.parameters[name]).any() for name, values in first.parameters.items()
    )


def test_a_fresh_baby_groot_reads_its_sentences():
    assert open_model("baby-groot", random=0).trace("i am groot").ids == (1, 11, 3, 8)


def test_a_fresh_lesson_3_is_the_lessons():
    drawn, (lesson, _) = open_model("lesson-3", random=42, dtype="float64"), lesson_3(42)
    for name, values in lesson.parameters.items():
        np.testing.assert_array_equal(drawn.parameters[name], values)


def test_a_preset_with_weights_has_been_trained():
    trained, fresh = open_model("baby-groot"), open_model("baby-groot", random=0)
    assert trained.trace("i am", target="groot").loss < 0.01
    assert fresh.trace("i am", target="groot").loss > 1


def test_a_folder_is_opened_in_the_precision_that_is_asked_for(folder):
    assert open_model(str(folder)).dtype == "float32"
    assert open_model(str(folder), dtype="float64").dtype == "float64"


def test_a_folders_weights_are_not_drawn_anew(folder):
    with pytest.raises(PellucidError, match="has weights of its own: leave --random out"):
        open_model(str(folder), random=0)


def test_a_preset_without_weights_says_how_to_get_some():
    with pytest.raises(PellucidError, match="--random SEED"):
        open_model("gpt2")


@pytest.mark.parametrize("name", ["gtp2", "GPT2"])
def test_a_misspelt_preset_is_met_with_near_ones(name):
    with pytest.raises(PellucidError, match="Did you mean gpt2"):
        open_model(name, random=0)


def test_a_tokenizer_is_opened_without_the_weights(folder):
    (folder / "model.safetensors").unlink()
    assert open_tokenizer(str(folder)).prompt("i am") == [1, 11, 3]
    assert open_tokenizer("baby-groot").prompt("i am") == [1, 11, 3]


def test_a_missing_tokenizer_is_named(folder):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(PellucidError, match=r"tokenizer\.json is missing"):
        open_tokenizer(str(folder))
    with pytest.raises(PellucidError, match="a shape without a vocabulary"):
        open_tokenizer("gpt2")
    with pytest.raises(PellucidError, match='no model "nowhere"'):
        open_tokenizer("nowhere")


def test_a_shape_needs_no_weights_but_a_folders_are_read(folder):
    assert open_shape("gpt2-xl") == (preset("gpt2-xl"), "float32")
    assert open_shape("gpt2-xl", dtype="float64")[1] == "float64"
    assert open_shape(str(folder)) == (preset("baby-groot"), "float32")
    (folder / "model.safetensors").unlink()
    with pytest.raises(PellucidError, match=r"model\.safetensors is missing"):
        open_shape(str(folder))


def test_a_config_is_read_without_weights(folder):
    (folder / "model.safetensors").unlink()
    assert open_config(str(folder)) == open_config("baby-groot") == preset("baby-groot")
    with pytest.raises(PellucidError, match='no model "nowhere"'):
        open_config("nowhere")
