"""Reading through a mapped file leaves its memory free, and the ids as they are."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text import mapped
from pellucid.text.mapped import chunks, release

STATUS = Path("/proc/self/status")


@given(st.lists(st.integers(0, 9)), st.integers(1, 5), st.integers(0, 2))
def test_chunks_are_the_whole_in_order(ids, size, overlap):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "CHUNK", size)
        parts = [part.tolist() for part in chunks(np.array(ids, dtype=int), overlap=overlap)]
    windows = [ids[i : i + overlap + 1] for i in range(len(ids) - overlap)]
    seen = [part[i : i + overlap + 1] for part in parts for i in range(len(part) - overlap)]
    assert seen == windows


def test_a_released_array_still_has_its_ids(tmp_path):
    stored = np.arange(100_000, dtype=np.uint16)
    stored.tofile(tmp_path / "ids")
    ids = np.memmap(tmp_path / "ids", np.uint16, "r")
    for array in (ids, ids[10:20], stored):
        expected = array.tolist()
        release(array)
        assert array.tolist() == expected


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells how much memory is mapped")
def test_reading_in_chunks_keeps_no_memory(tmp_path):
    def file_memory():
        (size,) = re.findall(r"RssFile:\s*(\d+) kB", STATUS.read_text())
        return int(size)

    (tmp_path / "ids").write_bytes(bytes(50_000_000))
    ids = np.memmap(tmp_path / "ids", np.uint16, "r")
    before = file_memory()
    for chunk in chunks(ids):
        chunk.sum()
    assert file_memory() - before < 5_000
    ids.sum()
    assert file_memory() - before > 45_000
    release(ids)
    assert file_memory() - before < 5_000
