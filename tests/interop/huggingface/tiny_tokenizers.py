"""Tokenizers for the tiny models, as folders have them, and the settings that stand beside them."""

import json

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors

NAMED = ["<unk>", "<s>", "</s>", "<|turn|>", "<pad>"]
LETTERS = [*"abcdefghijklmnopqrstuvwxyz", *"0123456789", "Ġ", "Ċ", ".", "<", ">", "/", "|"]
FURTHER = [chr(ord("A") + place) for place in range(11)]
VOCABULARY = {token: id for id, token in enumerate([*NAMED, *LETTERS, "ab", "Ġab", *FURTHER])}
MERGES = [("a", "b"), ("Ġ", "ab")]
STARTS = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
ENCLOSES = processors.TemplateProcessing(
    single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
)
BY_BYTES = processors.ByteLevel(trim_offsets=True)


def library_tokenizer(*, special=NAMED, post_processor=None):
    """A byte-level tokenizer of 61 tokens."""
    inner = tokenizers.Tokenizer(models.BPE(VOCABULARY, MERGES, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    if post_processor is not None:
        inner.post_processor = post_processor
    return inner


def write_tokenizer(folder, *, settings=None, named=None, generation=None, **options):
    """Put a tokenizer and the files beside it into a model's folder; what is None has none."""
    library_tokenizer(**options).save(str(folder / "tokenizer.json"))
    files = {
        "tokenizer_config.json": settings,
        "special_tokens_map.json": named,
        "generation_config.json": generation,
    }
    for name, content in files.items():
        (folder / name).unlink(missing_ok=True)
        if content is not None:
            (folder / name).write_text(json.dumps(content))
