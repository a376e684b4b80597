"""What GELU and SiLU have in common: a share of each number."""

import numpy as np
import pytest

from pellucid.ops.gelu import Gelu, GeluTanh
from pellucid.ops.silu import GeluQuick, Silu
from tests.ops.passes import backward

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
GATES = pytest.mark.parametrize(
    "gate", [Gelu(), GeluTanh(), GeluQuick(), Silu()], ids=lambda gate: gate.kind
)


@DTYPES
@GATES
def test_far_out_it_is_all_or_nothing(gate, dtype):
    x = np.array([-1e9, -1e3, 0, 1e3, 1e9], dtype=dtype)
    out, (share,) = gate.forward([x], ())
    assert out.tolist() == [0, 0, 0, 1e3, 1e9]
    assert share.tolist() == [0, 0, 0.5, 1, 1]
    (slope,), () = backward(gate, np.ones_like(x), [x])
    assert slope.tolist() == [0, 0, 0.5, 1, 1]
    assert {out.dtype, share.dtype, slope.dtype} == {np.dtype(dtype)}
