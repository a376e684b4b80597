"""What is written in a thread is done when it is done, and fails where somebody asks for it."""

from threading import Event

import pytest

from pellucid.errors import PellucidError
from pellucid.training.writing import Writing


def test_it_goes_on_beside_and_is_waited_for(tmp_path):
    go_on = Event()

    def write():
        go_on.wait()
        (tmp_path / "file").write_text("written")

    writing = Writing(write)
    assert not writing.is_done
    go_on.set()
    writing.finish(tmp_path)
    assert writing.is_done
    assert (tmp_path / "file").read_text() == "written"


def test_what_the_system_refuses_is_said_when_it_is_asked_for(tmp_path):
    writing = Writing(lambda: (tmp_path / "no folder" / "file").write_text("lost"))
    with pytest.raises(PellucidError, match="cannot be written: No such file or directory"):
        writing.finish(tmp_path)


def test_any_other_error_is_not_lost_either(tmp_path):
    with pytest.raises(ZeroDivisionError):
        Writing(lambda: 1 / 0).finish(tmp_path)
