"""What a run's folder tells of its losses."""

from typing import Any

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.text.documents import Document
from pellucid.training.metrics import read_metrics

TINY: dict[str, Any] = {
    "n_layer": 1,
    "n_head": 1,
    "n_embd": 4,
    "block_size": 8,
    "batch_size": 2,
    "every": 2,
}
TEXT = Document.of("the mole sings\nthe toad swims\n" * 20)


def test_it_has_the_losses_that_were_reported_before_and_after_a_resumption(tmp_path):
    first = pellucid.train(TEXT, out=tmp_path, steps=4, **TINY)
    then = pellucid.train(TEXT, resume=tmp_path, steps=6)
    found = read_metrics(tmp_path)
    steps = (*first.history, *then.history)
    assert found.training == tuple((step.step, step.loss) for step in steps)
    validations = (*first.validations, *then.validations)
    assert found.validation == tuple((each.step, each.loss) for each in validations)


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"step":1,"loss":2.0}\n{"step":"x"}\n')
    with pytest.raises(PellucidError, match="line 2"):
        read_metrics(tmp_path)


def test_a_folder_without_one_is_no_run(tmp_path):
    with pytest.raises(PellucidError, match="cannot be read"):
        read_metrics(tmp_path)
