"""A file is whole or not there."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from pellucid.files import write_whole


def spoil(path: Path) -> None:
    path.write_text("half")
    raise OSError("No space left on device")


@pytest.mark.parametrize("sync", [False, True])
def test_a_file_takes_the_place_of_another(tmp_path, sync):
    path = tmp_path / "note"
    write_whole(path, lambda draft: draft.write_text("first"), sync=sync)
    write_whole(path, lambda draft: draft.write_text("second"), sync=sync)
    assert path.read_text() == "second"
    assert [each.name for each in tmp_path.iterdir()] == ["note"]


def test_what_cannot_be_filled_leaves_the_old_file_and_no_draft(tmp_path):
    path = tmp_path / "note"
    path.write_text("old")
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, spoil)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["note"]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_file_may_be_read_by_whom_the_umask_says(tmp_path, mask):
    path = tmp_path / "weights"
    before = os.umask(mask)
    try:
        write_whole(path, lambda draft: save_file({"w": np.zeros(2)}, draft))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
