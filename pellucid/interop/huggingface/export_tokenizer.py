"""A tokenizer as `transformers` opens it: `tokenizer.json`, and which tokens are special."""

from __future__ import annotations

from pathlib import Path

from pellucid.interop.huggingface.export_weights import write_json
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import TOKENIZER

SETTINGS = "tokenizer_config.json"


def write_tokenizer(tokenizer: Tokenizer, folder: Path, *, block_size: int) -> None:
    """Write a tokenizer's files.

    Raises:
        OSError: they cannot be written.
    """
    tokenizer.save(folder / TOKENIZER)
    special = tokenizer.special
    # Not what stands for unknown words: transformers would leave it out of decoded texts.
    named = {"bos_token": special.start, "eos_token": special.end, "pad_token": special.pad}
    spelled = {name: tokenizer.tokens[id] for name, id in named.items() if id is not None}
    template = tokenizer.chat_template
    settings = {
        # The class that takes tokenizer.json as it is.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": block_size,
        "clean_up_tokenization_spaces": False,
        **spelled,
        **({} if template is None else {"chat_template": template}),
    }
    write_json(settings, folder / SETTINGS)
