"""SentencePiece's tokenizers out of GGUF files give the ids that `transformers` makes of them."""

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, trainers
from transformers.integrations.gguf.gguf_tokenizer_mapping import convert_gguf_tokenizer

from pellucid.errors import PellucidError
from pellucid.interop.gguf.file import read_tokenizer
from pellucid.interop.gguf.tokenizer import tokenizer_in
from pellucid.text.corpora import GROOT
from pellucid.text.special_tokens import SpecialTokens
from tests.interop.gguf import tiny_files

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
FIRST = ["<unk>", "<s>", "</s>"]
BLANKS = ["▁▁", "▁▁▁▁"]
SPECIAL_TYPES = [2, 3, 3]
ARCHITECTURES = ("llama", "gemma", "gemma2", "gemma3", "phi3")


def pieces():
    """Pieces of the embedded corpus, longer ones made of shorter ones, in the order of merging."""
    trained = tokenizers.Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace("▁", split=False)
    trained.train_from_iterator(
        ["  ".join(GROOT), "<s> </s> 👩\u200d👧 é 12 12 $x$", *GROOT],
        trainers.BpeTrainer(vocab_size=160, show_progress=False),
    )
    by_id = sorted(trained.get_vocab().items(), key=lambda item: item[1])
    return [token for token, _ in by_id if token not in BLANKS]


NORMAL = pieces()


def fields(architecture="llama", **more):
    """The fields of a file, as its header gives them."""
    normal = [*BLANKS, *NORMAL]
    blank_type = 1
    if architecture.startswith("gemma"):
        blank_type = 4
        normal = [blank.replace("▁", " ") for blank in BLANKS] + NORMAL
    tokens = [*FIRST, *BYTES, *normal, "<user>"]
    said = {
        "model": "llama",
        "tokens": tokens,
        # Letters have the lowest scores, what is merged first the highest.
        "scores": np.array([0.0] * 259 + [-float(i) for i in range(len(normal))] + [0.0]),
        "token_type": np.array(
            [*SPECIAL_TYPES, *[6] * 256, *[blank_type] * len(BLANKS), *[1] * len(NORMAL), 4],
            np.int32,
        ),
        "bos_token_id": 1,
        "eos_token_id": 2,
        "unknown_token_id": 0,
    } | more
    named = {f"tokenizer.ggml.{name}": value for name, value in said.items() if value is not None}
    return named | {"general.architecture": architecture}


def made(said):
    """The tokenizer in these fields, which is there."""
    tokenizer = tokenizer_in(said)
    assert tokenizer is not None
    return tokenizer


def theirs(said):
    """What `transformers` makes of the same fields."""
    dictionary = {
        "tokenizer_type": "llama",
        **{
            name.removeprefix("tokenizer.ggml."): value.tolist()
            if isinstance(value, np.ndarray)
            else value
            for name, value in said.items()
        },
    }
    backend, _ = convert_gguf_tokenizer(said["general.architecture"], dictionary)
    backend.encode_special_tokens = True
    return backend


PAIRS = {name: (made(fields(name)), theirs(fields(name))) for name in ARCHITECTURES}
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<▁")),
    st.lists(st.sampled_from([*"abgirot \n", "groot", "  ", "é", "👩", "<user>"])).map("".join),
)


@settings(max_examples=60)
@given(texts)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_ids_and_texts_are_those_of_transformers(architecture, text):
    ours, other = PAIRS[architecture]
    ids = ours.encode(text)
    assert ids == other.encode(text, add_special_tokens=False).ids
    assert ours.decode(ids) == other.decode(ids)
    assert ours.prompt(text) == [1, *ids]


@given(texts)
def test_a_text_comes_back(text):
    gemma, _ = PAIRS["gemma"]
    assert gemma.decode(gemma.encode(text)) == text
    # The library takes a space at the beginning for the one that it would put there.
    llama, _ = PAIRS["llama"]
    assert llama.decode(llama.encode(text)) == text.removeprefix(" ")


def test_labels_and_bytes_read_as_the_text():
    ours, _ = PAIRS["llama"]
    ids = ours.encode("i am ★")
    assert "".join(ours.labels(ids)) == "␣i␣am␣\\xe2\\x98\\x85"
    lengths = [ours.byte_lengths[id] for id in ids]
    assert sum(lengths) == len(" i am ★".encode())


