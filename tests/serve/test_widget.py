"""The widget in a kernel of its own, asked as a notebook's front end asks it."""

import ast
import itertools
import json
import os

import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel

from pellucid.views.explorer.document import policy
from tests.docs.notebooks import SETTINGS
from tests.serve.conftest import PROMPT

SECONDS = 30
MADE = """
import pellucid
page = pellucid.load("baby-groot").explorer("i am groot", live=True, title="groot")
turns = page.widget.answers.runs.turns
"""


class Front:
    """A front end that shows one widget."""

    def __init__(self, client, comm):
        self.client = client
        self.comm = comm
        self.count = itertools.count(1)

    def do(self, code, *, value="None"):
        """Run code in the kernel; then what an expression is there."""
        told = self.client.execute(code, user_expressions={"value": value}, silent=True)
        while True:
            answer = self.client.get_shell_msg(timeout=SECONDS)
            if answer["parent_header"].get("msg_id") == told:
                assert answer["content"]["status"] == "ok", answer["content"]
                return ast.literal_eval(
                    answer["content"]["user_expressions"]["value"]["data"]["text/plain"]
                )

    def say(self, **content):
        data = {"method": "custom", "content": content}
        session = self.client.session
        message = session.msg("comm_msg", {"comm_id": self.comm, "data": data})
        self.client.shell_channel.send(message)

    def heard(self, view="a"):
        """What the widget says next to a view: the content, and what comes with it as bytes."""
        while True:
            message = self.client.get_iopub_msg(timeout=SECONDS)
            content = message["content"]
            if message["msg_type"] != "comm_msg" or content["data"]["method"] != "custom":
                continue
            said = content["data"]["content"]
            if said["view"] == view:
                return said, [bytes(buffer) for buffer in message["buffers"]]

    def ask(self, kind, view="a", **question):
        """Ask, and do not wait; returns the question's number."""
        number = next(self.count)
        self.say(say="ask", view=view, id=number, kind=kind, asked=json.dumps(question))
        return number

    def answer(self, kind, **question):
        """What a question is answered."""
        number = self.ask(kind, **question)
        said, buffers = self.heard()
        assert said == {"view": "a", "id": number, "status": 200}
        (sent,) = buffers
        return sent

    def refusal(self, kind, **question):
        """Why a question is refused."""
        number = self.ask(kind, **question)
        said, buffers = self.heard()
        assert (said["id"], buffers) == (number, [])
        return said["status"], said["words"]


@pytest.fixture(scope="module")
def front():
    manager, client = start_new_kernel(env={**os.environ, **SETTINGS})
    try:
        opened = Front(client, "")
        opened.comm = opened.do(MADE, value="page.widget.model_id")
        yield opened
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.context.destroy()


def test_a_view_that_opens_is_sent_the_page(front):
    front.say(say="open", view="a")
    said, (page,) = front.heard()
    assert said == {"view": "a"}
    assert "connect-src 'none'" in policy(page.decode())
    data = page.decode().split('id="pellucid-page">')[1].split("</script>")[0]
    assert json.loads(data)["parameters"]["bytes"] is None
    assert json.loads(data)["prompt"]["text"] == PROMPT


def test_another_text_is_run_and_each_tensor_sent_as_it_is(front, groot):
    trace = groot.trace("we are")
    run = json.loads(front.answer("run", page="a", text="we are"))
    assert run["tokens"] == list(trace.tokens)
    for name in ("blocks.0.attn.pattern", "logits", "token_embedding"):
        sent = np.frombuffer(front.answer("tensor", run=run["run"], name=name), "<f4")
        np.testing.assert_array_equal(sent, np.ravel(trace.explainer.tensor(name).values))


def test_a_number_is_explained_as_in_python(front, groot):
    run = json.loads(front.answer("run", page="a", text="we are"))["run"]
    asked = {"name": "logits", "index": [2, 5]}
    explained = json.loads(front.answer("explain", run=run, **asked))
    here = groot.trace("we are").explain("logits", position=2, vocab=5)
    assert explained["value"] == here.to_dict(64)["value"]
    assert len(explained["contributions"]) == len(here.contributions) > 1


@pytest.mark.parametrize(
    ("kind", "question", "status", "said"),
    [
        ("run", {"page": "a", "text": "i am gruut"}, 400, "Did you mean groot?"),
        ("tensor", {"run": 10**6, "name": "logits"}, 410, "no longer kept"),
        ("run", {"page": "a", "text": "groot " * 200_000}, 413, "too large"),
    ],
)
def test_a_refusal_has_a_status_and_words(front, kind, question, status, said):
    refused, words = front.refusal(kind, **question)
    assert refused == status
    assert said in words


def test_a_text_typed_before_the_last_was_run_takes_its_place(front):
    front.do("turns.acquire()")
    first = front.ask("run", page="b", text="i")
    last = front.ask("run", page="b", text="i am")
    said, _ = front.heard()
    assert (said["id"], said["status"]) == (first, 409)
    front.do("turns.release()")
    said, _ = front.heard()
    assert (said["id"], said["status"]) == (last, 200)


def test_nothing_is_run_for_a_view_that_is_gone(front):
    front.do("turns.acquire()")
    front.ask("run", view="gone", page="c", text="am i")
    front.say(say="leave", view="gone")
    said, _ = front.heard("gone")
    assert said["status"] == 409
    assert front.do("turns.release()", value="page.widget.wanted.get('gone')") is None


def test_what_goes_wrong_in_the_kernel_is_said(front):
    front.do("answers, page.widget.answers.by_kind = page.widget.answers.by_kind, {}")
    status, words = front.refusal("run", page="a", text="i")
    front.do("page.widget.answers.by_kind = answers")
    assert status == 500
    assert "KeyError" in words


def test_what_no_view_says_is_not_heard(front):
    front.say(say="burn", view="a")
    front.say(say="ask", view="a", id="x", kind="run", asked="{}")
    # What is heard next is the answer to this.
    assert json.loads(front.answer("run", page="a", text="i"))["ids"]
