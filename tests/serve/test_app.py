"""What the server answers: the numbers of Python, or a refusal in words."""

import json

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pellucid.trace.edits import scale, zero
from tests.serve.conftest import PROMPT


def made(client, **question):
    """A run that was made: what the page is told of it."""
    answer = client.post("/run", json={"page": "a", **question})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client, path, **question):
    """Why a question was refused."""
    answer = client.post(path, json=question)
    assert answer.status_code == 400
    return answer.text


def test_the_page_is_served_with_the_policy_that_stands_in_it(client, page):
    answer = client.get("/")
    assert answer.text == page
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors 'none'")
    assert policy.removesuffix("; frame-ancestors 'none'") in page
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy


def test_it_says_that_it_is_well(client):
    assert client.get("/health").text == "ok"


@pytest.mark.parametrize("asked", [{"text": PROMPT}, {"ids": [1, 11, 3, 8]}])
def test_a_run_is_told_by_its_tokens_and_the_shapes_of_its_tensors(client, trace, asked):
    about = made(client, **asked)
    assert about["ids"] == list(trace.ids)
    assert about["tokens"] == list(trace.tokens)
    assert {name: tuple(about["shapes"][name]) for name in trace.names} == {
        name: trace[name].shape for name in trace.names
    }
    assert about["shapes"]["token_embedding"] == list(trace["token_embedding"].shape)


def numbers_of(client, run, name, **more):
    answer = client.post("/tensor", json={"run": run, "name": name, **more})
    assert answer.status_code == 200, answer.text
    assert len(answer.content) == int(answer.headers["content-length"])
    return np.frombuffer(answer.content, "<f4")


def test_every_tensor_and_parameter_is_sent_as_it_is(client, trace):
    run = made(client, text=PROMPT)["run"]
    for name in (*trace.names, *trace.parameters, "ids"):
        sent = numbers_of(client, run, name)
        np.testing.assert_array_equal(sent, np.ravel(trace.explainer.tensor(name).values))


def test_a_part_of_a_tensor_is_what_remains_at_a_place(client, trace):
    run = made(client, text=PROMPT)["run"]
    sent = numbers_of(client, run, "blocks.0.attn.pattern", at={"query": 2})
    np.testing.assert_array_equal(sent, trace["blocks.0.attn.pattern"].values[:, 2].ravel())
    one = numbers_of(client, run, "logits", at={"position": -1, "vocab": 5})
    assert one == trace["logits"].values[-1, 5]


def test_gradients_are_there_where_a_target_was_named(client, groot):
    trace = groot.trace(PROMPT, target="groot")
    run = made(client, text=PROMPT, target=8)["run"]
    sent = numbers_of(client, run, "blocks.0.attn.q", kind="gradient")
    np.testing.assert_array_equal(sent, np.ravel(trace.grad["blocks.0.attn.q"].values))
    without = made(client, text="we are")["run"]
    assert "target" in refused(client, "/tensor", run=without, name="logits", kind="gradient")


@pytest.mark.parametrize("kind", ["value", "gradient"])
def test_every_tensors_last_number_is_explained_as_in_python(client, groot, kind):
    trace = groot.trace(PROMPT, target=8)
    run = made(client, text=PROMPT, target=8)["run"]
    names = [name for name in trace.names if name in trace.gradients or kind == "value"]
    assert len(names) > 20
    for name in names:
        index = [size - 1 for size in trace[name].shape]
        asked = {"run": run, "kind": kind, "name": name, "index": index}
        answer = client.post("/explain", json=asked)
        assert answer.status_code == 200, answer.text
        ask = trace.explain if kind == "value" else trace.explain_grad
        explained = ask(name, **dict(zip(trace[name].dims, index, strict=True)))
        assert answer.json() == msgspec.json.decode(msgspec.json.encode(explained.to_dict(64)))


def test_an_explanation_is_never_longer_than_the_limit(client_of):
    client = client_of(terms=3)
    run = made(client, text=PROMPT)["run"]
    asked = {"run": run, "name": "logits", "index": [3, 5], "limit": 10**6}
    said = client.post("/explain", json=asked).json()
    assert (len(said["contributions"]), said["more_contributions"]) == (3, 6)


def test_edits_change_a_run_as_in_python(client, groot):
    edits = (zero("blocks.0.attn.pattern", query=3, key=0), scale("embed.out", 0.5))
    trace = groot.trace(PROMPT, edits=edits)
    run = made(client, text=PROMPT, edits=msgspec.to_builtins(edits))["run"]
    np.testing.assert_array_equal(
        numbers_of(client, run, "logits"), np.ravel(trace["logits"].values)
    )


