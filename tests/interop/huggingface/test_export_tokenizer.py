"""`transformers` opens the tokenizers that we write, and reads the same ids out of texts."""

import json

import pytest
import tokenizers
import transformers
from tokenizers import Regex, decoders, normalizers, pre_tokenizers, processors
from transformers.models.qwen2 import tokenization_qwen2 as qwen2

from pellucid.interop.huggingface.export_tokenizer import families_with_another, write_tokenizer
from pellucid.interop.huggingface.families import FAMILIES
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


def reopened(tokenizer, folder, *, family="gpt2"):
    write_tokenizer(tokenizer, folder, block_size=64)
    (folder / "config.json").write_text(json.dumps({"model_type": family}))
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        *[(kind, "gpt2") for kind in KINDS],
        *[("words", family) for family in FAMILIES if family != "qwen2"],
    ],
)
def test_the_same_ids_and_the_same_text(kind, family, tmp_path):
    """Whether or not the family has a tokenizer of its own in `transformers`."""
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


# Qwen2


def like_qwen2(*, digits=r"\p{N}"):
    """Byte pairs in Qwen2's pieces; theirs are the words of `transformers`' own class."""
    inner = tokenizers.Tokenizer.from_str(KINDS["byte pairs"].to_json())
    inner.normalizer = normalizers.NFC()
    words = qwen2.PRETOKENIZE_REGEX.replace(r"\p{N}|", f"{digits}|")
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return Tokenizer(inner)


def test_a_tokenizer_like_qwen2s_is_that(tmp_path):
    ours = like_qwen2()
    assert families_with_another(ours) == ()
    theirs = reopened(ours, tmp_path, family="qwen2")
    for text in [*TEXTS, "", "in 2024 I'LL  go\n"]:
        assert theirs(text).input_ids == ours.encode(text)


@pytest.mark.parametrize("kind", ["words", "characters", "byte pairs"])
def test_others_are_made_anew_for_a_qwen2(kind, tmp_path):
    """By `transformers`, which is why they are not written as one."""
    ours = KINDS[kind]
    assert families_with_another(ours) == ("qwen2",)
    theirs = reopened(ours, tmp_path, family="qwen2")
    assert any(theirs(text).input_ids != ours.prompt(text) for text in TEXTS)


def test_what_is_nearly_qwen2s():
    assert families_with_another(None) == ()
    assert families_with_another(like_qwen2(digits=r"\p{N}{1,3}")) == ("qwen2",)
    for part, other in (
        ("normalizer", normalizers.NFKC()),
        ("decoder", decoders.Fuse()),
        ("pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=False)),
        (
            "post_processor",
            processors.TemplateProcessing("<END> $A", special_tokens=[("<END>", 0)]),
        ),
    ):
        inner = tokenizers.Tokenizer.from_str(like_qwen2().to_json())
        setattr(inner, part, other)
        assert families_with_another(Tokenizer(inner)) == ("qwen2",)
