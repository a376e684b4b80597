"""Models by name: the library talks to a server, of which only what is read is asked for."""

import http.server
import json
import shutil
import sys
import threading
from functools import partial

import huggingface_hub.constants
import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.interop import hub
from pellucid.interop.importing import read_source
from tests.interop.huggingface import tiny_models as tiny
from tests.interop.huggingface import tiny_tokenizers as words

NOBODY = "http://127.0.0.1:9"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
HOSTILE = ("modeling_own.py", "pytorch_model.bin", "training_args.bin", "consolidated.safetensors")


class Server(http.server.ThreadingHTTPServer):
    """What the library needs of Hugging Face, for the models in a folder."""

    def __init__(self, root):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root = root
        self.asked = []
        self.status = 200


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args):
        """Say nothing."""

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, *, with_body):
        path = self.path.split("?")[0].strip("/")
        if path.startswith("api/models/"):
            self.describe(path.removeprefix("api/models/").split("/revision/")[0])
            return
        name, _, revised = path.partition("/resolve/")
        revision, _, file = revised.partition("/")
        assert revision in ("main", COMMIT)
        self.server.asked.append(file)
        content = (self.server.root / name / file).read_bytes()
        self.send(content, with_body=with_body)

    def describe(self, name):
        folder = self.server.root / name
        if self.server.status != 200 or not folder.is_dir():
            self.refuse()
            return
        files = [{"rfilename": path.name} for path in sorted(folder.iterdir())]
        said = {"id": name, "modelId": name, "sha": COMMIT, "siblings": files, "tags": []}
        self.send(json.dumps(said).encode(), with_body=True)

    def refuse(self):
        self.send_response(401 if self.server.status == 200 else self.server.status)
        error = {200: "RepoNotFound", 403: "GatedRepo"}.get(self.server.status, "")
        self.send_header("X-Error-Code", error)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send(self, content, *, with_body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hash(content):x}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if with_body:
            self.wfile.write(content)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One model in one file, one in several, and beside both what nobody may ask for."""
    root = tmp_path_factory.mktemp("models")
    whole, parts = root / "owner" / "whole", root / "parts"
    tiny.make("gpt2", whole)
    theirs = tiny.reopened(whole)
    theirs.save_pretrained(parts, max_shard_size="40KB")
    assert len(list(parts.glob("*.safetensors"))) > 1
    for folder in (whole, parts):
        words.write_tokenizer(folder, settings={"eos_token": "</s>"})
        for name in HOSTILE:
            (folder / name).write_bytes(b"never")
    return root


def set_address(monkeypatch, address):
    """Have the library talk to a server; it reads the address in two places."""
    template = address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.fixture
def server(models, tmp_path, monkeypatch):
    server = Server(models)
    serve = partial(server.serve_forever, poll_interval=0.01)
    threading.Thread(target=serve, daemon=True).start()
    set_address(monkeypatch, f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.chdir(tmp_path)
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["owner/whole", "parts"])
def test_a_model_comes_by_its_name(server, models, name):
    model = read_source(name)
    ids = tiny.random_ids(1, 7)
    assert np.array_equal(model.logits(ids), pellucid.load(models / name).logits(ids))
    assert model.tokenizer is not None
    assert model.tokenizer.end_id == 2


@pytest.mark.parametrize("name", ["owner/whole", "parts"])
def test_neither_code_nor_pickles_are_asked_for(server, name):
    hub.fetch(name)
    assert server.asked
    for file in server.asked:
        assert file.endswith((".json", ".safetensors", ".jinja"))
        assert not file.startswith("consolidated")


def test_what_came_once_is_there_without_a_network(server, monkeypatch):
    first = hub.fetch("owner/whole")
    set_address(monkeypatch, NOBODY)
    assert hub.fetch("owner/whole") == first


def test_without_a_network_the_error_says_how_to_bring_a_folder(server, monkeypatch):
    set_address(monkeypatch, NOBODY)
    with pytest.raises(PellucidError) as caught:
        read_source("gpt2")
    said = str(caught.value)
    assert "\n" not in said
    assert "cannot be brought from Hugging Face: ConnectError" in said
    assert "hf download gpt2 --local-dir FOLDER" in said
    assert "config.json, model.safetensors and tokenizer.json" in said


def test_without_the_library_the_error_says_how_to_bring_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[hf\]'; bring a folder with"):
        read_source("gpt2")


def test_a_name_that_nobody_has(server):
    with pytest.raises(PellucidError, match='There is no model "owner/nothing", neither here nor'):
        read_source("owner/nothing")


def test_terms_that_were_not_accepted(server):
    server.status = 403
    with pytest.raises(PellucidError, match="asks for its terms to be accepted"):
        read_source("owner/whole")


def test_a_server_that_is_out_of_order(server):
    server.status = 500
    with pytest.raises(PellucidError, match="cannot be brought from Hugging Face"):
        read_source("owner/whole")


def test_a_model_without_safetensors_is_refused_before_anything_comes(server, models):
    pickled = models / "pickled"
    shutil.copytree(models / "owner" / "whole", pickled)
    (pickled / "model.safetensors").unlink()
    with pytest.raises(PellucidError, match=r"has only pytorch_model\.bin, a pickle"):
        read_source("pickled")
    (pickled / "pytorch_model.bin").unlink()
    with pytest.raises(PellucidError, match="has no weights on Hugging Face"):
        read_source("pickled")
    (pickled / "config.json").unlink()
    with pytest.raises(PellucidError, match=r"has no config\.json"):
        read_source("pickled")
    assert not server.asked


@pytest.mark.parametrize("outside", ["../../secret.safetensors", "/etc/passwd", "a.bin"])
def test_an_index_cannot_lead_elsewhere(server, models, outside, tmp_path):
    astray = models / "astray"
    shutil.rmtree(astray, ignore_errors=True)
    shutil.copytree(models / "parts", astray)
    index = {"weight_map": {"transformer.wte.weight": outside}}
    (astray / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(PellucidError, match="files of weights lie in the folder itself"):
        read_source("astray")
    assert all(".." not in file and not file.endswith(".bin") for file in server.asked)


@pytest.mark.parametrize(
    "source", ["runs/a/b", "./gpt2", "model.gguf", "a.pt", "a b", "", "-x", "a//b", "x" * 99, "ö"]
)
def test_what_is_no_name_is_looked_for_here_alone(source, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert not hub.is_name(source)
    with pytest.raises(PellucidError):
        read_source(source)


def test_presets_of_ours_are_not_looked_for_elsewhere(server):
    assert read_source("baby-groot").tokenizer is not None
    with pytest.raises(PellucidError, match='"nano" is a shape without weights here'):
        read_source("nano")
    assert not server.asked
    # Of those that have weights there, loading tells.
    with pytest.raises(PellucidError, match="pellucid import gpt2 OUT brings its own"):
        pellucid.load("gpt2")
