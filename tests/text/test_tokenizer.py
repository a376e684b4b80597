"""Text becomes ids and comes back; what cannot is refused with words."""

import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

# Unicode's White_Space property, as PropList.txt lists it. Python's str.split() has four more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
SPECIALS = ("<PAD>", "<START>", "<END>")
SURROGATES = st.characters(categories=["Cs"])

texts = st.text(st.characters(exclude_categories=["Cs"]))
words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=WHITE_SPACE), min_size=1
).filter(lambda word: word not in SPECIALS)
gaps = st.text(st.sampled_from(WHITE_SPACE), min_size=1)
BYTES = Tokenizer.byte_pairs(GROOT * 9 + ("👩\u200d👩\u200d👧 é",) * 9, vocab_size=330)


@pytest.fixture(scope="module")
def groot():
    return Tokenizer.words(GROOT)


# What tokens stand for


@pytest.mark.parametrize(
    ("tokenizer", "kept"),
    [
        (Tokenizer.words(GROOT), False),
        (Tokenizer.characters(GROOT), True),
        (BYTES, True),
    ],
)
def test_a_tokenizer_says_whether_it_keeps_white_space(tokenizer, kept):
    assert tokenizer.keeps_white_space is kept
    known = "groot likes  tree" if tokenizer.kind != "character" else "groot  is"
    assert (tokenizer.decode(tokenizer.encode(known)) == known) is kept


@given(texts.filter(bool))
def test_the_bytes_of_the_tokens_are_those_of_the_text(text):
    for tokenizer in (BYTES, Tokenizer.characters([text])):
        lengths = tokenizer.byte_lengths
        assert sum(lengths[id] for id in tokenizer.prompt(text)) == len(text.encode())


def test_a_word_counts_with_the_space_behind_it():
    groot = Tokenizer.words(GROOT)
    assert sum(groot.byte_lengths[id] for id in groot.sequences(["i am groot"])[0]) == 11


# There and back


@given(st.lists(texts, min_size=1).filter(any))
def test_characters_come_back_exactly(corpus):
    tokenizer = Tokenizer.characters(corpus)
    for text, ids in zip(corpus, tokenizer.encode_all(corpus), strict=True):
        assert len(ids) == len(text)
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    "text",
    ["a\r\n\tb\n\n", "👩\u200d👩\u200d👧", "é e\u0301", "\0\x1c\u2028\U0010ffff", "<END>"],
)
def test_characters_that_are_easily_lost_come_back(text):
    tokenizer = Tokenizer.characters([text])
    assert tokenizer.decode(tokenizer.prompt(text)) == text


@given(st.lists(st.tuples(gaps, words), min_size=1))
def test_words_come_back_up_to_white_space(spaced):
    text = "".join(gap + word for gap, word in spaced)
    tokenizer = Tokenizer.words([text])
    ids = tokenizer.encode(text)
    assert [tokenizer.tokens[id] for id in ids] == [word for _, word in spaced]
    assert tokenizer.decode(ids) == " ".join(word for _, word in spaced)


def test_many_texts_encode_as_each_alone(groot):
    assert groot.encode_all(GROOT) == [groot.encode(sentence) for sentence in GROOT]
    assert groot.encode_all([]) == []


# Special tokens


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_a_prompt_is_the_start_token_and_the_text(make):
    tokenizer = make(GROOT)
    assert tokenizer.prompt("") == [1]
    assert tokenizer.prompt("i am") == [1, *tokenizer.encode("i am")]
    assert tokenizer.labels(tokenizer.prompt("i am"))[0] == "<START>"


def test_a_sequence_stands_between_start_and_end(groot):
    assert groot.sequences(["i am groot", "groot"]) == [[1, 11, 3, 8, 2], [1, 8, 2]]


def test_special_tokens_are_no_part_of_the_text(groot):
    assert groot.decode([1, 11, 3, 8, 2, 0, 0]) == "i am groot"
    assert groot.decode([]) == groot.decode([1]) == ""


@pytest.mark.parametrize("special", SPECIALS)
def test_a_typed_special_token_is_no_word(groot, special):
    with pytest.raises(PellucidError, match=f'^"{special}" is a special token'):
        groot.encode(f"i am {special}")
    with pytest.raises(PellucidError, match=f'^"{special}" is a special token'):
        groot.prompt(special)


@pytest.mark.parametrize("special", SPECIALS)
def test_a_typed_special_token_is_single_characters(special):
    tokenizer = Tokenizer.characters(SPECIALS)
    assert tokenizer.labels(tokenizer.encode(special)) == tuple(special)


@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_token_glued_to_a_word_is_a_word(special):
    glued = f"groot{special}", f"{special}groot"
    tokenizer = Tokenizer.words(glued)
    assert [tokenizer.decode(ids) for ids in tokenizer.encode_all(glued)] == list(glued)


@pytest.mark.parametrize("special", SPECIALS)
def test_a_corpus_cannot_have_a_special_token_as_a_word(special):
    with pytest.raises(PellucidError, match=f'^Text 2 holds the word "{special}"'):
        Tokenizer.words(["i am groot", f"i am {special}"])


