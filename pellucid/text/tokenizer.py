"""Text to ids and back: word, character and foreign tokenizers, all on the `tokenizers` library."""

from collections.abc import Iterable
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import Self

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers, processors

from pellucid.errors import PellucidError
from pellucid.text.unknown import unknown_error
from pellucid.text.visible import visible

PAD, START, END = "<PAD>", "<START>", "<END>"

# A tokenizer.json does not say which of its special tokens ends a text; their spelling does.
_PAD_SPELLINGS = (PAD, "<pad>", "[PAD]", "<|padding|>")
_END_SPELLINGS = (END, "</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>")


class Tokenizer:
    """Turns text into ids and ids into text; stored as one `tokenizer.json`.

    `Tokenizer.words` and `Tokenizer.characters` make one from texts, `Tokenizer.load` reads one.
    The start token is part of the stored tokenizer (its post-processor puts it first), so that
    `prompt` gives a foreign tokenizer's start token too, or none where it has none. A special
    token's spelling within a text is text: it never becomes the special token. A tokenizer of the
    library that is given here is taken over: its padding and truncation are switched off.
    """

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        # Literal special tokens stay text. The setting is not stored, hence made here.
        inner.encode_special_tokens = True
        # Ids are as many as the text needs: batches pad for themselves, and nothing is cut off.
        inner.no_padding()
        inner.no_truncation()
        self._inner = inner

    @classmethod
    def words(cls, texts: Iterable[str]) -> Self:
        """Make a tokenizer whose tokens are the words of `texts`: what stands between white space.

        Ids: `<PAD>` 0, `<START>` 1, `<END>` 2, then the words, sorted. Raises `PellucidError` when
        there are no words, or when a word is spelled like one of these three.
        """
        splitter = pre_tokenizers.WhitespaceSplit()
        vocabulary = set[str]()
        for number, text in enumerate(_checked(texts), start=1):
            found = {word for word, _ in splitter.pre_tokenize_str(text)}
            for special in found & {PAD, START, END}:
                raise PellucidError(
                    f'Text {number} holds the word "{special}", which is the spelling of a special '
                    "token. Spell it another way, or use a character tokenizer."
                )
            vocabulary |= found
        return cls(_word_level(vocabulary, splitter))

    @classmethod
    def characters(cls, texts: Iterable[str]) -> Self:
        """Make a tokenizer whose tokens are the characters (code points) of `texts`.

        Ids: `<PAD>` 0, `<START>` 1, `<END>` 2, then the characters, sorted by code point. Raises
        `PellucidError` when there are none.
        """
        vocabulary = set[str]().union(*_checked(texts))
        # "." would drop newlines, and each engine of regular expressions has its own flag for that.
        inner = _word_level(vocabulary, pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated"))
        inner.decoder = decoders.Fuse()
        return cls(inner)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a `tokenizer.json`; raises `PellucidError` when there is none or it is not one."""
        path = Path(path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PellucidError(
                f"{path} cannot be read: {error.strerror}. Give the path of a tokenizer.json."
            ) from None
        try:
            return cls(tokenizers.Tokenizer.from_buffer(content))
        except Exception as error:  # The library raises nothing more precise.
            raise PellucidError(
                f"{path} is not a tokenizer.json ({error}). Save the tokenizer again."
            ) from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokenizer as a `tokenizer.json`, which the Hugging Face libraries read too."""
        text = self._inner.to_str(pretty=True)
        Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")

    def __repr__(self) -> str:
        return f"Tokenizer({self.kind}, {self.vocab_size} tokens)"

    # The vocabulary

    @cached_property
    def kind(self) -> str:
        """What a token is: "word", "character", "byte-pair", or the library's name for it."""
        model = self._inner.model
        if isinstance(model, models.WordLevel):
            split = isinstance(self._inner.pre_tokenizer, pre_tokenizers.Split)
            return "character" if split else "word"
        return "byte-pair" if isinstance(model, models.BPE) else type(model).__name__.lower()

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Every token by id, as the vocabulary spells it; "" for an id that is not in use."""
        by_id = {id: token for token, id in self._inner.get_vocab().items()}
        return tuple(by_id.get(id, "") for id in range(max(by_id, default=-1) + 1))

    @property
    def vocab_size(self) -> int:
        """How many ids there are."""
        return len(self.tokens)

    @property
    def pad_id(self) -> int | None:
        """The id that fills up a batch, if there is one."""
        return self._special_id(_PAD_SPELLINGS)

    @property
    def end_id(self) -> int | None:
        """The id that ends a text, if there is one."""
        return self._special_id(_END_SPELLINGS)

    @cached_property
    def start_id(self) -> int | None:
        """The id that the tokenizer's post-processor puts first, if it puts one."""
        return next(iter(self._inner.encode("").ids), None)

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        added = self._inner.get_added_tokens_decoder()
        return {token.content: id for id, token in added.items() if token.special}

    def _special_id(self, spellings: Iterable[str]) -> int | None:
        return next((self._special_ids[s] for s in spellings if s in self._special_ids), None)

    # Text to ids

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, without a start token.

        Raises `PellucidError` for what the vocabulary does not have, naming what comes nearest,
        and for half a surrogate pair.
        """
        return self.encode_all([text])[0]

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each of `texts` as `encode` does, many texts at a time."""
        checked = _checked(texts)
        try:
            encodings = self._inner.encode_batch_fast(checked, add_special_tokens=False)
        except Exception:  # For an unknown word the library raises nothing more precise.
            self._refuse_unknown(checked)
            raise
        sequences: list[list[int]] = [encoding.ids for encoding in encodings]
        if self.kind == "word":
            # The special tokens are keys among the words, so a typed one was found: refuse it.
            special = set(self._special_ids.values())
            if not all(special.isdisjoint(ids) for ids in sequences):
                self._refuse_unknown(checked)
        return sequences

    def prompt(self, text: str) -> list[int]:
        """Return the ids of `text` behind the start token, where the tokenizer has one.

        The empty prompt is the start token alone. Raises what `encode` raises.
        """
        return self._start() + self.encode(text)

    def sequences(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each of `texts` between start and end token: what one trains on."""
        end = [] if self.end_id is None else [self.end_id]
        return [self._start() + ids + end for ids in self.encode_all(texts)]

    def _start(self) -> list[int]:
        return [] if self.start_id is None else [self.start_id]

    def _refuse_unknown(self, texts: Iterable[str]) -> None:
        """Raise an error that names the pieces of `texts` outside the vocabulary, if there are."""
        known = set(self.tokens) - self._special_ids.keys()
        pieces = (
            piece for text in texts for piece, _ in self._inner.pre_tokenizer.pre_tokenize_str(text)
        )
        # A dictionary keeps the order in which they occur.
        unknown = list(dict.fromkeys(piece for piece in pieces if piece not in known))
        if unknown:
            raise unknown_error(unknown, tokens=self.tokens, special=self._special_ids)

    # Ids to text

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`, special tokens left out; words are joined by single spaces.

        Raises `PellucidError` for an id outside the vocabulary.
        """
        return self._inner.decode([self._checked_id(id) for id in ids])

    def label(self, id: int) -> str:
        """Return the token `id` for display: white space and invisible characters made visible.

        Raises `PellucidError` for an id outside the vocabulary.
        """
        return visible(self.tokens[self._checked_id(id)])

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


def _word_level(
    vocabulary: set[str], pre_tokenizer: pre_tokenizers.PreTokenizer
) -> tokenizers.Tokenizer:
    """Return a tokenizer of the library with the special tokens before the sorted `vocabulary`."""
    if not vocabulary:
        raise PellucidError("There is no text to make a vocabulary from. Give at least one word.")
    specials = [PAD, START, END]
    by_token = {token: id for id, token in enumerate([*specials, *sorted(vocabulary)])}
    # The library's own choice, "<unk>", may be a word of the corpus; the empty string never is.
    inner = tokenizers.Tokenizer(models.WordLevel(by_token, unk_token=""))
    inner.pre_tokenizer = pre_tokenizer
    inner.add_special_tokens([AddedToken(special, normalized=False) for special in specials])
    inner.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, by_token[START])]
    )
    return inner


def _checked(texts: Iterable[str]) -> list[str]:
    """Return `texts` as a list; raises `PellucidError` for one that is not Unicode text."""
    checked = [texts] if isinstance(texts, str) else list(texts)
    for text in checked:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise PellucidError(
                f"Character {error.start} of a text is U+{ord(text[error.start]):04X}, one half of "
                "a surrogate pair, which stands for nothing. Remove it, or decode the text anew."
            ) from None
    return checked
