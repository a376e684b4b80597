"""Fields of a byte-level tokenizer of 61 tokens, as a GGUF file has them."""

from tests.interop.huggingface.tiny_models import VOCAB

LETTERS = [chr(ord("!") + i) for i in range(48)]
WORDS = ["Ġ", "a", "b", "c", "ab", "Ġab", "abc"]
MERGES = ["a b", "Ġ ab", "ab c"]
SPECIALS = ["<|end|>", "<A>"]
CONTROL, USER = 3, 4


def tokens():
    found = [*SPECIALS, *LETTERS, *WORDS]
    return [*found, *(f"<user{i}>" for i in range(VOCAB - len(found)))]


def types():
    return [CONTROL if t in SPECIALS else USER if t.startswith("<user") else 1 for t in tokens()]


def fields(**more):
    """The same fields as a header gives them."""
    import numpy as np

    said = {
        "model": "gpt2",
        "pre": "smollm",
        "tokens": tokens(),
        "token_type": np.array(types(), np.int32),
        "merges": MERGES,
        "bos_token_id": 1,
    } | more
    return {f"tokenizer.ggml.{name}": value for name, value in said.items() if value is not None}


def add_tokenizer(writer, config):
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens())
    writer.add_token_types(types())
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
