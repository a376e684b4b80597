"""Part 1: text becomes numbers. The corpus, the vocabulary, the prompt, the training pairs."""

from __future__ import annotations

from collections import Counter
from string import punctuation

from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.corpus import Corpus
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, listed, prose, quoted, see, shape
from pellucid.views.catalogue.data import pair_table, token_columns
from pellucid.views.scene import Block, Heading, Prose, Row, Table

SHOWN_SENTENCES = 24
SHOWN_TOKENS = 120
SHOWN_PAIRS = 15
SHOWN_DOUBLES = 3
ROWS = 8
"""How many sentences stand below each other before the next ones stand beside them."""


def data(lesson: Lesson) -> tuple[Block, ...]:
    """From sentences to ids, and from ids to what the model is trained on."""
    corpus = lesson.corpus
    return (
        *(sentences(lesson, corpus) if corpus else ()),
        *vocabulary(lesson.tokenizer),
        *prompt_ids(lesson),
        *(unrolled(corpus) if corpus else ()),
        *(training_pairs(corpus) if corpus else ()),
    )


def sentences(lesson: Lesson, corpus: Corpus) -> tuple[Block, ...]:
    """The corpus itself."""
    shown = corpus.sentences[:SHOWN_SENTENCES]
    words = Counter(word for sentence in corpus.sentences for word in sentence.split())
    commonest, times = words.most_common(1)[0]
    left = len(corpus.sentences) - len(shown)
    numbered = [*enumerate(shown, start=1)]
    return (
        Heading("The corpus", 2),
        prose(
            f"""
            What is there to learn? {
                "Everything the model will ever know stands in"
                if lesson.trials
                else "This tour holds the model against"
            } {count(len(corpus.sentences), "sentence")}. Nobody tells it what a word means. It only
            sees which words follow which.
            """
        ),
        Row(
            tuple(
                Table(None, ("", "sentence"), tuple(numbered[start : start + ROWS]))
                for start in range(0, len(numbered), ROWS)
            )
        ),
        *([Prose(f"So far the first {len(shown)}; {left:,} more follow.")] if left else []),
        see(
            f"""
            {count(words.total(), "word")}, of which {count(len(words), "is", "are")} different.
            {quoted(commonest)} alone stands there {count(times, "time")}.
            """
        ),
    )


def vocabulary(tokenizer: Tokenizer) -> tuple[Block, ...]:
    """Every token with its id."""
    labels = tokenizer.labels(range(tokenizer.vocab_size))
    left = max(len(labels) - SHOWN_TOKENS, 0)
    return (
        Heading("The vocabulary", 2),
        prose(
            f"""
            How does a word become a number? By its place in a list. The list is the
            **vocabulary**, an entry is a **token**, and its place is the token's **id**. Here a
            token is a {tokenizer.kind}. {about_special(tokenizer)} {about_splitting(tokenizer)}
            """
        ),
        token_columns(labels, range(len(labels) - left)),
        *([Prose(f"So far the first {SHOWN_TOKENS}; {left:,} more follow.")] if left else []),
        *([prose(about_doubles(doubles))] if (doubles := nearly_the_same(tokenizer)) else []),
        see(
            f"""
            {count(len(labels), "token")} in all. An id is a name, not a quantity: that
            {quoted(labels[-1])} has the highest, {len(labels) - 1}, says nothing about it but that
            it came last in the list.
            """
        ),
    )


def about_special(tokenizer: Tokenizer) -> str:
    """The tokens that stand for no text, and what they are there for."""
    purposes = (
        (tokenizer.pad_id, "fills up short rows"),
        (tokenizer.start_id, "stands before the first word"),
        (tokenizer.end_id, "says that a text is over"),
    )
    # One token may have several of these jobs.
    parts = [f"{quoted(tokenizer.label(id))} {job}" for id, job in purposes if id is not None]
    if not parts:
        return ""
    return f"Some tokens stand for no text of their own: {listed(parts)}."


def about_splitting(tokenizer: Tokenizer) -> str:
    """What makes a word, where words are tokens."""
    if tokenizer.kind != "word":
        return ""
    return "Words are split at blanks alone: capitals and full stops count."


