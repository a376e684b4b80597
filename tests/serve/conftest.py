"""A server's application with BabyGroot behind it."""

import pytest
from starlette.testclient import TestClient

import pellucid
from pellucid.serve.app import make_app
from pellucid.serve.limits import Limits
from pellucid.serve.runs import Runs
from pellucid.views.explorer import to_page

PROMPT = "i am groot"
ADDRESS = "http://127.0.0.1"


@pytest.fixture(scope="session")
def groot():
    return pellucid.load("baby-groot")


@pytest.fixture(scope="session")
def trace(groot):
    return groot.trace(PROMPT)


@pytest.fixture(scope="session")
def page(groot, trace):
    """The document that is served."""
    return to_page(trace, title="groot", prompt=PROMPT, tokenizer=groot.tokenizer, server="/").html


@pytest.fixture
def client_of(groot, page):
    """A client of an application with limits of its own."""

    def client_of(**limits):
        app = make_app(page, Runs(groot, Limits(**limits)))
        return TestClient(app, base_url=ADDRESS, raise_server_exceptions=True)

    return client_of


@pytest.fixture
def client(client_of):
    return client_of()
