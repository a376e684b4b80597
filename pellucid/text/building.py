"""New tokenizers of the `tokenizers` library, made from texts."""

from collections.abc import Iterable, Iterator

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers, processors, trainers

from pellucid.errors import PellucidError

PAD, START, END = "<PAD>", "<START>", "<END>"
UNKNOWN = "<UNK>"

N_BYTES = 256

# "." would drop newlines, and each engine of regular expressions has its own flag for that.
CHARACTERS = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")


def words(texts: Iterable[str], *, running: bool, unknown: bool) -> tokenizers.Tokenizer:
    """Return a tokenizer whose tokens are what stands between the white space of `texts`."""
    splitter = pre_tokenizers.WhitespaceSplit()
    reserved = {*_specials(running), *_unknown(unknown)}
    vocabulary = set[str]()
    for number, text in enumerate(checked(texts), start=1):
        vocabulary.update(word for word, _ in splitter.pre_tokenize_str(text))
        # Where there is an unknown token, a word that cannot be in the vocabulary is one more.
        for special in () if unknown else vocabulary & reserved:
            raise PellucidError(
                f'Text {number} holds the word "{special}", which is the spelling of a special '
                "token. Spell it another way, or use a character tokenizer."
            )
    return _word_level(vocabulary - reserved, splitter, running=running, unknown=unknown)


def characters(texts: Iterable[str], *, running: bool, unknown: bool) -> tokenizers.Tokenizer:
    """Return a tokenizer whose tokens are the code points of `texts`."""
    vocabulary = set[str]()
    for text in checked(texts):
        vocabulary.update(text)
    inner = _word_level(vocabulary, CHARACTERS, running=running, unknown=unknown)
    inner.decoder = decoders.Fuse()
    return inner


def byte_pairs(texts: Iterable[str], *, vocab_size: int) -> tokenizers.Tokenizer:
    """Return a byte-level tokenizer that merges the pairs which `texts` have most often."""
    least = N_BYTES + 1
    if vocab_size < least:
        raise PellucidError(
            f"vocab_size={vocab_size}: byte pairs start from {N_BYTES} bytes and {END}. "
            f"Give at least {least}."
        )
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        # A pair that occurs once says nothing about any other text.
        min_frequency=2,
        show_progress=False,
    )
    inner.train_from_iterator(checked(texts), trainer)
    return inner


def checked(texts: Iterable[str]) -> Iterator[str]:
    """Yield `texts`; raises `PellucidError` at one that is not Unicode text."""
    for text in [texts] if isinstance(texts, str) else texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise PellucidError(
                f"Character {error.start} of a text is U+{ord(text[error.start]):04X}, one half of "
                "a surrogate pair, which stands for nothing. Remove it, or decode the text anew."
            ) from None
        yield text


def _word_level(
    vocabulary: set[str],
    pre_tokenizer: pre_tokenizers.PreTokenizer,
    *,
    running: bool,
    unknown: bool,
) -> tokenizers.Tokenizer:
    """Return a tokenizer with the special tokens before the sorted `vocabulary`."""
    if not vocabulary:
        raise PellucidError("There is no text to make a vocabulary from. Give at least one word.")
    specials = _specials(running)
    ordered = [*specials, *_unknown(unknown), *sorted(vocabulary)]
    by_token = {token: id for id, token in enumerate(ordered)}
    # The library's own choice, "<unk>", may be a word of the corpus; the empty string never is.
    inner = tokenizers.Tokenizer(models.WordLevel(by_token, unk_token=UNKNOWN if unknown else ""))
    inner.pre_tokenizer = pre_tokenizer
    inner.add_special_tokens([AddedToken(special, normalized=False) for special in specials])
    if START in specials:
        inner.post_processor = processors.TemplateProcessing(
            single=f"{START} $A", special_tokens=[(START, by_token[START])]
        )
    return inner


def _specials(running: bool) -> tuple[str, ...]:
    return (END,) if running else (PAD, START, END)


def _unknown(unknown: bool) -> tuple[str, ...]:
    return (UNKNOWN,) if unknown else ()
