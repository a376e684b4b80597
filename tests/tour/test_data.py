"""Part 1: what it says of the corpus, the vocabulary, the prompt and the pairs."""

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.data import data
from pellucid.views.scene import Table
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


def vocabulary(blocks):
    tables = [t for t in of_kind(blocks, Table) if t.columns == ("token", "id")]
    return [row for part in tables for row in part.rows]


def test_every_token_stands_beside_its_id(any_lesson):
    tokenizer = any_lesson.tokenizer
    rows = vocabulary(data(any_lesson))
    assert rows == list(zip(tokenizer.tokens, range(tokenizer.vocab_size), strict=True))


def test_every_sentence_is_shown(lesson):
    tables = [t for t in of_kind(data(lesson), Table) if t.columns == ("", "sentence")]
    assert [sentence for part in tables for _, sentence in part.rows] == list(GROOT)


def test_what_is_left_out_of_a_long_corpus_is_said():
    sentences = [f"word{i} follows" for i in range(130)]
    blocks = data(lesson_of(corpus=sentences))
    assert len(vocabulary(blocks)) == 120
    # 131 words and 3 special tokens; 130 sentences.
    assert "14 more follow" in words(blocks)
    assert "106 more follow" in words(blocks)


def test_the_prompts_ids_are_the_models(any_lesson):
    rows = table(data(any_lesson), "position", "token", "id").rows
    assert tuple(id for _, _, id in rows) == any_lesson.trace.ids
    assert tuple(token for _, token, _ in rows) == any_lesson.trace.tokens


def test_a_sentence_is_unrolled_into_its_pairs(any_lesson):
    corpus = any_lesson.corpus
    rows = table(data(any_lesson), "the model reads").rows
    assert len(rows) == len(corpus.sequences[0]) - 1
    assert [read for read, _ in rows] == [
        corpus.read(corpus.sequences[0][: n + 1]) for n in range(len(rows))
    ]


def test_the_first_pairs_are_those_trained_on(any_lesson):
    pairs = any_lesson.corpus.pairs
    rows = table(data(any_lesson), "pair").rows
    assert len(rows) == min(15, len(pairs))
    for number, ids, target, tokens, answer in rows:
        assert [int(id) for id in in_full(ids)] == pairs.contexts[number].tolist()
        assert target == pairs.targets[number]
        assert in_full(tokens) == list(any_lesson.tokenizer.labels(pairs.contexts[number].tolist()))
        assert answer == any_lesson.tokenizer.label(target)


def in_full(row):
    """The items of a row of a pair, with what it counts written out."""
    written, _, counted = row.partition(" … ")
    times, _, item = counted.partition(" × ")
    return written.split() + [item] * int(times or 0)


def test_much_padding_is_counted():
    sentences = ("one two three four five six", "seven")
    rows = table(data(lesson_of(corpus=sentences)), "pair").rows
    assert [tokens for _, _, _, tokens, _ in rows[:4]] == [
        "<START> … 6 × <PAD>",
        "<START> one … 5 × <PAD>",
        "<START> one two … 4 × <PAD>",
        "<START> one two three <PAD> <PAD> <PAD>",
    ]
    assert [ids.split() for _, ids, _, _, _ in rows[:1]] == [["1", "…", "6", "×", "0"]]


def test_the_counts_in_words_add_up(lesson):
    said = words(data(lesson))
    assert "57 + 19 = 76 pairs" in said
    assert "Of the 304 ids in X 114 are padding" in said
    assert "shape 76 × 4" in said
    assert "57 words, of which 21 are different" in said
    assert '"groot" alone stands there 16 times' in said


def test_special_tokens_are_explained(lesson):
    said = words(data(lesson))
    assert '"<PAD>" fills up short rows, "<START>" stands before the first word' in said


def test_without_a_corpus_there_is_the_vocabulary_and_the_prompt(given):
    blocks = data(given)
    assert len(vocabulary(blocks)) == 24
    assert "training pairs" not in words(blocks)


# Words that are nearly the same


def test_words_that_differ_in_capitals_or_marks_are_told_apart():
    said = words(data(lesson_of(corpus=["The cat sat.", "the cat", "so it sat!"])))
    assert '"The" and "the"; "sat!" and "sat."' in said
    assert '"cat" and' not in said
    assert "split at blanks alone: capitals and full stops count" in said


def test_of_many_such_words_a_few_are_named():
    said = words(data(lesson_of(corpus=["A B C D E", "a b c d e"])))
    assert '"A" and "a"; "B" and "b"; "C" and "c"; and 2 more such' in said


def test_marks_that_stand_alone_are_no_doubles():
    assert "differ only" not in words(data(lesson_of(corpus=["a - b", "a . b"])))


def test_the_embedded_corpus_has_no_doubles_and_characters_are_not_words(lesson):
    assert "differ only" not in words(data(lesson))
    tokenizer = Tokenizer.characters(["Aa"])
    shape = ModelConfig(
        vocab_size=tokenizer.vocab_size, block_size=4, n_layer=1, n_head=1, n_embd=8
    )
    said = words(data(lesson_of("a", model=Model.from_config(shape, tokenizer))))
    assert "differ only" not in said
    assert "split at blanks" not in said
