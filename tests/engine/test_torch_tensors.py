"""Arrays and tensors on one memory; devices and dtypes by name."""

import numpy as np
import pytest
import torch

from pellucid.engine.torch_tensors import as_array, as_tensor, find_device, find_dtype
from pellucid.errors import PellucidError


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("writeable", [True, False])
def test_an_array_becomes_a_tensor_on_its_memory_without_a_word(dtype, writeable):
    array = np.arange(6, dtype=dtype).reshape(2, 3)
    array.flags.writeable = writeable
    tensor = as_tensor(array)
    assert tensor.data_ptr() == array.ctypes.data
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_keys_keep_their_bits():
    keys = np.array([0, 2**63, 2**64 - 1], dtype=np.uint64)
    assert as_tensor(keys).tolist() == [0, -(2**63), -1]


def test_an_array_that_is_no_block_of_memory_is_copied():
    array = np.arange(6.0).reshape(2, 3)[:, ::-1]
    np.testing.assert_array_equal(as_tensor(array).numpy(), array)


def test_a_tensor_becomes_an_array_on_its_memory():
    tensor = torch.arange(3.0, requires_grad=True)
    assert as_array(tensor).ctypes.data == tensor.data_ptr()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_16_bits_become_32_without_loss(dtype):
    tensor = torch.tensor([1.5, -0.001, 300.0]).to(dtype)
    array = as_array(tensor)
    assert array.dtype == np.float32
    assert torch.equal(torch.from_numpy(array).to(dtype), tensor)


def test_a_gpu_is_found_where_there_is_one():
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    if not torch.backends.mps.is_available():
        assert find_device("auto").type == find_device().type == expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("quark", 'no device "quark": take auto, cpu, cuda or mps'),
        ("", 'no device "": take'),
        ("cuda:99", r'no device "cuda:99": PyTorch sees \d+ CUDA GPUs'),
        ("meta", 'device "meta" is none of cpu, cuda and mps'),
    ],
)
def test_a_device_that_is_not_there_is_said(name, words):
    with pytest.raises(PellucidError, match=words):
        find_device(name)


@pytest.mark.skipif(torch.backends.mps.is_available(), reason="there is an Apple GPU")
def test_an_apple_gpu_that_is_not_there_is_said():
    with pytest.raises(PellucidError, match="PyTorch sees no Apple GPU"):
        find_device("mps")


def test_a_dtype_that_there_is_not_is_said():
    with pytest.raises(PellucidError, match="'int8' is not one of float32, float64, bfloat16"):
        find_dtype("int8", torch.device("cpu"))
    with pytest.raises(PellucidError, match="no float64"):
        find_dtype("float64", torch.device("mps"))
