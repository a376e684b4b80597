"""Other programs' models: their names and files, turned into ours."""

from pellucid.interop import seeds

__all__ = ["seeds"]
