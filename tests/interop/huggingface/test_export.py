"""A model of ours, written down for `transformers`, is the same model there."""

import errno
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import pellucid
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.rotary import Rotary
from pellucid.errors import PellucidError
from pellucid.interop import export
from pellucid.interop.huggingface import read
from pellucid.model.model import Model
from pellucid.text.special_tokens import SpecialTokens
from tests.interop.huggingface import tiny_models as tiny
from tests.small_models import GATED, OPTIONS, WORDS, random_parameters, small_config

RUN = ModelConfig(vocab_size=11, block_size=24, n_layer=2, n_head=2, n_embd=16, tied_head=True)
"""As `pellucid train` makes them."""


def of(config, tokenizer=None, **options):
    return Model(config, random_parameters(config, **{"dtype": "float32", **options}), tokenizer)


def opened(folder):
    """What `transformers` opens; no array was missing there or too many."""
    model, report = transformers.AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", output_loading_info=True
    )
    assert not any(report.values())
    return model.eval()


def assert_same_logits(model, theirs, *, positions):
    """In float32, and far closer in float64."""
    ids = tiny.random_ids(2, positions) % model.config.vocab_size
    want = model.logits(ids)
    assert np.abs(tiny.logits_of(theirs, ids) - want).max() <= 1e-4 * np.abs(want).max()
    wide = tiny.logits_of(tiny.doubled(theirs), ids, double=True)
    want = model.astype("float64").logits(ids)
    assert np.abs(wide - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("name", tiny.CASES)
def test_there_and_back(name, tmp_path):
    """Imported, exported, opened by `transformers`, imported again; past a scaled context too."""
    tiny.make(name, tmp_path / "theirs")
    model = read(tmp_path / "theirs")
    home = export(model, tmp_path / "ours", family=name.partition(",")[0])
    assert home.added == ()
    theirs = opened(tmp_path / "ours")
    assert_same_logits(model, theirs, positions=min(model.config.block_size, 100))
    again = read(tmp_path / "ours")
    assert again.config == model.config
    for parameter, array in model.parameters.items():
        assert np.array_equal(again.parameters[parameter], array)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_has_a_home_that_computes_the_same_or_is_named(option, tmp_path):
    # A head with a bias has next to none.
    config = small_config(option).replace(head_bias=False)
    model = of(config)
    try:
        export(model, tmp_path / "out")
    except PellucidError as error:
        named = re.findall(r" no (\w+)='?(\w+)", str(error))
        assert named
        assert all(str(getattr(config, field)).startswith(value) for field, value in named)
    else:
        assert_same_logits(model, opened(tmp_path / "out"), positions=config.block_size)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gemma2, no caps", {"window": None, "window_layers": ()}),
        ("gemma2, no caps", {"attention_scale": 30**-0.5, "norm_epsilon": 1e-3}),
        ("gemma3_text", {"window_layers": (), "local_rotary": None}),
        ("falcon, new, one norm", {"n_kv_head": 2}),
        ("falcon, new", {"n_kv_head": 4}),
        ("gpt_neox", {"rotary": Rotary(base=500, dim=6), "activation": "gelu_quick"}),
        ("granite", {"logit_multiplier": 1 / 3, "attention_scale": None}),
        ("smollm3", {"rotary_layers": ()}),
        ("gptj", {"activation": "relu_squared"}),
    ],
)
def test_configs_that_nobody_has_published(name, change, tmp_path):
    tiny.make(name, tmp_path / "theirs")
    model = of(read(tmp_path / "theirs").config.replace(**change))
    export(model, tmp_path / "ours", family=name.partition(",")[0])
    assert_same_logits(model, opened(tmp_path / "ours"), positions=20)


def test_a_run_of_ours_becomes_a_gpt2_with_its_tokenizer(tmp_path):
    model = of(RUN, WORDS)
    assert export(model, tmp_path / "out").name == "gpt2"
    theirs = opened(tmp_path / "out")
    assert_same_logits(model, theirs, positions=20)
    said = theirs.config
    assert (said.bos_token_id, said.eos_token_id, said.pad_token_id) == (1, 2, 0)
    again = pellucid.load(tmp_path / "out")
    assert again.config == RUN
    assert again.tokenizer is not None
    assert again.tokenizer.special == WORDS.special
    assert again.tokenizer.prompt("oak ash fir") == WORDS.prompt("oak ash fir")


