"""A table of names has a place for every parameter that its family's configs can ask for."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.interop.huggingface.entries import Whole
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import Place, place_of
from tests.small_models import OPTIONS, small_config


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("token_embedding", Place("", "token_embedding", "weight", is_linear=False)),
        ("head.w", Place("", "head", "weight", is_linear=True)),
        ("head.b", Place("", "head", "bias", is_linear=False)),
        ("final_norm.gamma", Place("", "final_norm", "weight", is_linear=False)),
        ("blocks.12.attn.w_q", Place("12", "attn.q", "weight", is_linear=True)),
        ("blocks.0.mlp.b_gate", Place("0", "mlp.gate", "bias", is_linear=False)),
        ("blocks.3.norm1_post.beta", Place("3", "norm1_post", "bias", is_linear=False)),
        ("blocks.3.attn.q_norm.gamma", Place("3", "attn.q_norm", "weight", is_linear=False)),
    ],
)
def test_names_taken_apart(name, place):
    assert place_of(name) == place


@pytest.mark.parametrize("option", OPTIONS)
def test_every_parameter_there_is_has_a_place(option):
    specs = parameter_specs(build_graph(small_config(option)))
    places = {name: place_of(name) for name in specs}
    assert len(set(places.values())) == len(specs)
    for name, place in places.items():
        assert place.is_linear == (specs[name].kind == "matrix"), name
        assert place.block == ("" if "blocks." not in name else name.split(".")[1])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_names_of_a_family_lead_to_different_arrays(family):
    entries = FAMILIES[family].entries(small_config())
    whole = [entry.path for entry in entries.values() if isinstance(entry, Whole)]
    assert len(set(whole)) == len(whole)
    for ours, entry in entries.items():
        outside = ours in ("token_embedding", "position_embedding", "final_norm", "head")
        outside = outside or ours.startswith("embed.")
        assert ("{i}" in entry.path) != outside
        assert entry.path.startswith(FAMILIES[family].prefix) or ours == "head"
