"""The parameters of our model, taken out of a folder's arrays by a table of names."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import ParameterSpec, parameter_specs
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.family import Layout, Place, place_of
from pellucid.ops.operation import Array

NO_PARAMETERS = re.compile(
    r"""
      .*\.(attn|attention|self_attn|self_attention)\.(attention\.)?(bias|masked_bias)  # masks
    | .*rotary_emb\.(inv_freq|cos_cached|sin_cached)
    | .*\.attn\.embed_positions
    """,
    re.VERBOSE,
)
"""What some versions stored beside the parameters, and make anew from the config."""


class Reader:
    """Takes arrays by their names and remembers which."""

    def __init__(self, layout: Layout, weights: Mapping[str, Array]) -> None:
        self.layout = layout
        self.weights = weights
        self.taken: set[str] = set()
        # A stack saved without its head leaves its own name out.
        self.bare = not any(name.startswith(layout.prefix) for name in weights)

    def stored(self, path: str) -> str:
        """The name in this folder of what a table calls `path`."""
        return path.removeprefix(self.layout.prefix) if self.bare else path

    def take(self, path: str) -> Array:
        """The array of that name, as it is."""
        name = self.stored(path)
        array = self.weights[name]
        self.taken.add(name)
        return array

    def parameter(self, place: Place, spec: ParameterSpec, config: ModelConfig) -> Array:
        """One of our parameters, of our shape, in the type that it is stored in.

        Raises:
            PellucidError: it is not there, or does not fit.
        """
        entry = self.layout.entries(config).get(place.module)
        if entry is None:
            raise PellucidError(f"This family has no {spec.name}, but its config asks for it.")
        turned = place.is_linear and place.block and self.layout.inward

        def fetch(path: str) -> Array:
            name = f"{path.replace('{i}', place.block)}.{place.kind}"
            array = self.take(name)
            if array.ndim == 0 or (place.is_linear and array.ndim != 2):
                raise PellucidError(f"{name} is {list(array.shape)}: that is no matrix.")
            return array.T if turned else array

        array = entry.read(fetch, config)
        return array.T if place.is_linear else array

    def left(self) -> list[str]:
        """What nobody has taken, masks and tables of angles aside."""
        return [
            name
            for name in self.weights
            if name not in self.taken and not NO_PARAMETERS.fullmatch(name)
        ]


def read_parameters(
    layout: Layout, config: ModelConfig, weights: Mapping[str, Array]
) -> dict[str, Array]:
    """Every parameter of a model by our name, as it is stored: views where that is possible.

    Raises:
        PellucidError: one is missing or of another shape, or there are arrays that have no use.
    """
    reader = Reader(layout, weights)
    specs = parameter_specs(build_graph(config))
    parameters = {}
    for name, spec in specs.items():
        array = reader.parameter(place_of(name), spec, config)
        if array.shape != spec.shape:
            raise PellucidError(
                f"{name} is {list(array.shape)} in the weights, but config.json makes it "
                f"{list(spec.shape)} ({' × '.join(spec.dims)})."
            )
        parameters[name] = array
    check_tied_head(reader, config, parameters)
    left = reader.left()
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        raise PellucidError(f"The weights have {left[0]}{more}, which has no place in this model.")
    return parameters


def check_tied_head(reader: Reader, config: ModelConfig, parameters: Mapping[str, Array]) -> None:
    """Where a head is tied and stored all the same, it must be the token embedding.

    Raises:
        PellucidError: it is another matrix.
    """
    entry = reader.layout.entries(config)["head"]
    path = f"{entry.path}.weight"
    if not config.tied_head or reader.stored(path) not in reader.weights:
        return
    head, table = reader.take(path), parameters["token_embedding"]
    same = head.shape == table.shape and head.dtype == table.dtype
    if not same or not np.array_equal(head.view(np.uint8), table.view(np.uint8)):
        raise PellucidError(
            f"config.json ties the head to the token embedding, but {path} is another matrix: "
            f"say tie_word_embeddings=false there."
        )
