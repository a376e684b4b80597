"""`transformers` opens the tokenizers that we write, and reads the same ids out of texts."""

import json

import pytest
import transformers

from pellucid.interop.huggingface.export_tokenizer import write_tokenizer
from pellucid.text.special_tokens import SpecialTokens
from pellucid.text.tokenizer import Tokenizer

TEXTS = [
    "the sun is warm",
    "don't go , 'bout 123 . x <b> $1",
    "lines\n\n\tand  gaps ",
    "é 🙂‍🙂 שלום e\u0301",
]
KINDS = {
    "words": Tokenizer.words(TEXTS),
    "words, unknown ones too": Tokenizer.words(TEXTS, unknown=True),
    "words, running": Tokenizer.words(TEXTS, running=True),
    "characters": Tokenizer.characters(TEXTS),
    "characters, unknown ones too": Tokenizer.characters(TEXTS, unknown=True, running=True),
    "byte pairs": Tokenizer.byte_pairs(TEXTS, vocab_size=280),
}
FAMILIES = ["gpt2", "llama", "gemma3_text", "qwen3"]
"""Some of them have tokenizers of their own in `transformers`."""


def reopened(tokenizer, folder, *, family="gpt2"):
    write_tokenizer(tokenizer, folder, block_size=64)
    (folder / "config.json").write_text(json.dumps({"model_type": family}))
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_ids_and_the_same_text(kind, family, tmp_path):
    ours = KINDS[kind]
    theirs = reopened(ours, tmp_path, family=family)
    texts = [*TEXTS, "", *(["the moon? \x00"] if "unknown" in kind or "byte" in kind else [])]
    for text in texts:
        ids = ours.prompt(text)
        assert theirs(text).input_ids == ids
        assert theirs.decode(ids, skip_special_tokens=True) == ours.decode(ids)
    assert len(theirs) == ours.vocab_size
    assert theirs.model_max_length == 64


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens_are_the_same(kind, tmp_path):
    theirs, special = reopened(KINDS[kind], tmp_path), KINDS[kind].special
    assert theirs.bos_token_id == special.start
    assert theirs.eos_token_id == special.end
    assert theirs.pad_token_id == special.pad


def test_special_tokens_that_are_stated(tmp_path):
    stated = KINDS["words"].with_settings(
        special=SpecialTokens(start=1, end=2, stops=(2, 5), pad=2),
        chat_template="{{ messages[0].content }} {{ eos_token }}",
    )
    theirs = reopened(stated, tmp_path)
    assert (theirs.bos_token_id, theirs.eos_token_id, theirs.pad_token_id) == (1, 2, 2)
    said = theirs.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False)
    assert said == "hi <END>"


def test_a_word_that_is_unknown_is_refused_there_too(tmp_path):
    theirs = reopened(KINDS["words"], tmp_path)
    with pytest.raises(Exception, match="Missing"):
        theirs("moon")
