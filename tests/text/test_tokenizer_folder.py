"""A tokenizer's folder gives back what was written into it."""

import pickle

import pytest

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT
from pellucid.text.special_tokens import SpecialTokens
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import MOST_BYTES, load_tokenizer, save_tokenizer

WORDS = Tokenizer.words(GROOT)
STATED = WORDS.with_settings(
    special=SpecialTokens(end=4, stops=(4, 5)), chat_template="{{ messages }} 🌱\n"
)


def files(folder):
    return {path.name for path in folder.iterdir()}


def test_settings_are_kept_beside_the_tokenizer(tmp_path):
    save_tokenizer(STATED, tmp_path)
    assert files(tmp_path) == {"tokenizer.json", "special_tokens.json", "chat_template.jinja"}
    loaded = load_tokenizer(tmp_path)
    assert loaded is not None
    assert loaded.stated == STATED.stated
    assert loaded.chat_template == STATED.chat_template
    assert loaded.digest == STATED.digest


def test_a_tokenizer_that_is_spelled_out_is_one_file(tmp_path):
    save_tokenizer(STATED, tmp_path)
    save_tokenizer(WORDS, tmp_path)
    assert files(tmp_path) == {"tokenizer.json"}
    loaded = load_tokenizer(tmp_path)
    assert loaded is not None
    assert loaded.stated is None


def test_without_a_tokenizer_nothing_stays(tmp_path):
    save_tokenizer(STATED, tmp_path)
    save_tokenizer(None, tmp_path)
    assert files(tmp_path) == set()
    assert load_tokenizer(tmp_path) is None


def test_settings_survive_pickling():
    copy = pickle.loads(pickle.dumps(STATED))
    assert (copy.stated, copy.chat_template) == (STATED.stated, STATED.chat_template)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("special_tokens.json", b"{", "special_tokens.json: it does not hold special tokens"),
        ("special_tokens.json", b'{"end": 500}', "end=500 is none of the 24 tokens"),
        ("chat_template.jinja", b"\xff", "chat_template.jinja is not UTF-8"),
        ("chat_template.jinja", b"a" * (MOST_BYTES + 1), "more than the 16,777,216 bytes"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, name, content, said):
    save_tokenizer(STATED, tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PellucidError, match=said):
        load_tokenizer(tmp_path)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path):
    save_tokenizer(WORDS, tmp_path)
    (tmp_path / "special_tokens.json").mkdir()
    with pytest.raises(PellucidError, match="cannot be read: Is a directory"):
        load_tokenizer(tmp_path)
