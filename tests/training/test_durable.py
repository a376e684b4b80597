"""A folder has its name when everything in it is there, and no sooner."""

import pytest

from pellucid.errors import PellucidError
from pellucid.training.durable import durable_folder, telling


def test_it_has_its_name_at_the_end(tmp_path):
    folder = tmp_path / "a" / "b"
    with durable_folder(folder) as draft:
        (draft / "file").write_text("whole")
        assert not folder.exists()
    assert (folder / "file").read_text() == "whole"
    assert [path.name for path in folder.parent.iterdir()] == ["b"]


def test_nothing_is_left_of_one_that_could_not_be_filled(tmp_path):
    def fill(draft):
        (draft / "file").write_text("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), durable_folder(tmp_path / "b") as draft:
        fill(draft)
    assert not list(tmp_path.iterdir())


def test_what_a_kill_left_is_replaced(tmp_path):
    for name in ("b", ".b.draft"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("half")
    with durable_folder(tmp_path / "b") as draft:
        (draft / "file").write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["file"]


def test_the_systems_words_are_passed_on(tmp_path):
    with (
        pytest.raises(PellucidError, match=r"here cannot be written: Is a directory\. Try later\."),
        telling(tmp_path / "here", " Try later."),
    ):
        tmp_path.write_text("")
