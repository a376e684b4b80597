"""Hugging Face folders: `config.json`, safetensors and `tokenizer.json`, read as a model."""

from pellucid.interop.huggingface.folder import read

__all__ = ["read"]
