"""Text to ids and back: every kind of tokenizer, all on the `tokenizers` library."""

from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b
from operator import index
from os import PathLike
from pathlib import Path
from typing import Self

import tokenizers
from tokenizers import models

from pellucid.errors import PellucidError
from pellucid.text import building
from pellucid.text.affixes import affixes_of
from pellucid.text.library_file import read_library_file
from pellucid.text.special_tokens import SpecialTokens, spelled
from pellucid.text.spelling import Reader, reader_for
from pellucid.text.streaming import TextStream
from pellucid.text.unknown import pieces_of, unknown_error
from pellucid.text.visible import visible

MOST_IDS = 1 << 24
"""More than any vocabulary has; all below the largest are listed, in use or not."""


class Tokenizer:
    """Turns text into ids and ids into text; stored as one `tokenizer.json`.

    `Tokenizer.words`, `.characters` and `.byte_pairs` make one from texts, which may be more than
    fit in memory; `Tokenizer.load` reads one. The start token is part of the stored tokenizer (its
    post-processor puts it first), so that `prompt` gives a foreign tokenizer's start token too, or
    none where it has none. A special token's spelling within a text is text: it never becomes the
    special token. A tokenizer of the library that is given here is taken over: its padding and
    truncation are switched off.

    A `tokenizer.json` does not say which of its special tokens ends a text. Where a model's other
    files do, `stated` is what they say and is kept beside it; else the tokens' spelling decides.
    """

    def __init__(
        self,
        inner: tokenizers.Tokenizer,
        *,
        special: SpecialTokens | None = None,
        chat_template: str | None = None,
    ) -> None:
        # Literal special tokens stay text. The setting is not stored, hence made here.
        inner.encode_special_tokens = True
        # Ids are as many as the text needs: batches pad for themselves, and nothing is cut off.
        inner.no_padding()
        inner.no_truncation()
        self._inner = inner
        self.stated = special
        self.chat_template = chat_template
        if special is not None:
            special.check(self.vocab_size)

    @classmethod
    def words(cls, texts: Iterable[str], *, running: bool = False, unknown: bool = False) -> Self:
        """Make a tokenizer whose tokens are the words of `texts`: what stands between white space.

        Ids: `<PAD>` 0, `<START>` 1, `<END>` 2, then the words, sorted. `running` text, of which a
        model sees windows and hardly ever a beginning, has `<END>` 0 alone. With `unknown`,
        `<UNK>` comes next, and stands for every word that `texts` do not have. Raises
        `PellucidError` when there are no words, or, without `unknown`, when a word is spelled like
        a special token.
        """
        return cls(building.words(texts, running=running, unknown=unknown))

    @classmethod
    def characters(
        cls, texts: Iterable[str], *, running: bool = False, unknown: bool = False
    ) -> Self:
        """Make a tokenizer whose tokens are the characters (code points) of `texts`.

        Ids as in `words`, the characters sorted by code point. Raises `PellucidError` when there
        are none.
        """
        return cls(building.characters(texts, running=running, unknown=unknown))

    @classmethod
    def byte_pairs(cls, texts: Iterable[str], *, vocab_size: int) -> Self:
        """Make a byte-level byte-pair tokenizer, which spells every text there is.

        Ids: `<END>` 0, the 256 bytes, then the pairs that `texts` have most often, merged one
        after the other (Sennrich et al., 2016) as long as there is one that occurs twice and room
        in `vocab_size`. Raises `PellucidError` for a `vocab_size` below 257.
        """
        return cls(building.byte_pairs(texts, vocab_size=vocab_size))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a `tokenizer.json`; raises `PellucidError` when there is none or it is not one."""
        return cls(read_library_file(Path(path)))

    def with_settings(
        self, *, special: SpecialTokens | None, chat_template: str | None = None
    ) -> Self:
        """Return the same tokenizer with other settings; see `stated`.

        Raises `PellucidError` for a special token that the vocabulary does not have.
        """
        return type(self)(self._inner, special=special, chat_template=chat_template)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokenizer as a `tokenizer.json`, which the Hugging Face libraries read too.

        What it does not say is left out: `save_tokenizer` writes it into files beside it.
        """
        text = self._inner.to_str(pretty=True)
        Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")

    def to_json(self) -> str:
        """Return what `save` writes, in one line."""
        return self._inner.to_str()

    @cached_property
    def digest(self) -> str:
        """The same for the same tokenizer, wherever it was made: 32 hexadecimal digits."""
        said = self.to_json() + ("" if self.stated is None else repr(self.stated))
        return blake2b(said.encode(), digest_size=16).hexdigest()

    def __repr__(self) -> str:
        return f"Tokenizer({self.kind}, {self.vocab_size} tokens)"

    # The vocabulary

    @cached_property
    def kind(self) -> str:
        """What a token is: "word", "character", "byte-pair", or the library's name for it."""
        model = self._inner.model
        if isinstance(model, models.WordLevel):
            by_character = repr(self._inner.pre_tokenizer) == repr(building.CHARACTERS)
            return "character" if by_character else "word"
        return "byte-pair" if isinstance(model, models.BPE) else type(model).__name__.lower()

    @property
    def normalizes(self) -> bool:
        """Whether the text is changed before it is split: made lower case, or composed."""
        return self._inner.normalizer is not None

    @cached_property
    def keeps_white_space(self) -> bool:
        """Whether white space is part of the tokens, so that it comes back when they decode."""
        probe = " a  b\n"
        splitter = self._inner.pre_tokenizer
        pieces = [] if splitter is None else splitter.pre_tokenize_str(probe)
        return splitter is None or sum(end - start for _, (start, end) in pieces) == len(probe)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Every token by id, as the vocabulary spells it; "" for an id that is not in use.

        Raises:
            PellucidError: an id is so large that its vocabulary is taken for damaged.
        """
        by_id = {id: token for token, id in self._inner.get_vocab().items()}
        largest = max(by_id, default=-1)
        if largest >= MOST_IDS:
            raise PellucidError(
                f"The token {by_id[largest]!r} has the id {largest:,}, but no vocabulary has more "
                f"than {MOST_IDS:,} ids. Save the tokenizer again."
            )
        return tuple(by_id.get(id, "") for id in range(largest + 1))

    @property
    def vocab_size(self) -> int:
        """How many ids there are."""
        return len(self.tokens)

    @cached_property
    def special(self) -> SpecialTokens:
        """Which ids begin, end and fill up texts: as stated, else by their spelling."""
        return self.stated or spelled(self._special_ids, start=self.start_id)

    @property
    def pad_id(self) -> int | None:
        """The id that fills up a batch, if there is one."""
        return self.special.pad

    @property
    def end_id(self) -> int | None:
        """The id that ends a text, if there is one."""
        return self.special.end

    @property
    def end_ids(self) -> frozenset[int]:
        """The ids at which a generation is over."""
        return frozenset(self.special.stops)

    @property
    def start_id(self) -> int | None:
        """The id that the tokenizer's post-processor puts first, if it puts one."""
        return next(iter(self._affixes[0]), None)

    @cached_property
    def _affixes(self) -> tuple[list[int], list[int]]:
        before, behind = affixes_of(self._inner)
        return [*map(self._checked_id, before)], [*map(self._checked_id, behind)]

    @property
    def unknown_id(self) -> int | None:
        """The id of what the vocabulary does not have, if there is one."""
        unknown: str | None = getattr(self._inner.model, "unk_token", None)
        return None if unknown is None else self._inner.token_to_id(unknown)

    @cached_property
    def byte_lengths(self) -> tuple[int, ...]:
        """How many bytes of UTF-8 each id stands for in a text; 0 for a special token.

        Where white space is not kept, a token counts with the one space that decoding puts there.
        """
        space = 0 if self.keeps_white_space else 1
        special = set(self._special_ids.values())
        return tuple(
            0 if id in special else len(self._read(token)) + space
            for id, token in enumerate(self.tokens)
        )

    @cached_property
    def _read(self) -> Reader:
        return reader_for(self._inner.decoder)

    @cached_property
    def added_ids(self) -> frozenset[int]:
        """The ids of tokens that were added to the vocabulary, special or not."""
        return frozenset(self._inner.get_added_tokens_decoder())

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """How the special tokens are spelled."""
        return tuple(self._special_ids)

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        added = self._inner.get_added_tokens_decoder()
        return {token.content: id for id, token in added.items() if token.special}

    # Text to ids

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, without a start token.

        Raises `PellucidError` for what the vocabulary does not have, naming what comes nearest,
        unless there is an unknown token; and for half a surrogate pair.
        """
        return self.encode_all([text])[0]

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each of `texts` as `encode` does, many texts at a time."""
        checked = list(building.checked(texts))
        try:
            encodings = self._inner.encode_batch_fast(checked, add_special_tokens=False)
        except Exception:  # For an unknown word the library raises nothing more precise.
            unknown = self._unknown_pieces(checked)
            if not unknown:
                raise
            raise self._unknown_error(unknown) from None
        sequences: list[list[int]] = [encoding.ids for encoding in encodings]
        # Among words the special tokens are keys like any other, so that typed ones are found.
        special = set(self._special_ids.values()) if self.kind == "word" else frozenset[int]()
        if all(special.isdisjoint(ids) for ids in sequences):
            return sequences
        unknown_id = self.unknown_id
        if unknown_id is None:
            raise self._unknown_error(self._unknown_pieces(checked))
        return [[unknown_id if id in special else id for id in ids] for ids in sequences]

    def encode_special(self, text: str) -> list[int]:
        """Return the ids of `text`, in which special tokens are what they spell.

        For text that a program wrote, as chat templates do. Raises what `encode` raises.
        """
        checked = list(building.checked([text]))
        try:
            ids: list[int] = self._recognising.encode(checked[0], add_special_tokens=False).ids
        except Exception:  # As for `encode_all`.
            unknown = [p for p in self._unknown_pieces(checked) if p not in self._special_ids]
            if not unknown:
                raise
            raise self._unknown_error(unknown) from None
        return ids

    @cached_property
    def _recognising(self) -> tokenizers.Tokenizer:
        # Another one, as the setting of `_inner` may be needed by another thread meanwhile.
        return tokenizers.Tokenizer.from_str(self._inner.to_str())

    def prompt(self, text: str) -> list[int]:
        """Return the ids of `text` behind the start token, where the tokenizer has one.

        The empty prompt is the start token alone. The few tokenizers whose own file puts something
        behind each text too put it here. Raises what `encode` raises.
        """
        before, behind = self._affixes
        return before + self.encode(text) + behind

    def sequences(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each of `texts` between start and end token: what one trains on."""
        return [self.start + ids + self.end for ids in self.encode_all(texts)]

    @property
    def start(self) -> list[int]:
        """What stands before a text: the start token, where there is one."""
        return list(self._affixes[0])

    @property
    def end(self) -> list[int]:
        """What stands behind a text: the end token, where there is one."""
        return [] if self.end_id is None else [self.end_id]

    def _unknown_pieces(self, texts: Iterable[str]) -> list[str]:
        """Return what `texts` have outside the vocabulary, in order, each piece once."""
        known = set(self.tokens) - self._special_ids.keys()
        pieces = (piece for text in texts for piece in pieces_of(text, self._inner))
        return list(dict.fromkeys(piece for piece in pieces if piece not in known))

    def _unknown_error(self, pieces: list[str]) -> PellucidError:
        return unknown_error(pieces, tokens=self.tokens, special=self._special_ids)

    # Ids to text

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`, special tokens left out; words are joined by single spaces.

        Raises `PellucidError` for an id outside the vocabulary.
        """
        return self._inner.decode([self._checked_id(id) for id in ids])

    def stream(self) -> TextStream:
        """Return a stream to push ids into as they come, which gives whole characters of text."""
        return TextStream(self.decode)

    def label(self, id: int) -> str:
        """Return the token `id` for display: white space and invisible characters made visible.

        A byte-level token reads as its text, the bytes of half a character as `\\xe2`. Raises
        `PellucidError` for an id outside the vocabulary.
        """
        token = self.tokens[self._checked_id(id)]
        if token in self._special_ids:
            return visible(token)
        return visible(self._read(token).decode(errors="backslashreplace"))

    def labels(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return one label for each of `ids`, whatever text they would decode to together."""
        return tuple(self.label(id) for id in ids)

    def _checked_id(self, id: int) -> int:
        if not 0 <= id < self.vocab_size:
            raise PellucidError(
                f"{id} is not an id of this vocabulary of {self.vocab_size} tokens; "
                f"ids go from 0 to {self.vocab_size - 1}."
            )
        return index(id)
