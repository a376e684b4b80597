"""A tokenizer made from texts has their words, characters or byte pairs, in a known order."""

import tracemalloc
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

# Unicode's White_Space property, as PropList.txt lists it. Python's str.split() has four more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
SPECIALS = ("<PAD>", "<START>", "<END>")

texts = st.text(st.characters(exclude_categories=["Cs"]))
words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=WHITE_SPACE), min_size=1
).filter(lambda word: word not in SPECIALS)
BYTES = Tokenizer.byte_pairs(GROOT * 9 + ("👩\u200d👩\u200d👧 é",) * 9, vocab_size=330)


@pytest.fixture(scope="module")
def groot():
    return Tokenizer.words(GROOT)


# Vocabularies


def test_the_words_of_baby_groot_have_the_24_ids_of_its_table(groot):
    assert (groot.kind, groot.vocab_size) == ("word", 24)
    assert " ".join(groot.tokens) == (
        "<PAD> <START> <END> am angry are cries friend groot happy helps i is leaf likes needs "
        "rocket sad shouts smiles tree water we you"
    )
    assert groot.encode("i am groot") == [11, 3, 8]


def test_characters_are_sorted_behind_the_special_tokens():
    tokenizer = Tokenizer.characters(["ba\n", "c a"])
    assert tokenizer.kind == "character"
    assert tokenizer.tokens == (*SPECIALS, "\n", " ", "a", "b", "c")


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_the_special_tokens_come_first(make):
    tokenizer = make(GROOT)
    assert (tokenizer.pad_id, tokenizer.start_id, tokenizer.end_id) == (0, 1, 2)
    assert tokenizer.tokens[:3] == SPECIALS


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_one_text_is_a_corpus(make):
    assert make("i am groot").tokens == make(["i am groot"]).tokens


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
@pytest.mark.parametrize("empty", [[], [""], ""])
def test_no_text_makes_no_vocabulary(make, empty):
    with pytest.raises(PellucidError, match="no text to make a vocabulary from"):
        make(empty)


def test_white_space_alone_holds_no_words():
    with pytest.raises(PellucidError, match="no text to make a vocabulary from"):
        Tokenizer.words([WHITE_SPACE])


# Running text


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_running_text_has_an_end_token_alone(make):
    tokenizer = make(GROOT, running=True)
    assert tokenizer.tokens == ("<END>", *make(GROOT).tokens[3:])
    assert (tokenizer.pad_id, tokenizer.start_id, tokenizer.end_id) == (None, None, 0)
    assert tokenizer.prompt("i am") == tokenizer.encode("i am")
    assert tokenizer.prompt("") == []


def test_running_text_may_have_the_other_special_tokens_as_words():
    tokenizer = Tokenizer.words(["<START> <PAD>"], running=True)
    assert tokenizer.decode(tokenizer.encode("<PAD> <START>")) == "<PAD> <START>"
    with pytest.raises(PellucidError, match=r'^"<END>" is a special token'):
        tokenizer.encode("<END>")


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_texts_are_read_as_they_come(make):
    assert make(iter(GROOT)).tokens == make(GROOT).tokens


@pytest.mark.parametrize(
    "make", [Tokenizer.words, Tokenizer.characters, partial(Tokenizer.byte_pairs, vocab_size=300)]
)
def test_texts_are_not_kept(make):
    tracemalloc.start()
    make(f"{number % 100} groot likes leaf" * 100 for number in range(1_500))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000  # bytes, of 2,800,000 altogether


# Unknown tokens


@pytest.mark.parametrize("running", [False, True])
@given(corpus=st.lists(words, min_size=1), others=st.lists(words))
def test_an_unknown_token_stands_for_every_word_outside_the_vocabulary(running, corpus, others):
    tokenizer = Tokenizer.words(corpus, running=running, unknown=True)
    unknown = tokenizer.unknown_id
    assert unknown == (1 if running else 3)
    known = {word: id for id, word in enumerate(tokenizer.tokens) if id > unknown}
    assert tokenizer.encode(" ".join(others)) == [known.get(word, unknown) for word in others]


