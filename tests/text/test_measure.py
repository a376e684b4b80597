"""A corpus is counted, and known again by its digest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.documents import Document
from pellucid.text.measure import measure

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1).filter(
    lambda several: "".join(several).strip()
)


def measured(several):
    return measure(map(Document.of, several))


@given(texts)
def test_characters_bytes_and_documents_are_counted(several):
    found = measured(several)
    assert found.characters == len("".join(several))
    assert found.bytes == len("".join(several).encode())
    assert found.documents == sum(map(bool, several))


@given(texts, texts)
def test_the_digest_is_that_of_the_documents(one, other):
    assert (measured(one).digest == measured(other).digest) == (one == other)


@given(texts, st.integers(1, 9))
def test_neither_names_nor_blocks_change_the_digest(several, block):
    cut = [[text[i : i + block] for i in range(0, len(text), block)] for text in several]
    documents = [Document("groot", blocks.copy) for blocks in cut]
    assert measure(documents) == measured(several)


@pytest.mark.parametrize("several", [[""], ["\n", " \t"]])
def test_white_space_alone_is_no_corpus(several):
    documents = [Document.of(text, name=f"{n}.txt") for n, text in enumerate(several)]
    with pytest.raises(PellucidError, match=r"^0\.txt.* is empty: it holds no text"):
        measure(documents)


def test_no_document_is_no_corpus():
    with pytest.raises(PellucidError, match=r"^The corpus is empty"):
        measure([])
