"""How much text documents hold, and the digest by which they are known."""

from collections.abc import Iterable
from hashlib import blake2b

import msgspec

from pellucid.errors import PellucidError
from pellucid.text.documents import Document


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """What a corpus holds: characters, bytes of UTF-8, documents with any text in them.

    `digest` is the same for the same documents, wherever they lie and however they are encoded.
    """

    characters: int
    bytes: int
    documents: int
    digest: str


def measure(documents: Iterable[Document]) -> Measure:
    """Read the documents through; raises `PellucidError` when they hold nothing but white space."""
    digest = blake2b(digest_size=16)
    characters = n_bytes = n_documents = 0
    blank = True
    names = []
    for document in documents:
        names.append(document.name)
        before = characters
        for block in document.read():
            encoded = block.encode()
            digest.update(encoded)
            characters += len(block)
            n_bytes += len(encoded)
            blank = blank and not block.strip()
        digest.update(b"\xff")  # A byte that no text in UTF-8 has: one document ends.
        n_documents += characters > before
    if blank:
        raise PellucidError(
            f"{', '.join(names[:3]) or 'The corpus'} is empty: it holds no text. "
            "Give a file with some words."
        )
    return Measure(
        characters=characters, bytes=n_bytes, documents=n_documents, digest=digest.hexdigest()
    )