def test_the_start_token_comes_first_unless_the_file_says_otherwise():
    assert PAIRS["llama"][0].start_id == 1
    assert made(fields(add_bos_token=False)).start_id is None
    assert PAIRS["llama"][0].special == SpecialTokens(start=1, end=2, stops=(2,))


def test_a_text_is_not_prefixed_where_the_file_says_so():
    for architecture in ("llama", "phi3"):
        bare = made(fields(architecture, add_space_prefix=False))
        prefixed = made(fields(architecture))
        assert bare.encode(" i am") == prefixed.encode("i am")
        assert bare.decode(bare.encode(" i am")) == " i am"


def test_what_stands_for_no_text_is_not_made_of_its_letters():
    with_parts = [*fields()["tokenizer.ggml.tokens"], "<s", "</", "s>", "<0x4", "1>"]
    n = len(with_parts)
    said = fields(
        tokens=with_parts,
        scores=np.zeros(n),
        token_type=np.array([*fields()["tokenizer.ggml.token_type"], *[1] * 5], np.int32),
    )
    tokenizer = made(said)
    for text in ("<s>", "</s>", "<unk>", "<0x41>"):
        assert not {0, 1, 2, 3 + 0x41} & set(tokenizer.encode(text))
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_merges_of_the_file_come_before_scores():
    pair = next(token for token in NORMAL if len(token) == 2 and token.isalpha())
    alone = made(fields(merges=[" ".join(pair)], scores=None))
    assert [alone.tokens[id] for id in alone.encode("i" + pair)] == ["▁", "i", pair]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"scores": None}, "scores is not a number for each of"),
        ({"scores": np.zeros(3)}, "scores is not a number for each of"),
        ({"scores": np.full(len(fields()["tokenizer.ggml.tokens"]), np.nan)}, "not finite"),
        ({"tokens": ["a", "a"], "token_type": None}, "twice"),
        ({"token_type": np.ones(3, np.int32)}, "3 types for"),
        ({"precompiled_charsmap": np.ones(3, np.int8)}, "precompiled_charsmap is not honoured"),
        ({"remove_extra_whitespaces": True}, "remove_extra_whitespaces=True is not honoured"),
        ({"add_space_prefix": 1}, "add_space_prefix=1 is neither"),
        ({"merges": ["zz y"]}, "merges does not fit"),
        ({"bos_token_id": None}, "bos_token_id=None is none of"),
    ],
)
def test_what_is_not_certain_is_refused(more, said):
    with pytest.raises(PellucidError, match=said):
        tokenizer_in(fields(**more))


def test_a_file_on_disk_gives_the_same(tmp_path):
    said = {name.rpartition(".")[2]: value for name, value in fields("gemma2").items()}
    writer = tiny_files.writer_of(tmp_path / "a.gguf", "gemma2")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(said["tokens"])
    writer.add_token_scores(said["scores"].tolist())
    writer.add_token_types(said["token_type"].tolist())
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    tiny_files.finish(writer)
    read = read_tokenizer(tmp_path / "a.gguf")
    assert read is not None
    assert read.digest == PAIRS["gemma2"][0].digest


@pytest.mark.parametrize(
    ("scores", "want"), [((2, 1), ["ab", "c"]), ((1, 2), ["a", "bc"]), ((-3, -2), ["a", "bc"])]
)
def test_the_best_score_is_merged_first(scores, want):
    tokens = [*FIRST, *BYTES, "▁", "a", "b", "c", "ab", "bc"]
    types = np.array([*SPECIAL_TYPES, *[6] * 256, *[1] * 6], np.int32)
    said = {"tokens": tokens, "token_type": types, "scores": np.array([-9.0] * 263 + [*scores])}
    by_score = made(fields(**said, add_space_prefix=False))
    assert [by_score.tokens[id] for id in by_score.encode("abc")] == want
    in_order = made(fields("gemma", **said))
    assert [in_order.tokens[id] for id in in_order.encode("abc")] == ["ab", "c"]


def test_tokens_of_spaces_are_merged_like_others():
    gemma, _ = PAIRS["gemma"]
    assert {gemma.tokens[id] for id in gemma.added_ids} == {*FIRST, "<user>"}
    assert [gemma.tokens[id] for id in gemma.encode("    ")] == ["▁▁▁▁"]
