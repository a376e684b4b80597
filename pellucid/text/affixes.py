"""What a tokenizer of the library puts before and behind each text."""

import tokenizers
from tokenizers import models

from pellucid.errors import PellucidError

# The post-processor is asked about a text of this one token, whatever the vocabulary is.
_ANY_TEXT = tokenizers.Tokenizer(models.WordLevel({"text": 0}, unk_token="text")).encode("text")


def affixes_of(inner: tokenizers.Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids that the post-processor puts before a text, and those it puts behind it.

    Raises `PellucidError` when the text itself is not there, or there twice.
    """
    if inner.post_processor is None:
        return [], []
    whole = inner.post_processor.process(_ANY_TEXT)
    times = whole.special_tokens_mask.count(0)
    if times != 1:
        raise PellucidError(
            f"The tokenizer's post-processor puts a text {times} times where it should stand once: "
            "such a tokenizer is not read."
        )
    place = whole.special_tokens_mask.index(0)
    return whole.ids[:place], whole.ids[place + 1 :]
