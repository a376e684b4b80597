"""Pellucid: a decoder-only transformer whose every intermediate value can be seen."""

__version__ = "0.1.0"
