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


@pytest.mark.parametrize(
    ("kind", "question", "status", "said"),
    [
        ("run", {"page": "a", "text": "i am gruut"}, 400, "Did you mean groot?"),
        ("tensor", {"run": 99, "name": "logits"}, 410, "no longer kept"),
        ("explain", {"name": "nothing", "index": []}, 400, "nothing"),
    ],
)
def test_a_refusal_has_a_status_and_words(answers, kind, question, status, said):
    question = {"run": first(answers), **question} if kind == "explain" else question
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
