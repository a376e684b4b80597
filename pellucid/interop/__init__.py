"""Other programs' models: their names and files, turned into ours; and ours into theirs."""

from pellucid.interop import seeds
from pellucid.interop.huggingface.export import export

__all__ = ["export", "seeds"]
