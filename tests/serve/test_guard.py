"""Who may ask, and what every answer says to the browser."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from pellucid.serve.app import make_app
from pellucid.serve.limits import Limits
from pellucid.serve.runs import Runs

OWN = {"host": "127.0.0.1:8000"}


@pytest.fixture(scope="module")
def app(groot, page):
    return make_app(page, Runs(groot, Limits()))


@pytest.fixture(scope="module")
def client(app):
    return TestClient(app)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "[::1]"]
)
def test_this_machine_is_asked_by_its_own_names(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "127.0.0.1.example.org",
        "localhost.example.org:8000",
        "example.org:127.0.0.1",
        "127.0.0.1@example.org",
        "[::1",
        "",
        "192.168.0.1",
        "xn--n3h.example",
    ],
)
def test_a_name_that_leads_here_from_elsewhere_is_refused(client, host):
    """As in DNS rebinding: the browser believes to be where it was."""
    for path in ("/", "/health"):
        answer = client.get(path, headers={"host": host})
        assert answer.status_code == 403
        assert "pellucid-page" not in answer.text


@pytest.mark.parametrize(
    "origin",
    [
        "http://example.org",
        "http://127.0.0.1:9999",
        "http://localhost:8000",
        "null",
        "file://",
        "http://[",
        "http://127.0.0.1:8000.example.org",
        "http://example.org/http://127.0.0.1:8000",
        "",
    ],
)
def test_another_page_may_not_ask(client, origin):
    answer = client.post("/run", headers={**OWN, "origin": origin}, json={"page": "a", "text": "i"})
    assert answer.status_code == 403


def test_the_page_itself_may(client):
    own = {**OWN, "origin": "http://127.0.0.1:8000"}
    asked = {"page": "a", "text": "i am"}
    assert client.post("/run", headers=own, json=asked).status_code == 200


@pytest.mark.parametrize("path", ["/", "/health", "/none", "/run"])
def test_every_answer_keeps_itself_to_its_own_page(client, path):
    for headers in (OWN, {"host": "example.org"}):
        said = client.get(path, headers=headers).headers
        assert "default-src 'none'" in said["content-security-policy"]
        assert "frame-ancestors 'none'" in said["content-security-policy"]
        assert said["x-content-type-options"] == "nosniff"
        assert said["referrer-policy"] == "no-referrer"
        assert said["cross-origin-resource-policy"] == "same-origin"
        assert said["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in said


def test_a_socket_is_no_way_round(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/run", headers=OWN):
        pass


# Beyond this machine


@pytest.fixture(scope="module")
def far(groot, page):
    return TestClient(make_app(page, Runs(groot, Limits()), hosts=None, token="secret"))


@pytest.mark.parametrize("name", ["10.0.0.7:8000", "teacher.local"])
def test_with_the_token_any_name_will_do(far, name):
    headers = {"host": name, "x-pellucid-token": "secret"}
    assert far.get("/?token=secret", headers={"host": name}).status_code == 200
    asked = {"page": "a", "text": "i am"}
    assert far.post("/run", headers=headers, json=asked).status_code == 200


@pytest.mark.parametrize("token", [None, "", "Secret", "secret ", "secret\x7f", "sécret"])
@pytest.mark.parametrize("path", ["/", "/run", "/health", "/none"])
def test_without_it_nothing_is_told(far, token, path):
    answer = far.get(path, params={} if token is None else {"token": token})
    assert answer.status_code == 403
    headers = {"x-pellucid-token": token.encode()} if token else {}
    assert far.get(path, headers=headers).status_code == 403


def test_a_token_does_not_let_another_page_ask(far):
    headers = {"x-pellucid-token": "secret", "origin": "http://example.org"}
    assert far.post("/run", headers=headers, json={}).status_code == 403


def test_without_a_token_its_names_must_be_known(groot, page):
    with pytest.raises(ValueError, match="token"):
        make_app(page, Runs(groot, Limits()), hosts=None)
