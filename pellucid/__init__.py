"""Pellucid: a decoder-only transformer whose every intermediate value can be seen.

Every name here is imported from its folder when it is first used, so that `import pellucid`
itself loads nothing: not even NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid import interop as interop
    from pellucid.analysis.attribution import attribution_patching as attribution_patching
    from pellucid.analysis.heads import heads as heads
    from pellucid.analysis.lens import lens as lens
    from pellucid.analysis.pairs import pair as pair
    from pellucid.analysis.patch import patch as patch
    from pellucid.analysis.rollout import rollout as rollout
    from pellucid.decoder.config import ModelConfig as ModelConfig
    from pellucid.errors import PellucidError as PellucidError
    from pellucid.interop.capture import capture as capture
    from pellucid.model.compare import compare as compare
    from pellucid.model.folder import load as load
    from pellucid.model.model import Model as Model
    from pellucid.model.torch_models import from_torch as from_torch
    from pellucid.text.documents import Document as Document
    from pellucid.text.tokenizer import Tokenizer as Tokenizer
    from pellucid.trace.edits import add as add
    from pellucid.trace.edits import copy_from as copy_from
    from pellucid.trace.edits import mask_attention as mask_attention
    from pellucid.trace.edits import mean_over as mean_over
    from pellucid.trace.edits import scale as scale
    from pellucid.trace.edits import set_to as set_to
    from pellucid.trace.edits import zero as zero
    from pellucid.trace.edits_json import edits_from_json as edits_from_json
    from pellucid.trace.edits_json import edits_to_json as edits_to_json
    from pellucid.trace.trace import Trace as Trace
    from pellucid.trace.typed_edit import read_edit as read_edit
    from pellucid.training.evaluate import evaluate as evaluate
    from pellucid.training.film import film as film
    from pellucid.training.train import train as train
    from pellucid.views.figures import views as figures  # noqa: F401

__version__ = "0.1.0"

_HOMES = {
    "Document": "pellucid.text.documents",
    "Model": "pellucid.model.model",
    "ModelConfig": "pellucid.decoder.config",
    "PellucidError": "pellucid.errors",
    "Tokenizer": "pellucid.text.tokenizer",
    "Trace": "pellucid.trace.trace",
    "add": "pellucid.trace.edits",
    "attribution_patching": "pellucid.analysis.attribution",
    "capture": "pellucid.interop.capture",
    "compare": "pellucid.model.compare",
    "copy_from": "pellucid.trace.edits",
    "edits_from_json": "pellucid.trace.edits_json",
    "edits_to_json": "pellucid.trace.edits_json",
    "evaluate": "pellucid.training.evaluate",
    "figures": "pellucid.views.figures.views",
    "film": "pellucid.training.film",
    "from_torch": "pellucid.model.torch_models",
    "heads": "pellucid.analysis.heads",
    "interop": "pellucid.interop",
    "lens": "pellucid.analysis.lens",
    "load": "pellucid.model.folder",
    "mask_attention": "pellucid.trace.edits",
    "mean_over": "pellucid.trace.edits",
    "pair": "pellucid.analysis.pairs",
    "patch": "pellucid.analysis.patch",
    "read_edit": "pellucid.trace.typed_edit",
    "rollout": "pellucid.analysis.rollout",
    "scale": "pellucid.trace.edits",
    "set_to": "pellucid.trace.edits",
    "train": "pellucid.training.train",
    "zero": "pellucid.trace.edits",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    """Import a public name from its home, once (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    # Some names are of whole modules.
    value = getattr(home, name, home)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