def test_a_corpus_may_have_the_librarys_unknown_token_as_a_word():
    tokenizer = Tokenizer.words(["<unk> [UNK]"])
    assert tokenizer.decode(tokenizer.encode("[UNK] <unk>")) == "[UNK] <unk>"
    with pytest.raises(PellucidError, match=r'^"groot" is not in this vocabulary'):
        tokenizer.encode("groot")


# What is refused


def test_an_unknown_word_is_named_with_the_nearest(groot):
    with pytest.raises(PellucidError) as caught:
        groot.encode("i am grot")
    assert str(caught.value).startswith(
        '"grot" is not in this vocabulary of 24 tokens. Did you mean groot'
    )


@given(st.lists(words, min_size=1))
def test_every_word_is_known_or_named(others):
    groot = Tokenizer.words(GROOT)
    unknown = [word for word in dict.fromkeys(others) if word not in groot.tokens]
    if unknown:
        with pytest.raises(PellucidError, match=r"not in this vocabulary of 24 tokens\."):
            groot.encode_all(others)
    else:
        assert groot.encode_all(others) == [[groot.tokens.index(word)] for word in others]


def test_unknown_words_of_all_texts_are_named_once_each(groot):
    with pytest.raises(PellucidError, match=r'^"ents" is not .*\. Nor is "elves"\.[^"]*$'):
        groot.encode_all(["ents helps elves", "groot helps ents"])


@pytest.mark.parametrize("other", ["E", "é", "ế", "ｅ"])
def test_an_unknown_character_is_near_its_plain_form(other):
    with pytest.raises(PellucidError, match="Did you mean e"):
        Tokenizer.characters(["groot smiles"]).encode(other)


def test_an_unknown_character_is_named():
    with pytest.raises(PellucidError, match=r'^"↵" is not in this vocabulary of 5 tokens'):
        Tokenizer.characters(["ab"]).encode("a\nb")


@given(texts, SURROGATES, texts)
def test_half_a_surrogate_pair_is_refused_wherever_text_comes_in(before, half, after):
    text = before + half + after
    character = Tokenizer.characters([before + after + "."])
    for take in (Tokenizer.words, Tokenizer.characters, character.encode_all, character.sequences):
        with pytest.raises(PellucidError, match=f"^Character {len(before)} .* U\\+{ord(half):04X}"):
            take([text])
    for take_one in (character.encode, character.prompt):
        with pytest.raises(PellucidError, match="half of a surrogate pair"):
            take_one(text)


@pytest.mark.parametrize("id", [-1, 24, 2**40])
def test_an_id_outside_the_vocabulary_is_refused(groot, id):
    for take in (groot.decode, groot.labels):
        with pytest.raises(PellucidError, match=f"^{id} is not an id .* from 0 to 23"):
            take([8, id])
    with pytest.raises(PellucidError, match="from 0 to 23"):
        groot.label(id)


# Labels


def test_labels_show_what_is_invisible():
    tokenizer = Tokenizer.characters("a \n")
    assert tokenizer.labels(tokenizer.prompt("a \n")) == ("<START>", "a", "␣", "↵")


@given(st.lists(st.integers(0, 23)))
def test_every_id_has_a_label_even_where_decoding_loses_it(ids):
    groot = Tokenizer.words(GROOT)
    assert groot.labels(ids) == tuple(groot.tokens[id] for id in ids)


def test_a_byte_level_token_reads_as_its_text():
    assert BYTES.labels(BYTES.encode(" groot")) == ("␣groot",)
    assert BYTES.labels(BYTES.encode("é\n")) == ("é", "↵")


def test_half_a_character_reads_as_its_bytes():
    single = Tokenizer.byte_pairs(["groot"], vocab_size=257)
    assert single.labels(single.encode("é")) == (r"\xc3", r"\xa9")
    assert single.label(0) == "<END>"


# On disk


@given(st.sampled_from([Tokenizer.words, Tokenizer.characters]), st.lists(words, min_size=1))
def test_a_saved_tokenizer_is_the_same_tokenizer(tmp_path_factory, make, corpus):
    path = tmp_path_factory.mktemp("saved") / "tokenizer.json"
    tokenizer = make(corpus)
    tokenizer.save(path)
    loaded = Tokenizer.load(path)
    assert (loaded.kind, loaded.tokens) == (tokenizer.kind, tokenizer.tokens)
    assert loaded.sequences(corpus) == tokenizer.sequences(corpus)
    assert [loaded.decode(ids) for ids in loaded.encode_all(corpus)] == corpus
    with pytest.raises(PellucidError):
        loaded.encode("\0 \0")


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_the_library_alone_gives_the_prompt_from_the_saved_file(tmp_path, make):
    path = tmp_path / "tokenizer.json"
    make(GROOT).save(path)
    library = tokenizers.Tokenizer.from_file(str(path))
    for sentence in ("", *GROOT):
        assert library.encode(sentence).ids == make(GROOT).prompt(sentence)


