"""Steps that several parts of the architecture have: a linear map, a norm, a factor, a dropout."""

from __future__ import annotations

from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.ops.dropout import Dropout
from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.linear import Linear
from pellucid.ops.norm import Norm
from pellucid.ops.rms_norm import RmsNorm
from pellucid.ops.scale import Scale

NORMS: dict[str, type[Norm]] = {"layer": LayerNorm, "rms": RmsNorm}


def linear(weight: str, bias: str, to: str, has_bias: bool) -> Linear:
    """A linear map, with its bias or without."""
    return Linear(weight, bias if has_bias else None, to)


def norm(g: GraphBuilder, config: ModelConfig, name: str, x: str) -> str:
    """The norm that the config names, of the stream or of what is added to it."""
    beta = f"{name}.beta" if config.norm_bias else None
    gamma, epsilon, offset = f"{name}.gamma", config.norm_epsilon, config.norm_unit_offset
    return g(name, NORMS[config.norm](gamma, beta, epsilon, unit_offset=offset), x)


def scaled(g: GraphBuilder, name: str, factor: float, x: str) -> str:
    """A tensor times a number, where it is not 1."""
    return x if factor == 1 else g(name, Scale(factor), x)


def leave_out(g: GraphBuilder, name: str, x: str) -> str:
    """A dropout where the graph has one."""
    return g(name, Dropout(g.dropout, g.prefix + name), x, "noise") if g.dropout else x
