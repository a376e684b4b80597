"""Which family of `transformers` has a model like ours, and what its `config.json` says of it.

A family has it if its own reader makes our config of what is written down: the tables by which
folders are read are the tables by which they are written, and cannot disagree with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.huggingface.export_words import in_their_words
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

FIRST = ("gpt2", "llama", "mistral", "qwen2", "qwen3", "gpt_neox", "phi", "starcoder2")
"""Of several that have it, the one that most programs read; then in the order of their names."""
BIASES = (
    "attention_bias",
    "attention_output_bias",
    "mlp_bias",
    "norm_bias",
    "head_bias",
    "query_key_norm_bias",
)


@dataclass(frozen=True, slots=True)
class Home:
    """A family that has a model like ours."""

    name: str
    """Its `model_type`."""
    config: ModelConfig
    """Ours as the family has it: perhaps with biases that ours lacks, to be zero."""
    fields: Fields
    """What its `config.json` says of it."""
    added: tuple[str, ...]
    """The biases that ours lacks."""

    @property
    def family(self) -> Family:
        return FAMILIES[self.name]


@dataclass(frozen=True, slots=True)
class Difference:
    """Why a family has no such model."""

    name: str
    missing: tuple[str, ...]
    """What of our config it has not, as `field=value`."""
    said: str = ""
    """What its reader says of it, where it refuses it as a whole."""

    def __str__(self) -> str:
        return self.said or f"it has no {', no '.join(self.missing)}"

    @property
    def distance(self) -> int:
        """How far it is from our config; a refusal is farthest."""
        return len(ModelConfig.__struct_fields__) if self.said else len(self.missing)


def find_home(
    config: ModelConfig, family: str | None = None, *, without: Collection[str] = ()
) -> Home:
    """The family that has a model of this config: the one named, or the first.

    Families that have it exactly come before those that need biases of zero; those `without` are
    not tried.

    Raises:
        PellucidError: none has it; the fields of the nearest are named that it lacks.
    """
    tried = [try_home(config, name) for name in candidates(family) if name not in without]
    homes = [home for home in tried if isinstance(home, Home)]
    if homes:
        return min(homes, key=lambda home: bool(home.added))
    others = (difference for difference in tried if isinstance(difference, Difference))
    nearest = min(others, key=lambda difference: difference.distance)
    if family is not None:
        raise PellucidError(f"This model cannot be written as {family}: {nearest}.")
    raise PellucidError(
        f"No family of transformers has this model. The nearest is {nearest.name}: {nearest}."
    )


def candidates(family: str | None) -> Iterator[str]:
    """The families to try, in order."""
    if family is None:
        return iter(sorted(FAMILIES, key=lambda name: (*(name != first for first in FIRST), name)))
    if family not in FAMILIES:
        near = did_you_mean(family, FAMILIES) or f" There are {', '.join(FAMILIES)}."
        raise PellucidError(f'There is no family "{family}".{near}')
    return iter([family])


def try_home(config: ModelConfig, name: str) -> Home | Difference:
    """The family's words for this config, if what its reader makes of them is this config."""
    ours = plain(config)
    settings = Settings(in_their_words(ours))
    try:
        theirs = plain(ModelConfig.from_dict(FAMILIES[name].config(settings)))
    except PellucidError as error:
        return Difference(name, (), str(error).rstrip("."))
    differing = [
        field
        for field in ModelConfig.__struct_fields__
        if getattr(ours, field) != getattr(theirs, field)
    ]
    missing = [field for field in differing if field not in BIASES or getattr(ours, field)]
    if "position" in missing and "rotary" in missing:
        missing.remove("rotary")
    if missing:
        return Difference(name, tuple(f"{field}={shown(ours, field)}" for field in missing))
    fields = {word: value for word, value in settings.fields.items() if word in settings.asked}
    return Home(name, theirs, fields, tuple(differing))


def shown(config: ModelConfig, field: str) -> str:
    """A field's value for an error, which is one line."""
    value = repr(getattr(config, field))
    return value if len(value) <= 60 else f"{value[:57]}…"


def plain(config: ModelConfig) -> ModelConfig:
    """The same model's config in the fewest words: several configs may say one thing."""
    fields = config.to_dict()
    near = config.window_layers or (config.window is not None,) * config.n_layer
    if not any(near):
        fields |= {"window": None, "local_rotary": None}
    if all(near) or not any(near):
        fields["window_layers"] = ()
    if all(config.rotary_layers):
        fields["rotary_layers"] = ()
    for name in ("rotary", "local_rotary"):
        if fields[name] is not None and fields[name]["dim"] == config.d_head:
            fields[name]["dim"] = 0
    if fields["local_rotary"] == fields["rotary"]:
        fields["local_rotary"] = None
    if config.attention_scale in (config.d_head**-0.5, 1 / config.d_head**0.5):
        fields["attention_scale"] = None
    return ModelConfig.from_dict(fields)
