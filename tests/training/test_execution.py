"""How a training is carried out, and what is refused."""

import sys

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.execution import Execution, settled
from tests.training.texts import DOCUMENT, SMALL


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"engine": "tensorflow"}, "engine='tensorflow' is not one of numpy, torch"),
        ({"engine": "torch", "sharding": "ful"}, "sharding='ful' .* Did you mean full"),
        ({"device": "cuda"}, "device=cuda takes PyTorch: choose engine=torch"),
        ({"compile": True}, "compile=True takes PyTorch"),
        ({"sharding": "full"}, "sharding=full takes PyTorch"),
        ({"autocast": True}, "dtype=bfloat16 takes PyTorch"),
    ],
)
def test_what_cannot_be_is_refused(changes, said):
    with pytest.raises(PellucidError, match=said):
        Execution(**changes)


def test_bfloat16_is_for_products_and_the_parameters_are_float32():
    assert settled("bfloat16", {"engine": "torch"}) == (
        "float32",
        Execution(engine="torch", autocast=True),
    )
    assert settled("float64", {}) == ("float64", Execution())


def test_to_go_on_with_numpy_leaves_behind_what_only_torch_does():
    before = Execution(engine="torch", device="cpu", compile=True, autocast=True)
    assert before.changed(engine="numpy") == Execution()
    assert before.changed(device=None, compile=False) == Execution(
        engine="torch", device="cpu", autocast=True
    )


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_other_types_are_refused(dtype):
    with pytest.raises(PellucidError, match=f"dtype='{dtype}' is not one of .*, bfloat16"):
        pellucid.train(DOCUMENT, engine="torch", dtype=dtype, **SMALL)


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(PellucidError, match='There is no device "cuda:77"'):
        pellucid.train(DOCUMENT, engine="torch", device="cuda:77", **SMALL)


def test_without_pytorch_its_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PellucidError, match=r"needs PyTorch.*: pip install 'pellucid\[torch\]'"):
        pellucid.train(DOCUMENT, engine="torch", **SMALL)


def test_sentences_are_learned_by_numpy():
    with pytest.raises(PellucidError, match="engine=torch is for training on running text"):
        pellucid.train(preset="baby-groot", engine="torch")
