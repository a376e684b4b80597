"""Runs that read a text bit by bit, joined, are one run over the whole."""

import numpy as np
import pytest

from pellucid.engine.plan import Keep
from pellucid.generation.stretch import Stretch
from tests.engine.small_engines import build
from tests.small_models import OPTIONS

IDS = [3, 1, 7, 7, 2, 10]
PIECES = [[3, 1, 7], [7], [2], [10]]


def read(engine, pieces=PIECES):
    stretch = Stretch(engine)
    logits = [stretch.read(piece, step=step) for step, piece in enumerate(pieces)]
    return stretch, logits


@pytest.mark.parametrize(
    "option", [name for name in OPTIONS if build(name).graph.same_at(len(PIECES[0]), len(IDS))]
)
def test_every_tensor_is_that_of_one_run(option):
    engine = build(option)
    stretch, _ = read(engine)
    whole = engine.forward({"ids": np.array([IDS])}, keep=Keep.EVERYTHING)
    values = stretch.values()
    assert set(values) == set(whole.values) - {"ids"}
    for name in values:
        assert values[name].shape == whole[name].shape, name
        np.testing.assert_allclose(values[name], whole[name], rtol=1e-11, atol=1e-11)


def test_what_the_steps_computed_is_kept_to_the_last_bit(engine):
    seen: dict[str, list[np.ndarray]] = {}

    def look(name, x):
        seen.setdefault(name, []).append(x)
        return x

    forward = engine.forward
    engine.forward = lambda inputs, **options: forward(inputs, intervene=look, **options)
    values = read(engine)[0].values()
    row = 0
    for piece, scores, logits in zip(
        PIECES, seen["blocks.1.attn.scores"], seen["logits"], strict=True
    ):
        rows = slice(row, row + len(piece))
        stored = values["blocks.1.attn.scores"][:, :, rows, : rows.stop]
        np.testing.assert_array_equal(stored, scores)
        np.testing.assert_array_equal(values["logits"][:, rows], logits)
        row += len(piece)


def test_the_future_is_shut_out_and_its_scores_are_products(engine):
    values = read(engine)[0].values()
    later = np.triu(np.ones((6, 6), dtype=bool), k=1)
    assert (values["blocks.0.attn.masked_scores"][..., later] == -np.inf).all()
    assert (values["blocks.0.attn.pattern"][..., later] == 0).all()
    q, keys = values["blocks.0.attn.q"], values["blocks.0.attn.keys"]
    products = q @ keys.mT / np.sqrt(q.shape[-1])
    np.testing.assert_allclose(values["blocks.0.attn.scores"], products, rtol=1e-13)


def test_each_id_knows_the_step_that_read_it(engine):
    stretch, _ = read(engine)
    assert stretch.ids == IDS
    assert stretch.written == [0, 0, 0, 1, 2, 3]
    assert stretch.cache.written[0].tolist() == stretch.written


def test_looking_in_between_changes_nothing(engine):
    stretch, logits = read(engine, PIECES[:2])
    before = stretch.values()
    again = {name: x.copy() for name, x in before.items()}
    logits += [stretch.read(piece, step=2 + i) for i, piece in enumerate(PIECES[2:])]
    for name, x in again.items():
        np.testing.assert_array_equal(before[name], x)
    other, expected = read(engine)
    np.testing.assert_array_equal(logits, expected)
    for name, x in other.values().items():
        np.testing.assert_array_equal(stretch.values()[name], x)
