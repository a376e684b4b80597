"""Answers without a transport: the server's tests ask the same by HTTP."""

from threading import Event

import msgspec
import numpy as np
import pytest

from pellucid.serve.answers import Answers, RefusedError, pieces
from pellucid.serve.limits import Limits
from pellucid.serve.runs import Runs
from tests.serve.conftest import PROMPT


@pytest.fixture
def answers(groot, trace):
    return Answers(Runs(groot, Limits(), first=trace))


def ask(answers, kind, stop=None, **question):
    return answers.answer(kind, msgspec.json.encode(question), stop or Event())


def first(answers):
    """The number of the run that was there already."""
    return next(iter(answers.runs.kept))


def test_an_answer_is_as_long_as_it_says(answers):
    said = [
        ask(answers, "run", page="a", text=PROMPT),
        ask(answers, "tensor", run=first(answers), name="logits"),
        ask(answers, "explain", run=first(answers), name="logits", index=[3, 5]),
    ]
    assert [answer.is_json for answer in said] == [True, False, True]
    assert all(answer.size == len(b"".join(answer.pieces)) > 0 for answer in said)


def test_a_tensor_is_its_numbers(answers, trace):
    sent = b"".join(ask(answers, "tensor", run=first(answers), name="logits").pieces)
    np.testing.assert_array_equal(np.frombuffer(sent, "<f4"), np.ravel(trace["logits"].values))


def test_places_along_a_dim_leave_what_is_there(answers, trace):
    at = {"head": 0, "query": [1, 3], "key": [0, 2]}
    sent = ask(answers, "tensor", run=first(answers), name="blocks.0.attn.pattern", at=at)
    expected = trace["blocks.0.attn.pattern"].values[0, 1:3, :2]
    got = np.frombuffer(b"".join(sent.pieces), "<f4").reshape(2, 2)
    np.testing.assert_array_equal(got, expected)


def test_a_glimpse_is_of_what_remains(answers, trace):
    question = {"name": "blocks.0.attn.scores", "at": {"head": 0}, "most": {"query": 1, "key": 1}}
    said = ask(answers, "glimpse", run=first(answers), **question)
    numbers = trace["blocks.0.attn.scores"].values[0]
    farthest = numbers.flat[np.abs(numbers).argmax()]
    expected = np.array([abs(farthest), 0, 0, farthest], dtype=np.float32)
    sent = b"".join(said.pieces)
    np.testing.assert_array_equal(np.frombuffer(sent, "<f4"), expected)
    assert said.size == len(sent)


@pytest.mark.parametrize(
    ("kind", "question", "status", "said"),
    [
        ("run", {"page": "a", "text": "i am gruut"}, 400, "Did you mean groot?"),
        ("tensor", {"run": 99, "name": "logits"}, 410, "no longer kept"),
        ("tensor", {"name": "logits", "at": {"vocab": [2, 99]}}, 400, "out of range"),
        ("tensor", {"name": "logits", "at": {"vocab": [2, 1]}}, 400, "out of range"),
        ("glimpse", {"name": "logits", "most": {"vocab": 0}}, 400, ">= 1"),
        ("glimpse", {"name": "logits", "at": {"heads": 0}}, 400, "heads"),
        ("explain", {"name": "nothing", "index": []}, 400, "nothing"),
    ],
)
def test_a_refusal_has_a_status_and_words(answers, kind, question, status, said):
    question = {"run": first(answers), **question} if kind != "run" else question
    with pytest.raises(RefusedError) as refused:
        ask(answers, kind, **question)
    assert refused.value.status == status
    assert said in refused.value.words


def test_a_run_that_is_no_longer_wanted_is_refused(answers):
    stop = Event()
    stop.set()
    with pytest.raises(RefusedError) as refused:
        ask(answers, "run", stop, page="a", text="we are")
    assert refused.value.status == 409


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 400_000), (700_000, 2), (1, 2, 300_001)])
def test_pieces_of_an_array_are_the_array(shape):
    values = np.random.default_rng(0).normal(size=shape).astype(np.float32).T
    sent = list(pieces(values))
    assert b"".join(sent) == values.tobytes()
    # A row is the least that is copied.
    assert max(map(len, sent)) <= max(2**20, values[:1].nbytes if values.ndim else 4)
