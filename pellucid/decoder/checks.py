"""What a config must hold to: sizes that fit one another, options that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pellucid.decoder.choices import Activation, Norm, NormPosition, Position, QueryKeyNorm
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.decoder.config import ModelConfig

COUNTS = ("vocab_size", "block_size", "n_layer", "n_head", "n_kv_head", "n_embd", "d_head", "d_mlp")
FOLLOWING = ("n_kv_head", "d_head", "d_mlp")
MOST_LAYERS = 1000
"""A config with more is taken for a fault: its graph would take minutes to build."""
MOST_IN_A_HEAD = 65_536
"""The same of the numbers in a head, each pair of which may turn at an angle of its own."""
MOST = 2**53
"""Larger counts are no longer exact in JSON, nor much further on in an array."""
CHOICES = {
    "norm": Norm,
    "norm_position": NormPosition,
    "activation": Activation,
    "position": Position,
    "query_key_norm": QueryKeyNorm,
}
FACTORS = (
    "attention_scale",
    "attention_softcap",
    "logit_softcap",
    "embedding_scale",
    "residual_multiplier",
    "logit_multiplier",
    "alibi_scale",
)
BY_LAYER = ("window_layers", "rotary_layers")


def check_counts(config: ModelConfig) -> None:
    """Sizes are positive whole numbers; those that may follow from others may be 0."""
    for name in COUNTS:
        least = 0 if name in FOLLOWING else 1
        check_count(name, getattr(config, name), least)
    if config.window is not None:
        check_count("window", config.window, 1)
    if config.n_layer > MOST_LAYERS:
        raise PellucidError(f"n_layer={config.n_layer} is more than {MOST_LAYERS} layers.")


def check_count(name: str, value: Any, least: int) -> None:
    """One of them."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PellucidError(f"{name}={value!r} is not a positive whole number.")
    if value > MOST:
        raise PellucidError(f"{name}={value} is more than can be counted exactly: at most {MOST}.")


def check_options(config: ModelConfig) -> None:
    """Options are among their choices, and factors are numbers."""
    for name, choices in CHOICES.items():
        value, known = getattr(config, name), get_args(choices)
        if value not in known:
            raise PellucidError(f"{name}={value!r} is not one of {', '.join(known)}.")
    for name, annotation in type(config).__annotations__.items():
        if annotation == "bool" and not isinstance(getattr(config, name), bool):
            raise PellucidError(f"{name}={getattr(config, name)!r} is neither true nor false.")
    epsilon = config.norm_epsilon
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise PellucidError(f"norm_epsilon={epsilon!r} is not a number from 0 to 1.")
    for name in FACTORS:
        if getattr(config, name) is not None:
            check_positive(name, getattr(config, name))


def check_positive(name: str, value: Any) -> None:
    """Positive, finite numbers alone.

    Raises:
        PellucidError: this is none.
    """
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not 0 < value < float("inf"):
        raise PellucidError(f"{name}={value!r} is not a positive number.")


def check_sums(config: ModelConfig) -> None:
    """Sizes fit one another."""
    if config.d_head > MOST_IN_A_HEAD:
        raise PellucidError(f"d_head={config.d_head} is more than {MOST_IN_A_HEAD} in a head.")
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


def check_layers(config: ModelConfig) -> None:
    """What is said of single layers is said of each."""
    for name in BY_LAYER:
        given = getattr(config, name)
        if given and len(given) != config.n_layer:
            raise PellucidError(
                f"{name} says yes or no of {len(given)} layers, but n_layer={config.n_layer}."
            )
    if config.window_layers and config.window is None:
        raise PellucidError("window_layers are given, but no window: give both or neither.")


def check_together(config: ModelConfig) -> None:
    """Options that have a meaning only beside others stand beside them."""
    if config.parallel_block and config.norm_position != "pre":
        raise PellucidError(
            f'parallel_block goes with norm_position="pre", not "{config.norm_position}".'
        )
    for name in ("parallel_block", "gated_mlp"):
        if getattr(config, name) and not config.mlp:
            raise PellucidError(f"{name} needs a feed-forward network, but mlp is false.")
    if config.shared_norm and not config.parallel_block:
        raise PellucidError("shared_norm goes with parallel_block alone.")
    if config.norm_unit_offset and config.norm != "rms":
        raise PellucidError(f'norm_unit_offset goes with norm="rms", not "{config.norm}".')
    for name in ("rotary", "local_rotary"):
        rotary = getattr(config, name)
        if rotary is None:
            continue
        if config.position != "rotary":
            raise PellucidError(f'{name} is given, but position="{config.position}".')
        rotary.width(config.d_head)
    if config.rotary is not None and config.local_rotary is not None:
        widths = config.rotary.width(config.d_head), config.local_rotary.width(config.d_head)
        if widths[0] != widths[1]:
            raise PellucidError(
                f"rotary turns {widths[0]} numbers of a head, but local_rotary {widths[1]}."
            )
    if config.rotary_layers and config.position != "rotary":
        raise PellucidError(f'rotary_layers are given, but position="{config.position}".')
    if config.local_rotary is not None and config.window is None:
        raise PellucidError("local_rotary is of layers with a window, but there is no window.")