def test_loading_says_what_is_wrong(tmp_path):
    with pytest.raises(PellucidError, match="cannot be read: No such file"):
        Tokenizer.load(tmp_path / "tokenizer.json")
    with pytest.raises(PellucidError, match="cannot be read: Is a directory"):
        Tokenizer.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"model": 3}', b"\xff\xfe", b"[1, 2"])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(PellucidError, match=r"is not a tokenizer\.json"):
        Tokenizer.load(path)


def test_a_file_at_which_the_library_panics_is_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer.byte_pairs(["a rose is a rose is a rose"], vocab_size=260).save(path)
    whole = json.loads(path.read_text())
    assert whole["model"]["merges"]
    whole["model"]["continuing_subword_prefix"] = "longer than any token"
    path.write_text(json.dumps(whole))
    with pytest.raises(PellucidError, match=r"is not a tokenizer\.json"):
        Tokenizer.load(path)


def test_an_id_beyond_any_vocabulary_is_refused(tmp_path, groot):
    path = tmp_path / "tokenizer.json"
    groot.save(path)
    whole = json.loads(path.read_text())
    whole["model"]["vocab"]["groot"] = 2**31
    path.write_text(json.dumps(whole))
    with pytest.raises(PellucidError, match="'groot' has the id 2,147,483,648"):
        len(Tokenizer.load(path).tokens)


def test_a_truncated_file_is_refused(tmp_path, groot):
    path = tmp_path / "tokenizer.json"
    groot.save(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(PellucidError, match=r"is not a tokenizer\.json"):
        Tokenizer.load(path)


# Foreign tokenizers


def byte_pairs(*, start):
    """Return a byte-level BPE tokenizer of the library, with or without a start token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: id for id, token in enumerate([*alphabet, "oo"])}
    inner = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=[("o", "o")]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(["<|begin|>", "</s>"])
    if start:
        inner.post_processor = processors.TemplateProcessing(
            single="<|begin|> $A", special_tokens=[("<|begin|>", 257)]
        )
    return inner


def test_a_foreign_start_token_is_added_once_or_not_at_all():
    begun, bare = Tokenizer(byte_pairs(start=True)), Tokenizer(byte_pairs(start=False))
    assert (begun.start_id, bare.start_id) == (257, None)
    assert begun.prompt("groot") == [257, *bare.prompt("groot")]
    assert (begun.prompt(""), bare.prompt("")) == ([257], [])
    assert bare.sequences(["groot"]) == [[*bare.encode("groot"), 258]]


def test_a_foreign_tokenizer_says_what_it_is():
    tokenizer = Tokenizer(byte_pairs(start=True))
    assert (tokenizer.kind, tokenizer.vocab_size) == ("byte-pair", 259)
    assert (tokenizer.pad_id, tokenizer.end_id) == (None, 258)


@given(texts)
def test_a_foreign_special_token_in_the_text_is_text(text):
    text += "</s><|begin|>"
    tokenizer = Tokenizer(byte_pairs(start=True))
    assert tokenizer.decode(tokenizer.prompt(text)) == text


def test_a_foreign_special_token_reads_as_it_is_spelled():
    # The first of these would be a space in a word.
    inner = tokenizers.Tokenizer(models.WordLevel({"▁i": 0}, unk_token="▁i"))
    inner.decoder = decoders.Metaspace()
    inner.add_special_tokens(["<end▁of▁text>"])
    assert Tokenizer(inner).labels([0, 1]) == ("␣i", "<end▁of▁text>")


@pytest.mark.parametrize("splitter", [None, pre_tokenizers.WhitespaceSplit()])
def test_what_a_foreign_vocabulary_does_not_have_is_named_as_it_was_looked_up(splitter):
    inner = tokenizers.Tokenizer(models.WordLevel({"groot": 0}, unk_token=""))
    inner.normalizer = normalizers.Lowercase()
    if splitter is not None:
        inner.pre_tokenizer = splitter
    assert Tokenizer(inner).encode("GROOT") == [0]
    with pytest.raises(PellucidError, match=r'^"grot" is not in .* Did you mean groot'):
        Tokenizer(inner).encode("GROT")


def test_stored_padding_and_truncation_do_not_change_ids(tmp_path):
    inner = byte_pairs(start=False)
    plain = Tokenizer(byte_pairs(start=False)).encode_all(["groot", "i am groot"])
    inner.enable_padding(length=32)
    inner.enable_truncation(3)
    path = tmp_path / "tokenizer.json"
    inner.save(str(path))
    assert Tokenizer.load(path).encode_all(["groot", "i am groot"]) == plain


def test_an_id_that_is_not_in_use_has_an_empty_token(tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer.words(["a"]).save(path)
    stored = json.loads(path.read_text())
    stored["model"]["vocab"]["a"] = 5
    path.write_text(json.dumps(stored))
    assert Tokenizer.load(path).tokens == (*SPECIALS, "", "", "a")
