"""What follows from sentences and a tokenizer."""

import pytest

from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.corpus import Corpus
from tests.tour.conftest import CORPORA


def corpus_of(sentences):
    return Corpus(tuple(sentences), Tokenizer.words(sentences))


def test_every_context_occurs_as_often_as_there_are_pairs_of_it():
    corpus = corpus_of(GROOT)
    assert sum(corpus.occurrences.values()) == len(corpus.pairs) == 76
    assert corpus.occurrences[(1,)] == 19


def test_undecided_contexts_are_those_with_a_choice_shortest_first():
    corpus = corpus_of(GROOT)
    assert [corpus.read(context) for context in corpus.undecided] == [
        "<START>",
        "<START> groot",
        "<START> tree",
        "<START> groot is",
        "<START> groot likes",
    ]
    assert corpus_of(["hello"]).undecided == ()


@pytest.mark.parametrize("name", CORPORA)
def test_pairs_are_as_long_as_the_longest_sentence_needs(name):
    corpus = corpus_of(CORPORA[name])
    longest = max(len(sentence.split()) for sentence in corpus.sentences)
    assert corpus.pairs.contexts.shape[1] == longest + 1


def test_a_tokenizer_without_padding_will_do(monkeypatch):
    corpus = corpus_of(["sun up", "moon"])
    monkeypatch.setattr(Tokenizer, "pad_id", None)
    assert corpus.pairs.contexts.tolist() == [[1, 0, 0], [1, 4, 0], [1, 4, 5], [1, 0, 0], [1, 3, 0]]
