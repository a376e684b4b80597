"""A training's figures for TensorBoard."""

import json
import sys

import pytest
from tensorboardX.proto.event_pb2 import Event

TINY = (
    *("--n-layer", "1", "--n-head", "1", "--n-embd", "4", "--block-size", "8"),
    *("--batch-size", "2", "--steps", "4", "--every", "2"),
)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "pond.txt"
    path.write_text("the mole sings\n" * 40, encoding="utf-8")
    return path


def scalars(folder):
    """(name, step, value) of every scalar in the event files of a folder."""
    found = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        while content:
            # A record: its length, a checksum of it (4 bytes), the event, a checksum of that.
            length = int.from_bytes(content[:8], "little")
            event = Event.FromString(content[12 : 12 + length])
            for value in event.summary.value:
                if value.WhichOneof("value") == "simple_value":
                    found.append((value.tag, event.step, value.simple_value))
            content = content[16 + length :]
    return found


def test_it_has_what_the_metrics_have(run, text, tmp_path):
    folder = tmp_path / "run"
    assert run("train", str(text), "--out", str(folder), *TINY, "--tensorboard").code == 0
    told = scalars(folder / "tensorboard")
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    for key, name in (("loss", "loss/training"), ("validation_loss", "loss/validation")):
        wanted = {line["step"]: line[key] for line in lines if key in line}
        assert {step: value for tag, step, value in told if tag == name} == pytest.approx(wanted)


def test_who_has_no_writer_is_told_before_the_training(refused, text, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    folder = tmp_path / "run"
    message = refused("train", str(text), "--out", str(folder), *TINY, "--tensorboard")
    assert "pellucid[tensorboard]" in message
    assert not folder.exists()
