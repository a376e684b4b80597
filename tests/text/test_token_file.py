"""A corpus is encoded once, whatever its size, and its ids are there the next time."""

import os
import subprocess
import sys
from random import Random
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT
from pellucid.text.documents import Document
from pellucid.text.reading import read_documents
from pellucid.text.token_file import TokenFile, cache_folder
from pellucid.text.tokenizer import Tokenizer

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1).filter(
    lambda several: "".join(several).strip()
)
BYTES = Tokenizer.byte_pairs(GROOT, vocab_size=300)
SENTENCES = [Document.of(sentence) for sentence in GROOT]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tokens")


@given(texts)
def test_documents_are_kept_apart_by_an_end_token(folder, several):
    file = TokenFile.of(map(Document.of, several), BYTES, folder=folder)
    assert file.ids.tolist() == [id for text in several if text for id in (*BYTES.encode(text), 0)]
    assert file.characters == len("".join(several))
    assert file.bytes == len("".join(several).encode())
    assert file.documents == sum(map(bool, several))


def test_each_document_has_the_tokens_that_its_tokenizer_puts_round_a_text(folder):
    words = Tokenizer.words(GROOT)
    file = TokenFile.of(SENTENCES, words, folder=folder)
    assert file.ids.tolist() == [id for ids in words.sequences(GROOT) for id in ids]
    assert file.tokenizer is words


def test_a_document_without_ids_leaves_no_trace(folder):
    words = Tokenizer.words(GROOT)
    documents = map(Document.of, ["i am", " \n", "groot"])
    file = TokenFile.of(documents, words, folder=folder)
    assert file.ids.tolist() == [1, 11, 3, 2, 1, 8, 2]


def test_a_long_text_has_the_ids_of_the_whole(folder):
    text = "\n".join(Random(0).choices(GROOT, k=40_000))
    for tokenizer in (BYTES, Tokenizer.characters([text], running=True)):
        file = TokenFile.of([Document.of(text)], tokenizer, folder=folder)
        assert np.array_equal(file.ids, [*tokenizer.encode(text), 0])


def test_the_same_text_is_encoded_once(tmp_path):
    shown = []
    options = {"folder": tmp_path, "on_progress": lambda *progress: shown.append(progress)}
    first = TokenFile.of(SENTENCES, BYTES, **options)
    total = sum(map(len, GROOT))
    assert shown[-1] == (total, total)
    assert shown == sorted(shown)
    shown.clear()
    again = TokenFile.of(SENTENCES, BYTES, **options)
    assert shown == []
    assert np.array_equal(again.ids, first.ids)
    assert list(tmp_path.iterdir()) == [first.path]


def test_another_text_or_tokenizer_has_another_file(tmp_path):
    other = Tokenizer.characters(GROOT)
    documents = SENTENCES, SENTENCES[:-1], [Document.of("".join(GROOT))]
    paths = {TokenFile.of(d, t, folder=tmp_path).path for d in documents for t in (BYTES, other)}
    assert len(paths) == 6


@pytest.mark.parametrize("damage", [b"", b"groot", None])
def test_a_damaged_file_is_made_anew(tmp_path, damage):
    file = TokenFile.of(SENTENCES, BYTES, folder=tmp_path)
    ids = file.ids.tolist()
    content = file.path.read_bytes()
    file.path.unlink()  # The mapped one stays as it is.
    file.path.write_bytes(content[:-3] if damage is None else damage)
    assert TokenFile.of(SENTENCES, BYTES, folder=tmp_path).ids.tolist() == ids


def test_a_file_opens_without_its_documents(tmp_path):
    made = TokenFile.of(SENTENCES, BYTES, folder=tmp_path)
    opened = TokenFile.open(made.path, BYTES)
    assert np.array_equal(opened.ids, made.ids)
    assert (opened.characters, opened.digest) == (made.characters, made.digest)


def test_a_file_opens_with_its_own_tokenizer_alone(tmp_path):
    path = TokenFile.of(SENTENCES, BYTES, folder=tmp_path).path
    with pytest.raises(PellucidError, match="was made by another tokenizer"):
        TokenFile.open(path, Tokenizer.words(GROOT))


def test_what_the_tokenizer_does_not_have_leaves_nothing_behind(tmp_path):
    documents = [*SENTENCES, Document.of("i am grot")]
    with pytest.raises(PellucidError, match='"grot" is not in this vocabulary'):
        TokenFile.of(documents, Tokenizer.words(GROOT), folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_changes_while_it_is_read_is_refused(tmp_path):
    readings = iter([["i am groot"], ["i am groot again"]])
    with pytest.raises(PellucidError, match="changed while it was read"):
        TokenFile.of([Document("log", lambda: next(readings))], BYTES, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_drafts_of_writers_that_were_killed_are_cleared_away(tmp_path):
    old, new = tmp_path / ".old.draft", tmp_path / ".new.draft"
    for draft in (old, new):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    TokenFile.of(SENTENCES, BYTES, folder=tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("groot")
    with pytest.raises(PellucidError, match=r"cannot be written to .*file: .*\. They take up to"):
        TokenFile.of(SENTENCES, BYTES, folder=tmp_path / "file")


def test_a_disk_that_takes_no_more_is_said(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1100, limits[1]))
    try:
        with pytest.raises(PellucidError, match=r"cannot be written to .*: File too large\. They"):
            TokenFile.of(SENTENCES, BYTES, folder=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_the_cache_is_where_the_user_has_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "pellucid"
    assert TokenFile.of(SENTENCES, BYTES).path.parent == cache_folder()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "pellucid"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak this way")
@pytest.mark.parametrize("choice", ["char", "word", "bpe"])
def test_a_large_text_takes_little_memory(tmp_path, choice):
    path = tmp_path / "large.txt"
    random = Random(0)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(1, 9))) for _ in range(5000)]
    with path.open("w") as file:
        while file.tell() < 30_000_000:
            file.write(" ".join(random.choices(words, k=2000)) + "\n")
    # The peak is that of a process, which therefore is one of its own. (What getrusage calls the
    # peak counts the parent's memory too, from before the new program was started.)
    script = rf"""
        import re
        from pathlib import Path

        from pellucid.text.choice import tokenizer_for
        from pellucid.text.reading import read_documents
        from pellucid.text.baselines import baselines
        from pellucid.text.token_file import TokenFile
        from pellucid.text.windows import Windows, split, windows_in_order

        documents = read_documents({str(path)!r})
        tokenizer = tokenizer_for({choice!r}, documents)
        file = TokenFile.of(documents, tokenizer, folder={str(tmp_path)!r})
        train, validation = split(file.ids, block_size=64)
        baselines(train, vocab_size=tokenizer.vocab_size)
        windows = Windows(train, block_size=64, batch_size=32, seed=0)
        for step in range(2000):
            windows.batch(step)
        for _ in windows_in_order(validation, block_size=64, batch_size=32):
            pass
        assert file.characters >= 30_000_000
        print(re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[1])
    """
    run = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 200_000  # kB, of which Python, NumPy and the libraries take 40,000


def test_a_folder_on_disk_becomes_one_run_of_ids(tmp_path):
    for name, text in (("b", "groot\r\n"), ("a", "\ufeffi am"), ("c", "")):
        (tmp_path / name).write_bytes(text.encode())
    file = TokenFile.of(read_documents(tmp_path), BYTES, folder=tmp_path / ".cache")
    assert BYTES.decode(file.ids.tolist()) == "i amgroot\n"
    assert file.ids.tolist().count(0) == file.documents == 2
