"""ModelConfig: every choice that makes one decoder differ from another, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from pellucid.decoder.choices import Activation, Norm, NormPosition, Position
from pellucid.errors import PellucidError, did_you_mean
from pellucid.showing import to_html

COUNTS = ("vocab_size", "block_size", "n_layer", "n_head", "n_kv_head", "n_embd", "d_head", "d_mlp")
FOLLOWING = ("n_kv_head", "d_head", "d_mlp")
MOST_LAYERS = 1000
"""A config with more is taken for a fault: its graph would take minutes to build."""
CHOICES = {
    "norm": Norm,
    "norm_position": NormPosition,
    "activation": Activation,
    "position": Position,
}


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
    """`pre`: each half of a block normalises what it reads. `post`: what it adds to the stream."""
    norm_epsilon: float = 1e-5
    activation: Activation = "gelu_tanh"
    position: Position = "learned"
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
            raise PellucidError(f"This is not a model config: {error}.") from None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data: `ModelConfig.from_dict` gives it back."""
        return msgspec.structs.asdict(self)

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


def check_counts(config: ModelConfig) -> None:
    """Sizes are positive whole numbers; those that may follow from others may be 0."""
    for name in COUNTS:
        value = getattr(config, name)
        least = 0 if name in FOLLOWING else 1
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise PellucidError(f"{name}={value!r} is not a positive whole number.")
    if config.n_layer > MOST_LAYERS:
        raise PellucidError(f"n_layer={config.n_layer} is more than {MOST_LAYERS} layers.")


def check_options(config: ModelConfig) -> None:
    """Options are among their choices."""
    for name, choices in CHOICES.items():
        value, known = getattr(config, name), get_args(choices)
        if value not in known:
            raise PellucidError(f"{name}={value!r} is not one of {', '.join(known)}.")
    for name, annotation in ModelConfig.__annotations__.items():
        if annotation == "bool" and not isinstance(getattr(config, name), bool):
            raise PellucidError(f"{name}={getattr(config, name)!r} is neither true nor false.")
    epsilon = config.norm_epsilon
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise PellucidError(f"norm_epsilon={epsilon!r} is not a number from 0 to 1.")


def check_sums(config: ModelConfig) -> None:
    """Sizes fit one another."""
    if config.n_head % config.n_kv_head:
        raise PellucidError(
            f"n_head={config.n_head} query heads do not divide among "
            f"n_kv_head={config.n_kv_head} key and value heads."
        )
    merged = config.n_head * config.d_head
    if not config.attention_output and merged != config.n_embd:
        raise PellucidError(
            f"Without attention_output the merged heads are added to the stream, but "
            f"n_head={config.n_head} × d_head={config.d_head} is {merged}, "
            f"not n_embd={config.n_embd}."
        )
