"""For each kind of operation, a strategy for operands of random shapes to hold it to.

A case is an operation, its inputs `[batch, *dims]` and its parameters. Numbers are float64 and keep
away from where a derivative jumps or grows without bound.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from pellucid.ops.alibi import Alibi, alibi_slopes
from pellucid.ops.attention import Mix, Scores
from pellucid.ops.cells import Cells
from pellucid.ops.change import Change
from pellucid.ops.dropout import Dropout
from pellucid.ops.embedding import Embedding
from pellucid.ops.frequencies import Frequencies
from pellucid.ops.gate import Gate
from pellucid.ops.gelu import Gelu, GeluTanh
from pellucid.ops.heads import MergeHeads, Remember, SplitHeads
from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.linear import Linear
from pellucid.ops.loss import CrossEntropy, MeanLoss
from pellucid.ops.mask import CausalMask
from pellucid.ops.mean_over import MeanOver
from pellucid.ops.operation import OPERATIONS, Operation
from pellucid.ops.part import Part
from pellucid.ops.position import Sinusoidal
from pellucid.ops.relu import Relu, ReluSquared
from pellucid.ops.residual import Add
from pellucid.ops.rms_norm import RmsNorm
from pellucid.ops.rotary import Rotate
from pellucid.ops.scale import Scale
from pellucid.ops.silu import GeluQuick, Silu
from pellucid.ops.soft_cap import SoftCap
from pellucid.ops.softmax import Softmax


@dataclass(frozen=True)
class Case:
    op: Operation
    inputs: list[np.ndarray]
    parameters: list[np.ndarray]


few = st.integers(1, 4)
generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)
stacks = st.tuples(few, few, few)
"""`[batch, position, width]`."""
head_stacks = st.tuples(few, few, few, few)
"""`[batch, head, position, d_head]`."""


@st.composite
def activations(draw, op):
    rng = draw(generators)
    size = rng.uniform(0.01, 3, draw(stacks))
    return Case(op, [size * rng.choice([-1, 1], size.shape)], [])


@st.composite
def adds(draw):
    rng, shape = draw(generators), draw(stacks)
    return Case(Add(), [rng.standard_normal(shape), rng.standard_normal(shape)], [])


@st.composite
def embeddings(draw):
    rng, rows, width = draw(generators), draw(few), draw(few)
    index = rng.integers(0, rows, draw(st.tuples(few, few)))
    return Case(Embedding("table", "vocab"), [index], [rng.standard_normal((rows, width))])


@st.composite
def sinusoids(draw):
    positions = draw(generators).integers(0, 50, draw(st.tuples(few, few)))
    return Case(Sinusoidal(draw(st.integers(1, 7))), [positions], [])


@st.composite
def linears(draw):
    rng, shape, to = draw(generators), draw(stacks), draw(few)
    has_bias, transposed = draw(st.booleans()), draw(st.booleans())
    op = Linear("w", "b" if has_bias else None, "d_out", transposed)
    weight = rng.standard_normal((shape[-1], to)[:: -1 if transposed else 1])
    parameters = [weight, rng.standard_normal(to)]
    return Case(op, [rng.standard_normal(shape)], parameters[: 1 + has_bias])


@st.composite
def norms(draw, kind):
    rng, has_bias, unit_offset = draw(generators), draw(st.booleans()), draw(st.booleans())
    shape = draw(stacks | head_stacks)
    by_head = len(shape) == 4 and draw(st.booleans())
    epsilon = draw(st.sampled_from([1e-5, 0.1]))
    op = kind("gamma", "beta" if has_bias else None, epsilon, by_head, unit_offset)
    # Neighbours at least 0.4 apart, and all of them from 0: the slope grows without bound where a
    # vector is nearly level, or nearly nothing.
    levels = np.broadcast_to(np.arange(1.0, shape[-1] + 1), shape)
    x = rng.permuted(levels, axis=-1) + rng.uniform(-0.3, 0.3, shape)
    own = (shape[1], shape[-1]) if by_head else shape[-1:]
    parameters = [rng.standard_normal(own), rng.standard_normal(own)]
    return Case(op, [x], parameters[: 1 + has_bias])


@st.composite
def scales(draw):
    x = draw(generators).standard_normal(draw(stacks))
    return Case(Scale(draw(st.floats(0.1, 9))), [x], [])


@st.composite
def soft_caps(draw):
    x = 3 * draw(generators).standard_normal(draw(head_stacks))
    return Case(SoftCap(draw(st.floats(0.5, 9))), [x], [])


@st.composite
def gates(draw):
    rng, shape = draw(generators), draw(stacks)
    return Case(Gate(), [rng.standard_normal(shape), rng.standard_normal(shape)], [])


@st.composite
def rotations(draw):
    rng, pairs, more = draw(generators), draw(few), draw(st.integers(0, 3))
    batch, head, position = draw(few), draw(few), draw(few)
    each = tuple(rng.uniform(0.01, 1, pairs))
    frequencies = draw(
        st.sampled_from(
            [
                Frequencies(each),
                Frequencies(each, original=3, longer=tuple(rng.uniform(0.01, 1, pairs))),
                Frequencies((*each, 0.5), original=3, growth=2.0),
            ]
        )
    )
    op = Rotate(frequencies, draw(st.sampled_from(["halves", "pairs"])), draw(st.floats(0.5, 2)))
    x = rng.standard_normal((batch, head, position, op.width + more))
    positions = np.broadcast_to(np.arange(position), (batch, position))
    lengths = [np.full(batch, position)] if frequencies.depend_on_length else []
    return Case(op, [x, positions, *lengths], [])


@st.composite
def alibis(draw):
    rng, (batch, head, position, _) = draw(generators), draw(head_stacks)
    x = rng.standard_normal((batch, head, position, position))
    positions = np.broadcast_to(np.arange(position), (batch, position))
    return Case(Alibi(alibi_slopes(head)), [x, positions], [])


@st.composite
def splits(draw):
    rng, heads, (batch, position, width) = draw(generators), draw(few), draw(stacks)
    x = rng.standard_normal((batch, position, heads * width))
    return Case(SplitHeads(heads), [x], [])


@st.composite
def merges(draw):
    rng, shape = draw(generators), draw(head_stacks)
    return Case(MergeHeads(shape[1], to="d_model"), [rng.standard_normal(shape)], [])


@st.composite
def remembered(draw):
    return Case(Remember(), [draw(generators).standard_normal(draw(head_stacks))], [])


@st.composite
def scores(draw):
    rng, group, (batch, kv_head, position, width) = draw(generators), draw(few), draw(head_stacks)
    q = rng.standard_normal((batch, group * kv_head, position, width))
    keys = rng.standard_normal((batch, kv_head, position, width))
    return Case(Scores(width, draw(st.none() | st.floats(0.1, 2))), [q, keys], [])


@st.composite
def masks(draw):
    batch, head, position, _ = draw(head_stacks)
    x = draw(generators).standard_normal((batch, head, position, position))
    positions = np.broadcast_to(np.arange(position), (batch, position))
    return Case(CausalMask(draw(st.none() | few)), [x, positions], [])


@st.composite
def dropouts(draw):
    rng, shape = draw(generators), draw(stacks)
    keys = rng.integers(0, 2**63, shape[0], dtype=np.uint64)
    return Case(Dropout(draw(st.floats(0.1, 0.9)), "here"), [rng.standard_normal(shape), keys], [])


@st.composite
def some_cells(draw, shape, dims):
    """Cells of a tensor `[batch, *dims]`, and what decides which they are."""
    chosen = [
        draw(st.none() | st.lists(st.sampled_from(range(size)), min_size=1, unique=True))
        for size in shape[1:]
    ]
    places = tuple(None if places is None else np.array(places) for places in chosen)
    steps = np.array([0, 2]) if draw(st.booleans()) else None
    cells = Cells(dims, places, steps=steps)
    position = shape[1 + next(i for i, dim in enumerate(dims) if dim in ("position", "query"))]
    given = {
        "positions": np.broadcast_to(np.arange(position), (shape[0], position)),
        "step": draw(generators).integers(0, 3, (shape[0], position)),
        "lengths": np.full(shape[0], position),
    }
    return cells, given


WITH_EXTRAS = sorted(kind for kind, op in OPERATIONS.items() if op.extras)
OF_HEADS = ("head", "query", "key")
STREAM = ("position", "d_model")
DIMS_OF_INPUTS = {"rotate": ("head", "position", "d_head")}
OTHERS = {
    "rotate": (("position",), ()),
    "cross_entropy": (("position",),),
    "dropout": ((),),
}
"""The dims of what some operations read beside the tensor."""


@st.composite
def changes(draw):
    rng, (batch, head, position, _) = draw(generators), draw(head_stacks)
    shape = (batch, head, position, position)
    cells, given = draw(some_cells(shape, OF_HEADS))
    sizes = [n if p is None else len(p) for n, p in zip(shape[1:], cells.places, strict=True)]
    sizes = [draw(st.sampled_from([1, size])) for size in sizes]
    shift = draw(st.sampled_from([None, rng.standard_normal(sizes)]))
    op = Change(cells, draw(st.sampled_from([0.0, 1.0, -2.5])), shift, "an edit")
    x = rng.standard_normal(shape)
    x[rng.random(shape) < 0.2] = -np.inf
    return Case(op, [x, *(given[name] for name in op.reads)], [])


@st.composite
def means(draw):
    rng, (batch, head, position, _) = draw(generators), draw(head_stacks)
    shape = (batch, head, position, position)
    cells, given = draw(some_cells(shape, OF_HEADS))
    op = MeanOver(cells, draw(st.sampled_from(OF_HEADS)), "an edit")
    return Case(op, [rng.standard_normal(shape), *(given[name] for name in op.reads)], [])


@st.composite
def parts(draw, kind):
    """One part of an operation, of what the parts before it make, edited."""
    case = draw(CASES[kind])
    names = DIMS_OF_INPUTS.get(kind) or {3: STREAM, 4: OF_HEADS}[case.inputs[0].ndim]
    of_inputs = (names[: case.inputs[0].ndim - 1], *OTHERS.get(kind, ()))
    _, extras = case.op.forward(case.inputs, case.parameters)
    made = {name: 1.25 * x for name, x in zip(case.op.extras, extras, strict=True)}
    made |= {f"input {i}": x for i, x in enumerate(case.inputs)}
    op = Part(case.op, draw(st.sampled_from(list(case.op.inside))), of_inputs)
    return Case(op, [made[read].copy() for read in op.reads], case.parameters[: len(op.parameters)])


@st.composite
def softmaxes(draw):
    rng, shape, masked = draw(generators), draw(head_stacks), draw(st.booleans())
    x = rng.standard_normal(shape)
    if masked:
        # The first of each row stays: there is always something to look at.
        x[..., 1:][rng.random((*shape[:-1], shape[-1] - 1)) < 0.3] = -np.inf
    return Case(Softmax("key"), [x], [])


@st.composite
def mixes(draw):
    rng, group, (batch, kv_head, position, width) = draw(generators), draw(few), draw(head_stacks)
    pattern = rng.dirichlet(np.ones(position), (batch, group * kv_head, position))
    return Case(Mix(), [pattern, rng.standard_normal((batch, kv_head, position, width))], [])


@st.composite
def cross_entropies(draw):
    rng, (batch, position, vocab) = draw(generators), draw(stacks)
    logits = 3 * rng.standard_normal((batch, position, vocab))
    return Case(CrossEntropy(), [logits, rng.integers(-1, vocab, (batch, position))], [])


@st.composite
def mean_losses(draw):
    rng, shape = draw(generators), draw(st.tuples(few, few))
    targets = rng.integers(-1, 5, shape)
    targets[0, -1] = 0  # A mean needs a number.
    return Case(MeanLoss(), [rng.exponential(size=shape), targets], [])


CASES = {
    "add": adds(),
    "alibi": alibis(),
    "causal_mask": masks(),
    "cross_entropy": cross_entropies(),
    "change": changes(),
    "dropout": dropouts(),
    "embedding": embeddings(),
    "gate": gates(),
    "gelu": activations(Gelu()),
    "gelu_quick": activations(GeluQuick()),
    "gelu_tanh": activations(GeluTanh()),
    "layer_norm": norms(LayerNorm),
    "linear": linears(),
    "mean_loss": mean_losses(),
    "mean_over": means(),
    "merge_heads": merges(),
    "mix": mixes(),
    "part": st.sampled_from(WITH_EXTRAS).flatmap(parts),
    "relu": activations(Relu()),
    "relu_squared": activations(ReluSquared()),
    "remember": remembered(),
    "rms_norm": norms(RmsNorm),
    "rotate": rotations(),
    "scale": scales(),
    "scores": scores(),
    "silu": activations(Silu()),
    "sinusoidal": sinusoids(),
    "soft_cap": soft_caps(),
    "softmax": softmaxes(),
    "split_heads": splits(),
}
"""By the operation's kind."""