def test_a_model_without_biases_gets_biases_of_zero(tmp_path):
    """As nanoGPT trains them."""
    bare = {"attention_bias": False, "attention_output_bias": False, "mlp_bias": False}
    model = of(RUN.replace(**bare, norm_bias=False))
    home = export(model, tmp_path / "out")
    assert (home.name, set(home.added)) == ("gpt2", {*bare, "norm_bias"})
    assert_same_logits(model, opened(tmp_path / "out"), positions=20)
    again = read(tmp_path / "out")
    assert again.config == RUN
    for name, array in again.parameters.items():
        assert np.array_equal(array, model.parameters.get(name, np.zeros_like(array)))


def test_a_qwen2_with_another_tokenizer_is_written_as_a_llama(tmp_path):
    """`transformers` would make the tokenizer of a Qwen2 anew, and read other ids."""
    config = RUN.replace(**GATED | {"attention_bias": True})
    model = of(config, WORDS)
    home = export(model, tmp_path / "out")
    assert (home.name, home.added) == ("llama", ("attention_output_bias",))
    assert_same_logits(model, opened(tmp_path / "out"), positions=9)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    assert theirs("oak ash").input_ids == WORDS.prompt("oak ash")
    with pytest.raises(PellucidError, match="this model's is another"):
        export(model, tmp_path / "other", family="qwen2")
    assert export(of(config), tmp_path / "other").name == "qwen2"


def test_the_precision_is_the_models_own(tmp_path):
    model = of(RUN, dtype="float64")
    export(model, tmp_path / "out")
    theirs = opened(tmp_path / "out")
    assert theirs.dtype == torch.float64
    again = read(tmp_path / "out")
    assert again.dtype == "float64"
    assert np.array_equal(again.parameters["token_embedding"], model.parameters["token_embedding"])


@pytest.mark.parametrize(
    ("tokenizer", "stops"),
    [
        (None, ()),
        (WORDS, (2,)),
        (WORDS.with_settings(special=SpecialTokens(end=2, stops=(2, 7, 9))), (2, 7, 9)),
        (WORDS.with_settings(special=SpecialTokens(start=1, end=2)), ()),
    ],
)
def test_texts_end_at_our_ids_alone(tokenizer, stops, tmp_path):
    """`generate` does: not at ids that a family usually has for that, such as Llama's 2."""
    ended = 0
    for seed in range(6):
        model = of(RUN, tokenizer, seed=seed)
        export(model, tmp_path / str(seed))
        ids = [1, 3, 4]
        while len(ids) < 15 and ids[-1] not in stops:
            ids.append(int(model.logits([ids])[0, -1].argmax()))
        made = tiny.greedy(opened(tmp_path / str(seed)), np.array([ids[:3]]), 12)[0]
        assert made == ids[3:]
        ended += len(ids) < 15
        again = pellucid.load(tmp_path / str(seed)).tokenizer
        assert again is None or again.end_ids == set(stops)
    assert bool(ended) == bool(stops)


def test_it_fits_into_files_of_a_size(tmp_path):
    model = of(RUN)
    export(model, tmp_path / "out", most_bytes=4000)
    files = sorted(path.name for path in (tmp_path / "out").glob("*.safetensors"))
    assert len(files) > 3
    assert files[0] == f"model-00001-of-{len(files):05}.safetensors"
    assert_same_logits(model, opened(tmp_path / "out"), positions=9)
    assert np.array_equal(read(tmp_path / "out").logits([[1, 2]]), model.logits([[1, 2]]))


def test_a_tied_head_is_written_once(tmp_path):
    export(of(RUN), tmp_path / "out")
    written = sum(path.stat().st_size for path in (tmp_path / "out").glob("*.safetensors"))
    assert of(RUN).n_parameters * 4 < written < of(RUN).n_parameters * 4 + 4000


# The folder


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    model = of(RUN)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "poem.txt").write_text("mine")
    for place in (tmp_path / "full", tmp_path / "full" / "poem.txt"):
        with pytest.raises(PellucidError, match="is there already"):
            export(model, place)
    (tmp_path / "empty").mkdir()
    export(model, tmp_path / "empty")
    with pytest.raises(PellucidError, match="is there already"):
        export(model, tmp_path / "empty")
    assert (tmp_path / "full" / "poem.txt").read_text() == "mine"


def test_nothing_stays_of_an_export_that_failed(tmp_path, monkeypatch):
    model = of(RUN)

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PellucidError, match="out cannot be written: No space left on device"):
        export(model, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PellucidError, match="cannot be"):
        export(of(RUN), tmp_path / "file" / "out")


def test_baby_groot_has_no_home(tmp_path):
    with pytest.raises(PellucidError, match=r"attention_output=False, no head_bias=True"):
        export(pellucid.load("baby-groot"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
