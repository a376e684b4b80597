"""Files of traces, rewritten as somebody else might have written them."""

import json

import pytest
from safetensors.numpy import load_file, save_file

from pellucid.errors import PellucidError
from pellucid.trace.trace import Trace


def read_about(path):
    header = path.read_bytes()
    length = int.from_bytes(header[:8], "little")
    return json.loads(json.loads(header[8 : 8 + length])["__metadata__"]["pellucid.trace"])


def rewrite(path, change, *, arrays=None):
    """The file again, with other words in its header, and other arrays."""
    about = read_about(path)
    known = load_file(path) if arrays is None else arrays
    changed = change(about)
    text = json.dumps(about if changed is None else changed)
    save_file(known, path, {"pellucid.trace": text})


def refusal(path):
    with pytest.raises(PellucidError) as caught:
        Trace.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path} ")
    assert message.isprintable()
    return message
