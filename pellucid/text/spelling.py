"""How a vocabulary spells its tokens, and which bytes of a text each one stands for."""

import re
from collections.abc import Callable

Reader = Callable[[str], bytes]

_WORD_BEGINNING = "▁"
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

# Bytes that byte-level vocabularies spell as the character of the same number: the visible ones of
# Latin-1. Every other byte, in ascending order, is spelled by the next character from 256 up.
# Source: Radford et al. (2019), the encoder released with GPT-2.
_VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(byte for byte in range(256) if byte not in _VISIBLE)
_BYTES = {chr(byte): byte for byte in _VISIBLE} | {
    chr(256 + place): byte for place, byte in enumerate(_OTHERS)
}


def reader_for(decoder: object) -> Reader:
    """Return the function from a token, as the vocabulary spells it, to the bytes it stands for.

    `decoder` is the library's, or None: what it undoes is how the tokens are spelled.
    """
    parts = repr(decoder)
    if "ByteLevel" in parts:
        return byte_level
    if _WORD_BEGINNING in parts or "ByteFallback" in parts:
        return marked_words
    return str.encode


def byte_level(token: str) -> bytes:
    """Return the bytes of a token of a byte-level vocabulary: `Ġgroot` is b" groot"."""
    if all(char in _BYTES for char in token):
        return bytes(_BYTES[char] for char in token)
    return token.encode()  # Added by hand, and spelled as it reads.


def marked_words(token: str) -> bytes:
    """Return the bytes of a token that marks a space by `▁` and a single byte as `<0x0A>`."""
    single = _BYTE.fullmatch(token)
    if single:
        return bytes([int(single[1], 16)])
    return token.replace(_WORD_BEGINNING, " ").encode()
