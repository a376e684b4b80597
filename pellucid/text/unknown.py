"""The error for text that a vocabulary cannot spell."""

import unicodedata
from collections.abc import Collection, Sequence

import tokenizers

from pellucid.errors import PellucidError, did_you_mean
from pellucid.text.visible import visible

_NAMED_AT_MOST = 5


def unknown_error(
    unknown: Sequence[str], *, tokens: Collection[str], special: Collection[str]
) -> PellucidError:
    """Return an error that names the `unknown` pieces of a text and the nearest known `tokens`.

    A piece may be the spelling of a `special` token, which is no token that can be typed.
    """
    known = [visible(token) for token in tokens if token not in special]
    # Special ones last, so that "Nor is" follows what it refers to.
    named = sorted(unknown[:_NAMED_AT_MOST], key=lambda piece: piece in special)
    sentences = []
    for number, piece in enumerate(named):
        if piece in special:
            sentences.append(f'"{piece}" is a special token, added where it belongs, never typed.')
        elif number == 0:
            sentences.append(
                f'"{visible(piece)}" is not in this vocabulary of {len(tokens)} tokens.'
                + _nearest(piece, known)
            )
        else:
            sentences.append(f'Nor is "{visible(piece)}".' + _nearest(piece, known))
    if len(unknown) > len(named):
        sentences.append(f"(And {len(unknown) - len(named)} more.)")
    return PellucidError(" ".join(sentences))


def pieces_of(text: str, inner: tokenizers.Tokenizer) -> list[str]:
    """Return what a tokenizer of the library looks up, or cuts up further, of a text."""
    if inner.normalizer is not None:
        text = inner.normalizer.normalize_str(text)
    if inner.pre_tokenizer is None:
        return [text]
    return [piece for piece, _ in inner.pre_tokenizer.pre_tokenize_str(text)]


def _nearest(piece: str, known: Collection[str]) -> str:
    """Return the suggestion for `piece`, compared without its accents and compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", piece)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return did_you_mean(visible(plain), known)
