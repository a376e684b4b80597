"""Numbers in other programs' words come back to the last bit when they are read."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.rotary import Rotary, RotaryScaling
from pellucid.interop.huggingface.export_words import first_context, share_of


@given(st.integers(1, 200), st.data())
def test_a_share_of_a_head_rounds_down_to_the_same_width(d_head, data):
    dim = data.draw(st.integers(1, d_head))
    share = share_of(dim, d_head)
    assert int(d_head * share) == dim
    assert share <= 1


@given(st.integers(1, 10_000), st.floats(1, 64))
def test_a_context_that_linear_scaling_makes_longer(before, factor):
    scaling = RotaryScaling(kind="linear", factor=factor)
    config = ModelConfig(
        vocab_size=5,
        block_size=int(before * factor),
        n_layer=1,
        n_head=1,
        n_embd=4,
        position="rotary",
        rotary=Rotary(scaling=scaling),
    )
    assert int(first_context(config) * factor) == config.block_size