# Refusals


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "neither a text nor ids"),
        ({"text": "i am gruut"}, "Did you mean groot?"),
        ({"ids": []}, "at least one token"),
        ({"ids": [1, 99]}, "99"),
        ({"ids": [1, -1]}, "-1"),
        ({"ids": [10**30]}, "whole numbers"),
        ({"text": "i am groot you are"}, "6 tokens"),
        ({"text": PROMPT, "target": 99}, "99"),
        ({"text": PROMPT, "edits": [{"edit": "zero", "name": "nothing"}]}, "nothing"),
        ({"text": PROMPT, "edits": [{"edit": "burn", "name": "logits"}]}, "burn"),
        ({"text": PROMPT, "more": 1}, "more"),
        ({"text": PROMPT, "page": "a" * 65}, "64"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(client, asked, said):
    assert said in refused(client, "/run", **{"page": "a", **asked})


@pytest.mark.parametrize("verb", ["set_to", "add"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a", '"a" is no number'),
        ("NaN", '"NaN" is no number'),
        ({"shape": [1], "numbers": ["abc"]}, '"abc" is no number'),
        ({"shape": [], "numbers": []}, "0 numbers do not fill"),
        ({"shape": [3], "numbers": [1, 2]}, "2 numbers do not fill"),
        ({"shape": [2**62, 4], "numbers": []}, "0 numbers do not fill"),
        ({"shape": [0, 2**63 - 1], "numbers": []}, "longer than any tensor"),
        ({"shape": [1] * 70, "numbers": [1]}, "70 dims"),
    ],
)
def test_a_value_that_is_none_is_refused_in_words(client, verb, value, said):
    edit = {"edit": verb, "name": "embed.out", "value": value}
    assert said in refused(client, "/run", page="a", text=PROMPT, edits=[edit])


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"positions": 3}, "4 tokens are more than the 3"),
        ({"edits": 0}, "1 edits are more than the 0"),
        ({"run": 1000}, "0 MB for a run"),
    ],
)
def test_more_than_the_server_takes_on_is_refused_before_it_runs(client_of, limits, said):
    edits = [{"edit": "zero", "name": "logits"}]
    assert said in refused(client_of(**limits), "/run", page="a", text=PROMPT, edits=edits)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"name": "../../etc/passwd"}, "../../etc/passwd"),
        ({"name": "logits\x00"}, "logits"),
        ({"name": ""}, ""),
        ({"name": "logits", "at": {"query": 0}}, "no dim 'query'"),
        ({"name": "logits", "at": {"vocab": 99}}, "out of range"),
        ({"name": "logits", "at": {"vocab": 10**30}}, "out of range"),
        ({"name": "logits", "kind": "curvature"}, "curvature"),
    ],
)
def test_what_is_not_there_is_refused_in_words(client, asked, said):
    run = made(client, text=PROMPT)["run"]
    assert said in refused(client, "/tensor", run=run, **asked)


def test_an_index_that_does_not_fit_is_refused(client):
    run = made(client, text=PROMPT)["run"]
    assert "position, vocab" in refused(client, "/explain", run=run, name="logits", index=[1])
    assert "out of range" in refused(client, "/explain", run=run, name="logits", index=[1, 99])


def test_a_run_that_is_not_kept_is_gone(client):
    assert client.post("/tensor", json={"run": 99, "name": "logits"}).status_code == 410


def test_a_request_that_is_too_large_is_not_read(client_of):
    client = client_of(body=1000)
    assert client.post("/run", content=b"x" * 1001).status_code == 413
    assert client.post("/run", content=b"x" * 1000).status_code == 400


def test_a_refusal_is_short_however_long_the_question(client):
    assert len(refused(client, "/run", page="a", text="nobody " * 50_000)) <= 2000


def test_other_ways_to_ask_are_refused(client):
    assert client.get("/run").status_code == 405
    assert client.post("/", json={}).status_code == 405
    assert client.get("/../../etc/passwd").status_code == 404


# Whatever is sent


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from(["logits", "blocks.0.attn.pattern", "embed.out", "ids", "loss", "head.w"])
PLACES = st.dictionaries(
    st.sampled_from(["position", "query", "vocab", "d_model", "head"]),
    st.integers(-6, 30) | JSON,
    max_size=3,
)
EDITS = st.fixed_dictionaries(
    {"edit": st.sampled_from(["zero", "set_to", "scale", "add", "mean_over", "mask_attention"])},
    optional={
        "name": NAMES | JSON,
        "cell": PLACES,
        "value": JSON,
        "factor": JSON,
        "dim": st.sampled_from(["position", "vocab"]) | JSON,
        "query": JSON,
        "key": JSON,
        "layer": JSON,
        "steps": JSON,
    },
)
QUESTIONS = st.fixed_dictionaries(
    {},
    optional={
        "page": st.just("a") | JSON,
        "run": st.just(1) | JSON,
        "name": NAMES | JSON,
        "index": st.lists(st.integers(-6, 30), max_size=3) | JSON,
        "at": PLACES | JSON,
        "kind": st.sampled_from(["value", "gradient"]) | JSON,
        "limit": st.integers() | JSON,
        "text": st.sampled_from([PROMPT, "we are", ""]) | JSON,
        "ids": st.lists(st.integers(-2, 25), max_size=5) | JSON,
        "edits": st.lists(EDITS, max_size=2) | JSON,
        "target": st.integers(-2, 25) | st.just("next") | JSON,
    },
)
BODIES = st.binary(max_size=64) | (QUESTIONS | JSON).map(lambda data: json.dumps(data).encode())


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=st.sampled_from(["/run", "/tensor", "/explain"]), body=BODIES)
def test_whatever_is_sent_is_answered_or_refused_in_words(client, path, body):
    run = made(client, text=PROMPT)["run"]
    answer = client.post(path, content=body.replace(b'"run": 1', b'"run": %d' % run))
    assert answer.status_code in {200, 400, 410}
    if answer.status_code == 400:
        assert answer.text


def test_nesting_without_end_is_refused(client):
    assert client.post("/run", content=b"[" * 100_000).status_code == 400
    deep = b'{"page": "a", "edits": ' + b"[" * 100_000
    assert client.post("/run", content=deep).status_code == 400
