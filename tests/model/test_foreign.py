"""A model of another program is known by its folder, and opened by what reads it."""

import pytest

from pellucid.interop.huggingface import folder as huggingface
from pellucid.model.folder import load
from pellucid.model.foreign import foreign_reader
from tests.small_models import small_model


def test_a_folder_of_hugging_face_is_known_by_its_model_type(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "anything", "x": [1]}')
    assert foreign_reader(tmp_path) is huggingface.read
    with pytest.raises(ValueError, match="'anything' is a family that cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{" * 100_000, '{"vocab_size": 3}', "\xff"])
def test_anything_else_is_not(text, tmp_path):
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    assert foreign_reader(tmp_path) is None


def test_ours_is_not(tmp_path):
    assert foreign_reader(small_model().save(tmp_path / "model")) is None
    assert foreign_reader(tmp_path / "nothing") is None


def test_ours_has_nothing_to_widen(tmp_path):
    folder = small_model().save(tmp_path / "model")
    with pytest.raises(ValueError, match="no weights of 16 bits"):
        load(folder, widen="on use")
