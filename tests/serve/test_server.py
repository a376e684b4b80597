"""The server as a process of its own, asked through sockets, and ended by signals."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from pellucid.errors import PellucidError
from pellucid.serve.server import address, bind

LONG = "the old mole sings. " * 25


def repr_short(sent):
    """How a test is called."""
    return repr(sent[:60])


class Served:
    """`pellucid explore`, running."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "pellucid", "explore", *arguments, "--no-browser"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        assert self.process.stderr
        line = self.process.stdout.readline()
        found = re.search(r"http://([^:/]+):(\d+)/(\S*)", line)
        assert found, line + self.process.stderr.read()
        self.port, self.query = int(found[2]), found[3]

    def ask(self, path, question=None, timeout=60, **headers):
        """Status and body of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            body = None if question is None else json.dumps(question)
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def run(self, page, text, **more):
        return self.ask("/run", {"page": page, "text": text, **more})

    @property
    def memory(self):
        """Bytes that the process takes; 0 where the system does not say."""
        if not Path("/proc").is_dir():
            return 0
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        assert found
        return 1024 * int(found[1])

    def end(self, how):
        """Send a signal; returns the exit code and what was said on standard error."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model that takes some moments for 500 characters."""
    import pellucid

    tokenizer = pellucid.Tokenizer.characters([LONG], running=True)
    config = pellucid.ModelConfig(
        vocab_size=tokenizer.vocab_size, block_size=512, n_layer=12, n_head=4, n_embd=64
    )
    return pellucid.Model.from_config(config, tokenizer).save(tmp_path_factory.mktemp("model"))


@pytest.fixture
def served(folder):
    """The server of one test."""
    server = Served(str(folder), "the old mole")
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def nth(about):
    """Which of a server's runs it is, counted from 1."""
    said = json.loads(about)
    return said["run"] - said["server"]


def test_it_serves_a_page_and_its_first_run(served):
    status, page = served.ask("/")
    assert status == 200
    assert b"pellucid-page" in page
    assert served.ask("/health") == (200, b"ok")
    status, about = served.run("a", "the old mole")
    assert status == 200
    # What was run for the page is not run again.
    assert nth(about) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_a_signal_and_lets_go_of_what_it_computes(served, how):
    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(served.run, str(n), LONG[:500]) for n in range(3)]
        while served.ask("/health")[0] != 200 or not any(each.running() for each in asked):
            time.sleep(0.01)
        time.sleep(0.1)
        code, said = served.end(how)
        for each in asked:
            # Made, or stopped, or never taken on.
            with suppress(OSError):
                assert each.result()[0] in (200, 409, 503)
    assert said == ""
    assert code == (0 if how == signal.SIGINT else -signal.SIGTERM)


def test_fifty_at_once_are_served_or_refused_and_memory_is_bounded(served):
    before = served.memory

    def visit(n):
        statuses = [served.ask("/")[0]]
        status, about = served.run(str(n), LONG[n : n + 120])
        statuses.append(status)
        if status == 200:
            run = json.loads(about)["run"]
            tensor = {"run": run, "name": "blocks.3.attn.pattern"}
            status, numbers = served.ask("/tensor", tensor)
            assert status != 200 or len(numbers) == 4 * 4 * 120 * 120
            statuses.append(status)
        return statuses

    with ThreadPoolExecutor(50) as pool:
        statuses = [status for visited in pool.map(visit, range(50)) for status in visited]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) > 50
    assert served.ask("/health") == (200, b"ok")
    # Half a GiB beside the runs that it keeps, each of some 13 MB.
    assert served.memory < before + 1.5 * 2**30
    assert served.end(signal.SIGINT) == (0, "")


def test_who_hangs_up_is_not_computed_for(served):
    with socket.create_connection(("127.0.0.1", served.port)) as asking:
        body = json.dumps({"page": "a", "text": LONG[:500], "target": "next"}).encode()
        head = f"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        asking.sendall(head.encode() + body)
        time.sleep(0.05)
    # The run would be the second: it was not kept.
    status, about = served.run("b", "the mole")
    assert (status, nth(about)) == (200, 2)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: example.org\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n",
        b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n"
        + b"x" * 2**21,
        b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 2**18 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=repr_short,
)
def test_what_is_no_request_is_refused(everlasting, sent):
    with socket.create_connection(("127.0.0.1", everlasting.port), timeout=30) as asking:
        try:
            asking.sendall(sent)
            answer = asking.recv(2**16)
        except ConnectionError:
            answer = b""
    assert answer == b"" or re.match(rb"HTTP/1.1 4\d\d ", answer)
    assert everlasting.ask("/health") == (200, b"ok")


@pytest.fixture(scope="module")
def everlasting():
    """A server that many tests ask."""
    server = Served("baby-groot", "i am groot")
    yield server
    assert server.end(signal.SIGTERM) == (-signal.SIGTERM, "")


def test_beyond_this_machine_a_token_stands_in_the_address():
    server = Served("baby-groot", "i am", "--host", "0.0.0.0")
    try:
        assert re.fullmatch(r"\?token=[\w-]{24}", server.query)
        assert server.ask("/")[0] == 403
        assert server.ask("/" + server.query)[0] == 200
        assert server.ask("/" + server.query, Host="teacher.local")[0] == 200
    finally:
        server.end(signal.SIGTERM)


def test_a_port_that_is_taken_is_said():
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(PellucidError, match="cannot be listened on"):
            bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(PellucidError, match="cannot be listened on"):
        bind("no such host", 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_without_delay(host):
    async def nodelay():
        loop = asyncio.get_running_loop()
        accepted = loop.create_future()

        class Accepting(asyncio.Protocol):
            def connection_made(self, transport):
                accepted.set_result(transport)

        with bind(host, 0) as bound:
            server = await loop.create_server(Accepting, sock=bound)
            with socket.create_connection(bound.getsockname()[:2]):
                transport = await accepted
                found = transport.get_extra_info("socket")
                on = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
                transport.abort()
                server.close()
                await server.wait_closed()
        return on

    # In a thread of its own: a browser of other tests may hold this one's loop.
    with ThreadPoolExecutor() as pool:
        assert pool.submit(lambda: asyncio.run(nodelay())).result()


def test_an_address_is_one_that_browsers_read():
    with bind("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        assert address("127.0.0.1", bound, None) == f"http://127.0.0.1:{port}/"
        assert address("::1", bound, "ab") == f"http://[::1]:{port}/?token=ab"