@given(texts)
def test_an_unknown_token_stands_for_every_character_outside_the_vocabulary(text):
    tokenizer = Tokenizer.characters(["groot"], unknown=True)
    known = {char: id for id, char in enumerate(tokenizer.tokens) if len(char) == 1}
    assert tokenizer.encode(text) == [known.get(char, 3) for char in text]


@pytest.mark.parametrize("special", [*SPECIALS, "<UNK>"])
def test_a_typed_special_token_is_unknown_where_something_can_be(special):
    tokenizer = Tokenizer.words(["i am", special], unknown=True)
    assert tokenizer.encode(f"i {special} am") == [5, 3, 4]


def test_what_is_unknown_is_seen_when_it_is_decoded():
    tokenizer = Tokenizer.words(GROOT, unknown=True)
    assert tokenizer.decode(tokenizer.prompt("i am grot")) == "i am <UNK>"
    assert tokenizer.labels([3]) == ("<UNK>",)


@pytest.mark.parametrize("make", [Tokenizer.words, Tokenizer.characters])
def test_there_is_no_unknown_token_unless_it_is_asked_for(make):
    assert make(GROOT).unknown_id is None


# Byte pairs


@given(texts)
def test_byte_pairs_spell_every_text(text):
    assert BYTES.decode(BYTES.encode(text)) == text


def test_byte_pairs_spell_every_code_point():
    every = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
    chunks = [every[start : start + 4096] for start in range(0, len(every), 4096)]
    assert [BYTES.decode(ids) for ids in BYTES.encode_all(chunks)] == chunks


def test_byte_pairs_have_a_token_for_every_byte():
    single = Tokenizer.byte_pairs(["no pair occurs twice"[:3]], vocab_size=400)
    assert single.vocab_size == 257
    assert sorted(single.byte_lengths) == [0, *[1] * 256]


def test_the_most_frequent_pairs_are_merged_first():
    tokenizer = Tokenizer.byte_pairs(["groot oops oo"], vocab_size=258)
    assert tokenizer.label(257) == "oo"
    assert tokenizer.labels(tokenizer.encode("groot")) == ("g", "r", "oo", "t")


def test_pairs_merge_as_often_as_there_is_room_and_cause():
    sizes = [Tokenizer.byte_pairs(GROOT, vocab_size=size).vocab_size for size in (257, 280, 5000)]
    assert sizes[:2] == [257, 280]
    assert 280 < sizes[2] < 5000


def test_byte_pairs_are_the_same_every_time():
    corpus = GROOT * 3
    assert len({Tokenizer.byte_pairs(iter(corpus), vocab_size=300).digest for _ in range(5)}) == 1


@pytest.mark.parametrize("special", ["<END>", "<PAD>"])
def test_a_typed_special_token_is_its_bytes(special):
    for tokenizer in (BYTES, Tokenizer.byte_pairs([special * 9], vocab_size=300)):
        ids = tokenizer.encode(f"groot{special}")
        assert 0 not in ids
        assert tokenizer.decode([*ids, 0]) == f"groot{special}"


def test_a_vocabulary_has_room_for_every_byte():
    with pytest.raises(PellucidError, match=r"^vocab_size=256: .* Give at least 257\."):
        Tokenizer.byte_pairs(GROOT, vocab_size=256)


def test_byte_pairs_survive_the_disk(tmp_path):
    path = tmp_path / "tokenizer.json"
    BYTES.save(path)
    loaded = Tokenizer.load(path)
    assert (loaded.kind, loaded.tokens, loaded.end_id) == (BYTES.kind, BYTES.tokens, 0)
    assert loaded.digest == BYTES.digest
    assert loaded.encode("i am groot 👩") == BYTES.encode("i am groot 👩")
