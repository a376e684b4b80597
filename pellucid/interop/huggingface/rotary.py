"""Rotary positions as a `config.json` says them, in the old words and in the new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.settings import Settings

OLD_NAMES = {"su": "longrope", "dynamic_ntk": "dynamic"}


def rotary_fields(
    settings: Settings,
    *,
    d_head: int,
    block_size: int,
    share: float | None = None,
    base: float = 10_000.0,
    layout: str = "halves",
    original: int | None = None,
    aliases: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """`position`, `rotary` and `block_size` of our config.

    Args:
        settings: of the model.
        d_head: how many numbers a head has.
        block_size: `max_position_embeddings`: the context as the file has it.
        share: how much of a head is turned, where the file does not say; of a family that
            can turn no less than all of it, nothing.
        base: of the angles, where the file does not say.
        layout: which two numbers are turned together.
        original: the context of the first training, where the file does not say.
        aliases: other words of the family for kinds of scaling.

    Raises:
        PellucidError: a field is missing, or not honoured.
    """
    base = settings.number("rope_theta", base)
    if share is not None:
        share = settings.number("partial_rotary_factor", share)
    else:
        settings.only("partial_rotary_factor", 1, 1.0)
    given = settings.first("rope_parameters", "rope_scaling", default={})
    rotary, block_size = read_rotary(
        given,
        d_head=d_head,
        block_size=block_size,
        share=share,
        base=base,
        original=settings("original_max_position_embeddings", original),
        kinds=OLD_NAMES | dict(aliases or {}),
    )
    return {
        "position": "rotary",
        "rotary": {**rotary, "layout": layout},
        "block_size": block_size,
    }


def read_rotary(
    given: Any,
    *,
    d_head: int,
    block_size: int,
    base: float,
    share: float | None = None,
    original: int | None = None,
    kinds: Mapping[str, str] = OLD_NAMES,
) -> tuple[dict[str, Any], int]:
    """One set of parameters, and the context that it leads to."""
    if not isinstance(given, Mapping):
        raise PellucidError("rope_parameters is not honoured: it is not a set of fields.")
    parameters = Settings(given, "rope_parameters.")
    base = parameters.number("rope_theta", base)
    if share is None:
        parameters.only("partial_rotary_factor", 1, 1.0)
        share = 1.0
    width = int(d_head * parameters.number("partial_rotary_factor", share))
    kind = parameters.first("rope_type", "type", default="default")
    kind = kinds.get(kind, kind)
    # Without a meaning for the kinds that do not ask for it.
    parameters("original_max_position_embeddings", None)
    scaling = None
    if kind != "default":
        if kind not in SCALINGS:
            raise PellucidError(f"rope_type={kind!r} is not honoured.")
        scaling = {"kind": kind, **SCALINGS[kind](parameters, original, block_size)}
        block_size = widened(scaling, block_size)
    parameters.done()
    dim = 0 if width == d_head else width
    return {"base": float(base), "dim": dim, "scaling": scaling}, block_size


def widened(scaling: Mapping[str, Any], block_size: int) -> int:
    """How far a model reads whose positions are scaled.

    As far as the file says; where that is the context of the first training, many times it.
    """
    original = scaling.get("original_block_size", block_size)
    grows = scaling["kind"] != "longrope" and block_size <= original
    return int(original * scaling["factor"]) if grows else block_size


def linear(parameters: Settings, original: int | None, block_size: int) -> dict[str, Any]:
    """All angles are divided by a factor."""
    return {"factor": parameters.number("factor")}


def dynamic(parameters: Settings, original: int | None, block_size: int) -> dict[str, Any]:
    """The base grows with the text."""
    return {"factor": parameters.number("factor"), "original_block_size": block_size}


def first_context(parameters: Settings, original: int | None, block_size: int) -> int:
    """The context of the first training: the model's own field is believed before the scaling's."""
    said = parameters("original_max_position_embeddings", None)
    return original or said or block_size


def llama3(parameters: Settings, original: int | None, block_size: int) -> dict[str, Any]:
    """Slow angles are divided by a factor, fast ones stay."""
    return {
        "factor": parameters.number("factor"),
        "original_block_size": first_context(parameters, original, block_size),
        "low_frequency_factor": parameters.number("low_freq_factor"),
        "high_frequency_factor": parameters.number("high_freq_factor"),
    }


def yarn(parameters: Settings, original: int | None, block_size: int) -> dict[str, Any]:
    """The same along a ramp, and scores grow a little. Peng et al., 2023."""
    before = first_context(parameters, original, block_size)
    return {
        "factor": parameters.number("factor", block_size / before),
        "original_block_size": before,
        "attention_factor": parameters("attention_factor", None),
        "beta_fast": parameters("beta_fast", 0) or 32.0,
        "beta_slow": parameters("beta_slow", 0) or 1.0,
        "mscale": parameters("mscale", 0.0),
        "mscale_all_dim": parameters("mscale_all_dim", 0.0),
        "truncate": parameters.flag("truncate", True),
    }


def longrope(parameters: Settings, original: int | None, block_size: int) -> dict[str, Any]:
    """Each angle has a factor of its own, another for long texts. Ding et al., 2024."""
    before = first_context(parameters, original, block_size)
    return {
        "factor": parameters.number("factor", block_size / before),
        "original_block_size": before,
        "attention_factor": parameters("attention_factor", None),
        "short_factors": parameters("short_factor"),
        "long_factors": parameters("long_factor"),
    }


SCALINGS = {
    "linear": linear,
    "dynamic": dynamic,
    "llama3": llama3,
    "yarn": yarn,
    "longrope": longrope,
}
