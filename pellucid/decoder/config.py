"""ModelConfig: every choice that makes one decoder differ from another, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pellucid.decoder.checks import (
    check_counts,
    check_layers,
    check_options,
    check_sums,
    check_together,
)
from pellucid.decoder.choices import Activation, Norm, NormPosition, Position, QueryKeyNorm
from pellucid.decoder.rotary import Rotary
from pellucid.errors import PellucidError, did_you_mean
from pellucid.showing import to_html


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shape and the options of a decoder.

    `n_kv_head`, `d_head` and `d_mlp` follow from the others where they are 0: they become `n_head`,
    `n_embd / n_head` and `4 · n_embd`.

    Raises:
        PellucidError: a size is not a positive whole number, an option is unknown, or the sizes do
            not add up, or are of more layers than anybody has built.
    """

    vocab_size: int
    block_size: int
    """The context: the most positions that the model reads at once."""
    n_layer: int
    n_head: int
    n_embd: int
    """`d_model`."""
    n_kv_head: int = 0
    d_head: int = 0
    d_mlp: int = 0
    norm: Norm = "layer"
    norm_position: NormPosition = "pre"
    """Which vectors the halves of a block normalise.

    `pre`: what each reads. `post`: the stream after each addition. `sandwich`: what each reads,
    and what it adds. `output`: what it adds alone.
    """
    norm_epsilon: float = 1e-5
    norm_unit_offset: bool = False
    """Whether gains are written down as what they differ from 1 by (Gemma)."""
    parallel_block: bool = False
    """Whether both halves of a block read the same stream and are added to it together."""
    shared_norm: bool = False
    """Whether both halves of a parallel block read the same norm."""
    embedding_norm: bool = False
    """Whether token embeddings are normalised before the blocks (BLOOM)."""
    embedding_scale: float = 1.0
    """What token embeddings are multiplied by."""
    residual_multiplier: float = 1.0
    """What each half of a block is multiplied by before it is added to the stream."""
    logit_multiplier: float = 1.0
    logit_softcap: float | None = None
    """`c`: logits become `c · tanh(logits / c)`."""
    activation: Activation = "gelu_tanh"
    mlp: bool = True
    """Whether blocks have a feed-forward network; without one they only attend."""
    gated_mlp: bool = False
    """Whether the activation is of a gate `w_gate` that multiplies what `w_in` makes."""
    position: Position = "learned"
    rotary: Rotary | None = None
    """Of `position="rotary"`, where it is the plain one unless given."""
    local_rotary: Rotary | None = None
    """The same for layers with a window, where it is another there."""
    rotary_layers: tuple[bool, ...] = ()
    """Which layers have rotary positions; all unless given."""
    alibi_scale: float = 1.0
    """What the slopes of `position="alibi"` are multiplied by."""
    window: int | None = None
    """How many positions back from itself, itself included, a query can look; all unless given."""
    window_layers: tuple[bool, ...] = ()
    """Which layers have the window; all unless given."""
    query_key_norm: QueryKeyNorm = "none"
    """Whether queries and keys are normalised, with a norm as in `norm`.

    `head`: each head's vector, with one gain for all. `head_each`: with a gain for each head.
    `all`: the vector of all heads together.
    """
    query_key_norm_bias: bool = False
    attention_scale: float | None = None
    """What scores are multiplied by; `1 / √d_head` unless given."""
    attention_softcap: float | None = None
    """`c`: scores become `c · tanh(scores / c)`."""
    attention_output: bool = True
    """Whether the merged heads pass through a projection `w_o`."""
    attention_bias: bool = True
    attention_output_bias: bool = True
    mlp_bias: bool = True
    norm_bias: bool = True
    head_bias: bool = False
    tied_head: bool = False
    """Whether the output head is the token embedding, transposed."""
    final_norm: bool = True

    def __post_init__(self) -> None:
        fill = msgspec.structs.force_setattr
        check_counts(self)
        if not self.n_kv_head:
            fill(self, "n_kv_head", self.n_head)
        if not self.d_head:
            if self.n_embd % self.n_head:
                raise PellucidError(
                    f"n_embd={self.n_embd} does not divide into n_head={self.n_head} heads: "
                    f"choose sizes that divide, or give d_head."
                )
            fill(self, "d_head", self.n_embd // self.n_head)
        if not self.d_mlp:
            fill(self, "d_mlp", 4 * self.n_embd)
        check_options(self)
        check_sums(self)
        check_layers(self)
        if self.position == "rotary" and self.rotary is None:
            fill(self, "rotary", Rotary())
        check_together(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> ModelConfig:
        """A config from plain data, such as a `config.json`.

        Raises:
            PellucidError: a field is unknown (near names are offered), missing, or of a wrong type.
        """
        for name in fields:
            if name not in cls.__struct_fields__:
                near = did_you_mean(name, cls.__struct_fields__)
                raise PellucidError(f'A model config has no field "{name}".{near}')
        try:
            return msgspec.convert(dict(fields), cls)
        except msgspec.ValidationError as error:
            said = str(error).rstrip(".")
            raise PellucidError(f"This is not a model config: {said}.") from None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data: `ModelConfig.from_dict` gives it back."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def replace(self, **changes: Any) -> ModelConfig:
        """A copy with some fields changed; sizes that followed from others follow again.

        Raises:
            PellucidError: as on making a config.
        """
        fields = self.to_dict()
        if {"n_head", "n_embd"} & changes.keys():
            plain = {
                "n_kv_head": self.n_head,
                "d_head": self.n_embd // self.n_head,
                "d_mlp": 4 * self.n_embd,
            }
            fields = {name: value for name, value in fields.items() if plain.get(name) != value}
        return ModelConfig.from_dict(fields | changes)

    def _repr_html_(self) -> str:
        return to_html(self)
