"""A file is whole or not there."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from pellucid.files import check_place, write_whole


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


def test_the_umask_is_never_touched_which_all_threads_share(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", None)
    write_whole(tmp_path / "note", lambda draft: draft.write_text("whole"))


@pytest.mark.parametrize("path", ["", "/"])
def test_a_folder_is_left_as_it_is(path):
    mode = Path(path).stat().st_mode
    with pytest.raises(OSError, match="not a file"):
        write_whole(Path(path), lambda draft: draft.write_text("note"))
    assert Path(path).stat().st_mode == mode


def test_a_place_is_asked_for_before_the_work_and_left_as_it_was(tmp_path):
    path = tmp_path / "note"
    path.write_text("old")
    check_place(path)
    check_place(tmp_path / "other")
    assert [each.name for each in tmp_path.iterdir()] == ["note"]
    assert path.read_text() == "old"
    for wrong in (tmp_path, tmp_path / "nowhere" / "note"):
        with pytest.raises(OSError, match=r"not a file|No such file"):
            check_place(wrong)


def test_a_pipe_is_left_as_it_is(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a file"):
        write_whole(path, lambda draft: draft.write_text("note"))
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_link_goes_on_leading_to_the_file(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    write_whole(link, lambda draft: draft.write_text("note"))
    assert link.is_symlink()
    assert file.read_text() == "note"


def test_one_that_writes_the_same_file_meanwhile_spoils_nothing(tmp_path):
    path = tmp_path / "note"

    def slowly(draft: Path) -> None:
        draft.write_text("first")
        write_whole(path, lambda other: other.write_text("second"))

    write_whole(path, slowly)
    assert path.read_text() == "first"
    assert [each.name for each in tmp_path.iterdir()] == ["note"]


def test_a_folder_that_is_not_there_is_said_in_the_systems_words(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "no" / "weights", lambda draft: save_file({}, draft))