def nearly_the_same(tokenizer: Tokenizer) -> list[tuple[str, ...]]:
    """The words that differ only in capitals or in the marks around them, group by group."""
    if tokenizer.kind != "word":
        return []
    special = {tokenizer.pad_id, tokenizer.start_id, tokenizer.end_id}
    groups: dict[str, list[str]] = {}
    for id, word in enumerate(tokenizer.tokens):
        # What is nothing but marks is a word of its own.
        if id not in special and (bare := word.casefold().strip(punctuation)):
            groups.setdefault(bare, []).append(tokenizer.label(id))
    return [tuple(words) for words in groups.values() if len(words) > 1]


def about_doubles(groups: list[tuple[str, ...]]) -> str:
    """That nearly the same is not the same."""
    shown = "; ".join(listed(map(quoted, words)) for words in groups[:SHOWN_DOUBLES])
    more = f"; and {len(groups) - SHOWN_DOUBLES:,} more such" if groups[SHOWN_DOUBLES:] else ""
    return f"""
        Some differ only in capitals or in marks: {shown}{more}. To the model each is a token of its
        own, and what it learns of one it does not know of the other. Where that is not meant, write
        the corpus in one case and put blanks before the marks, or leave them out.
        """


def prompt_ids(lesson: Lesson) -> tuple[Block, ...]:
    """The text that the tour follows, as ids."""
    ids = lesson.prompt_ids
    labels = lesson.tokenizer.labels(ids)
    began = lesson.tokenizer.start_id is not None
    return (
        Heading("The prompt", 2),
        prose(
            f"""
            What does the model get to see of {quoted(lesson.prompt)}? Only
            [ids](embed.tokens). From here on to the last part, this tour follows these {len(ids)}
            through the model.
            """
            if len(ids) > 1
            else f"""
            What does the model get to see of {quoted(lesson.prompt)}? Only an id, which this tour
            follows through the model.
            """
        ),
        Table(
            None,
            ("position", "token", "id"),
            tuple(
                (place, label, id)
                for place, (label, id) in enumerate(zip(labels, ids, strict=True))
            ),
        ),
        see(
            f"""
            Positions count from 0. {
                f"{quoted(labels[0])} was put first although nobody wrote it, so that there is "
                "something to predict the first word from."
                if began
                else "This tokenizer puts nothing before the text."
            }
            """
        ),
    )


def unrolled(corpus: Corpus) -> tuple[Block, ...]:
    """The first sentence, and every question it contains."""
    ids = corpus.sequences[0]
    return (
        Heading("One sentence, many questions", 2),
        prose(
            f"""
            How does one learn from a sentence without a teacher? By covering it up and guessing the
            next word. A sentence asks this question at each of its words, and once more at its
            end. {quoted(corpus.sentences[0])} asks it {count(len(ids) - 1, "time")}:
            """
        ),
        Table(
            None,
            ("the model reads", "and should say"),
            tuple((corpus.read(ids[:n]), corpus.label(ids[n])) for n in range(1, len(ids))),
        ),
        see(
            """
            The right answer always stands in the text already. This is why language models can
            learn from any text at all.
            """
        ),
    )


def training_pairs(corpus: Corpus) -> tuple[Block, ...]:
    """The table of contexts X and the column of targets Y, first as ids, then as tokens."""
    pairs = corpus.pairs
    shown = range(min(SHOWN_PAIRS, len(pairs)))
    return (
        Heading("The training pairs", 2),
        prose(
            f"""
            What exactly is trained on? All questions of all sentences, in one table. X holds the
            **contexts**, padded at the right to the longest: shape {shape(pairs.contexts.shape)}. Y
            holds the **targets**, one id each: shape {shape(pairs.targets.shape)}. Here are the
            first {len(shown)}.
            """
        ),
        pair_table(pairs, corpus.tokenizer, shown),
        see(count_pairs(corpus)),
    )


def count_pairs(corpus: Corpus) -> str:
    """Why there are as many pairs as there are."""
    pairs = corpus.pairs
    endings = int((pairs.targets == corpus.tokenizer.end_id).sum())
    words = len(pairs) - endings
    padding = int((pairs.contexts.shape[1] - pairs.lengths).sum())
    return f"""
        Each of {count(words, "word")} and each of {count(endings, "ending")} is a target once:
        {words:,} + {endings:,} = {len(pairs):,} pairs. Of the {pairs.contexts.size:,} ids in X
        {padding:,} are padding, and none of it is ever asked about.
        """
