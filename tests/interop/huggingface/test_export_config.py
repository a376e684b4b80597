"""Which family has a model like ours: the one whose reader makes our config of its own words."""

import re

import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import preset
from pellucid.decoder.rotary import Rotary
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.export_config import find_home, plain
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.folder import find_family, read_config
from tests.small_models import GATED

LLAMA = ModelConfig(vocab_size=11, block_size=16, n_layer=2, n_head=4, n_embd=16, **GATED)
GPT2 = preset("gpt2")


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (GPT2, "gpt2"),
        (GPT2.replace(n_kv_head=1), "gpt_bigcode"),
        (GPT2.replace(final_norm=False), "opt"),
        (LLAMA, "llama"),
        (LLAMA.replace(n_kv_head=2, mlp_bias=True), "llama"),
        (LLAMA.replace(window=4), "mistral"),
        (LLAMA.replace(attention_bias=True), "qwen2"),
        (LLAMA.replace(query_key_norm="head"), "qwen3"),
        (LLAMA.replace(residual_multiplier=0.5), "granite"),
        (LLAMA.replace(rotary=Rotary(dim=2)), "phi3"),
        (LLAMA.replace(rotary_layers=(True, False)), "smollm3"),
    ],
)
def test_the_first_family_that_says_it_all(config, name):
    home = find_home(config)
    assert (home.name, home.config, home.added) == (name, config, ())
    fields = {"model_type": name, **home.fields}
    assert plain(read_config(find_family(fields), fields)) == config


@pytest.mark.parametrize("name", ["llama", "granite", "mistral", "phi3", "qwen2", "smollm3"])
def test_a_family_by_its_name(name):
    home = find_home(LLAMA, name)
    assert home.name == name
    assert home.family is FAMILIES[name]


def test_biases_of_zero_rather_than_none_at_all():
    bare = GPT2.replace(mlp_bias=False, norm_bias=False)
    home = find_home(bare)
    assert home.name == "gpt2"
    assert home.added == ("mlp_bias", "norm_bias")
    assert home.config == GPT2
    # Phi has a bias of its head in any case; ours is not lost elsewhere.
    with pytest.raises(PellucidError, match="it has no head_bias=True"):
        find_home(GPT2.replace(head_bias=True))


@pytest.mark.parametrize(
    ("config", "family", "said"),
    [
        (GPT2.replace(position="none"), None, "nearest is gpt2: it has no position='none'."),
        (GPT2.replace(mlp=False), None, "nearest is gpt2: it has no mlp=False."),
        (GPT2, "llama", "cannot be written as llama: it has no norm='layer'"),
        (LLAMA.replace(position="none", rotary=None), "llama", "it has no position='none'."),
        (LLAMA, "gpt2", "no norm='rms', no gated_mlp=True, no position='rotary'"),
        (LLAMA.replace(attention_bias=True), "phi3", "attention_bias=True is not honoured"),
        (LLAMA.replace(rotary=Rotary(dim=2)), "llama", "partial_rotary_factor=0.5"),
        (LLAMA, "lama", 'There is no family "lama". Did you mean llama'),
        (LLAMA, "?", "There are bloom, cohere"),
    ],
)
def test_what_no_family_has(config, family, said):
    with pytest.raises(PellucidError) as caught:
        find_home(config, family)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_value_is_cut_short():
    wide = LLAMA.replace(position="learned", rotary=None, n_layer=40, window=3)
    odd = wide.replace(window_layers=(True, False) * 20)
    with pytest.raises(PellucidError) as caught:
        find_home(odd, "llama")
    assert re.search(r"window_layers=\(True, [^=]{50}…", str(caught.value))


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ({"window": 4, "window_layers": (True, True)}, {"window": 4}),
        ({"window": 4, "window_layers": (False, False)}, {}),
        ({"rotary_layers": (True, True)}, {}),
        ({"rotary": Rotary(dim=4)}, {}),
        ({"window": 4, "local_rotary": Rotary()}, {"window": 4}),
        ({"attention_scale": 0.5}, {}),
    ],
)
def test_two_ways_to_say_one_thing(said, same):
    assert plain(LLAMA.replace(**said)) == plain(LLAMA.replace(**same)) == LLAMA.replace(**same)
