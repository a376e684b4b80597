"""What a file says of its trace is read as if anybody could have written it."""

import re

import numpy as np
import pytest
from safetensors.numpy import save_file

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.trace import Trace
from tests.small_models import SMALL, WORDS, small_model
from tests.trace.trace_files import read_about, refusal, rewrite


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def back(model):
    return model.trace("moss oak ash", target="next")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trace.safetensors"


def test_the_header_says_of_what_run_they_are(model, back, path):
    about = read_about(back.save(path))
    assert about == {
        "format": 1,
        "pellucid": pellucid.__version__,
        "config": model.config.to_dict(),
        "dtype": "float64",
        "weights": model.labelled_parameters.digest,
        "ids": list(back.ids),
        "targets": list(back.targets),
        "tokens": list(back.tokens),
        "vocabulary": list(WORDS.tokens),
    }


def test_another_model_is_refused(model, back, path):
    back.save(path)
    other = small_model(seed=1, tokenizer=WORDS)
    with pytest.raises(PellucidError, match=r"other weights: their digest is .* model's"):
        Trace.load(path, model=other)
    with pytest.raises(PellucidError, match=r'in float64, .* model\.astype\("float64"\)'):
        Trace.load(path, model=model.astype("float32"))
    with pytest.raises(PellucidError, match="another model: n_layer=2, not 1"):
        Trace.load(path, model=small_model("one layer"))


@pytest.mark.parametrize("version", [0, 2, 10**15])
def test_an_unknown_format(back, path, version):
    back.save(path)
    rewrite(path, lambda about: {"format": version, "pellucid": "7.0", "what else": [1]})
    message = refusal(path)
    assert f"in format {version}, written by Pellucid 7.0" in message
    assert f"Pellucid {pellucid.__version__} reads format 1" in message


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", "{}", '{"format": "1"}', "[" * 50_000, '{"a":' * 50_000, "\ufffe"]
)
def test_a_header_that_says_nothing_readable(path, text):
    save_file({"logits": np.zeros((1, 11))}, path, {"pellucid.trace": text})
    assert "says nothing readable of its trace: " in refusal(path)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"more": 1}, "unknown field `more`"),
        ({"config": {}}, "missing required field"),
        ({"config": SMALL.to_dict() | {"more": 1}}, "unknown field `more`"),
        ({"config": SMALL.to_dict() | {"n_layer": 0}}, "n_layer=0 is not a positive whole number"),
        (
            {"config": SMALL.to_dict() | {"n_layer": 10**9}},
            "n_layer=1000000000 is more than 1000 layers",
        ),
        ({"config": SMALL.to_dict() | {"n_head": 2**40}}, "is damaged: .* its run makes"),
        ({"config": SMALL.to_dict() | {"vocab_size": 10**12}}, "labels, but vocab_size="),
        ({"config": SMALL.to_dict() | {"n_embd": 16, "d_head": 4}}, "is damaged: .* its run makes"),
        ({"config": SMALL.to_dict() | {"block_size": 3}}, "4 tokens, but block_size=3"),
        ({"config": SMALL.to_dict() | {"n_layer": 1}}, 'holds ".*blocks.1.* no tensor of its run'),
        ({"dtype": "float16"}, "dtype"),
        ({"dtype": "float32"}, "in float64, but its run makes .* in float32"),
        ({"weights": "12"}, "weights"),
        ({"weights": "../../../etc/passwd"}, "weights"),
        ({"ids": []}, "ids"),
        ({"ids": [1, 2, 3]}, "3 ids, 4 tokens, 4 targets"),
        ({"ids": [1, 2, 3, 11]}, "id 11, but vocab_size=11"),
        ({"ids": [1, 2, 3, -1]}, "id -1, but vocab_size=11"),
        ({"targets": [1]}, "4 ids, 4 tokens, 1 targets"),
        ({"targets": [1, 2, 3, -2]}, "id -2"),
        ({"targets": None}, 'holds ".*(loss|grad).*", which is no tensor of its run'),
        ({"tokens": ["a"]}, "4 ids, 1 tokens"),
        ({"tokens": ["a", "b", "c", "\x1b]0;owned\x07"]}, 'label "�]0;owned�" cannot be printed'),
        ({"written": [0]}, "4 ids, but 1 of them were written"),
        ({"written": [0, 0, 1, "2"]}, "written"),
        ({"vocabulary": ["a"]}, "1 labels, but vocab_size=11"),
        ({"vocabulary": ["\n"] * 11}, 'label "�" cannot be printed'),
    ],
)
def test_words_that_do_not_fit_the_run(back, path, changes, says):
    back.save(path)
    rewrite(path, lambda about: about | changes)
    assert re.search(says, refusal(path))
