"""A model's folder gives back exactly that model, and damage is told apart from it."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import pellucid
from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError
from pellucid.model.folder import load
from tests.small_models import OPTIONS, WORDS, random_ids, small_model

FILES = {"config.json", "model.safetensors", "tokenizer.json"}


@pytest.fixture
def saved(tmp_path):
    return small_model(tokenizer=WORDS, dtype="float32").save(tmp_path / "model")


def refused(source, **options):
    with pytest.raises(PellucidError) as caught:
        load(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# There and back


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_a_model_comes_back_bit_for_bit(option, dtype, tmp_path):
    model = small_model(option, dtype=dtype, tokenizer=WORDS)
    folder = model.save(tmp_path / "a" / "model")
    assert {path.name for path in folder.iterdir()} == FILES
    back = load(folder)
    assert (back.config, back.dtype) == (model.config, dtype)
    assert back.tokenizer is not None
    assert back.tokenizer.tokens == WORDS.tokens
    assert list(back.parameters) == list(model.parameters)
    for name, array in model.parameters.items():
        assert back.parameters[name].tobytes() == array.tobytes()
    ids = random_ids(model.config)
    assert back.logits(ids).tobytes() == model.logits(ids).tobytes()


def test_a_model_without_a_tokenizer(tmp_path):
    folder = small_model().save(tmp_path / "model")
    assert {path.name for path in folder.iterdir()} == FILES - {"tokenizer.json"}
    assert load(folder).tokenizer is None


def test_saving_again_takes_the_old_ones_place(saved):
    other = small_model("tied head", seed=5)
    other.save(saved)
    assert load(saved).config == other.config
    assert load(saved).tokenizer is None
    assert not [path for path in saved.iterdir() if path.name.startswith(".")]


def test_a_tied_head_is_stored_once(tmp_path):
    model = small_model("tied head")
    stored = load_file(model.save(tmp_path / "model") / "model.safetensors")
    assert set(stored) == set(model.parameters)
    assert "head.w" not in stored
    assert sum(array.size for array in stored.values()) == model.n_parameters


def test_in_another_precision(saved):
    model, double = load(saved), load(saved, dtype="float64")
    assert (model.dtype, double.dtype) == ("float32", "float64")
    for name, array in model.parameters.items():
        assert np.array_equal(double.parameters[name], array)
    assert "dtype='float16'" in refused(saved, dtype="float16")


def test_paths_may_be_text(saved):
    assert pellucid.load(str(saved)).config == load(saved).config


def test_what_is_loaded_cannot_be_written_to(saved):
    for array in load(saved).parameters.values():
        assert not array.flags.writeable


# Names


@pytest.mark.parametrize("name", sorted(set(PRESETS) - {"baby-groot"}))
def test_a_shape_without_weights_says_so(name):
    assert f'"{name}" is a shape without weights here' in refused(name)


def test_neither_a_folder_nor_a_preset():
    assert 'There is no model "baby-grot"' in refused("baby-grot")
    assert 'There is no model "runs/nowhere"' in refused("runs/nowhere")


def test_a_preset_with_weights():
    model = pellucid.load("baby-groot")
    assert model.n_parameters == 968
    assert model.config.vocab_size == 24
    assert model.vocabulary is not None
    assert len(model.vocabulary) == 24


def test_a_near_preset_is_offered():
    assert refused("baby-grot").endswith("Did you mean baby-groot?")


def test_a_folder_goes_before_a_preset(saved, monkeypatch):
    saved.rename(saved.with_name("gpt2"))
    monkeypatch.chdir(saved.parent)
    assert load("gpt2").config.vocab_size == 11


# Damage


def test_a_file_in_place_of_a_folder(saved):
    said = refused(saved / "config.json")
    assert "is a file; a model is a folder with config.json and model.safetensors" in said


def test_a_folder_that_is_no_model(tmp_path):
    assert "config.json is missing: this folder is not a model" in refused(tmp_path)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file_that_is_missing(saved, name):
    (saved / name).unlink()
    assert f"{name} is missing" in refused(saved)


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut_off(saved, name, share):
    content = (saved / name).read_bytes()
    (saved / name).write_bytes(content[: int(share * (len(content) - 2))])
    assert name in refused(saved)


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("content", [b"hello", b"\x80\x02}q\x00.", b"[1, 2]", b"null", b"\xff\xfe"])
def test_a_file_of_another_kind(saved, name, content):
    (saved / name).write_bytes(content)
    assert name in refused(saved)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_folder_in_place_of_a_file(saved, name):
    (saved / name).unlink()
    (saved / name).mkdir()
    assert name in refused(saved)


def change_config(saved, **changes):
    path = saved / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_config_that_does_not_add_up(saved):
    change_config(saved, n_head=3, d_head=0, n_kv_head=0)
    said = refused(saved)
    assert "config.json: " in said
    assert "n_embd=8 does not divide into n_head=3 heads" in said


def test_a_config_with_an_unknown_field(saved):
    change_config(saved, n_layers=3)
    assert 'config.json: A model config has no field "n_layers". Did you mean n_layer' in refused(
        saved
    )


def test_weights_of_another_shape(saved):
    change_config(saved, d_mlp=16)
    said = refused(saved)
    assert "model.safetensors: blocks.0.mlp.w_in is [8, 12], but this model's is [8, 16]" in said


def change_weights(saved, change):
    path = saved / "model.safetensors"
    arrays = load_file(path)
    change(arrays)
    save_file(arrays, path)


def test_weights_with_one_missing_or_one_too_many(saved):
    change_weights(saved, lambda arrays: arrays.pop("final_norm.gamma"))
    assert "model.safetensors: The parameters lack final_norm.gamma [8]" in refused(saved)
    change_weights(saved, lambda arrays: arrays.update({"final_norm.gamma": np.ones(8)}))
    change_weights(saved, lambda arrays: arrays.update({"mask": np.ones(3)}))
    assert 'This model has no parameter "mask"' in refused(saved)


def test_weights_of_whole_numbers(saved):
    change_weights(saved, lambda arrays: arrays.update({"head.b": np.zeros(11, dtype=np.int32)}))
    assert "head.b holds int32, not floating-point numbers" in refused(saved)


def test_a_tokenizer_of_another_model(saved, tmp_path):
    larger = WORDS.words(["one two three four five six seven eight nine ten"])
    larger.save(saved / "tokenizer.json")
    assert "The tokenizer has 13 tokens, the model only vocab_size=11" in refused(saved)


def test_where_nothing_can_be_written(saved):
    with pytest.raises(PellucidError, match="cannot be written"):
        small_model().save(saved / "config.json")


def test_a_failed_save_leaves_what_was_there(saved, monkeypatch):
    before = {path.name: path.read_bytes() for path in saved.iterdir()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(PellucidError, match="No space left on device"):
        small_model(seed=9).save(saved)
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == before


def test_a_name_longer_than_a_file_can_have():
    assert refused("x" * 5000).endswith("cannot be read: File name too long.")


def test_a_wrong_precision_is_not_blamed_on_the_weights():
    with pytest.raises(PellucidError) as error:
        load("baby-groot", dtype="float16")
    assert str(error.value) == "dtype='float16' is neither float32 nor float64."
