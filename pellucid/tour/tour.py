"""The tour: seven parts that follow one prompt through a model, from text to the next token.

Beside them stands a part that is shown when it is asked for: why texts are read so at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pellucid.engine.find_torch import has_torch, require_torch
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.attention import attention
from pellucid.tour.block import block
from pellucid.tour.corpus import Corpus
from pellucid.tour.data import data
from pellucid.tour.embeddings import embeddings
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, prose, quoted
from pellucid.tour.prediction import prediction
from pellucid.tour.summary import summary
from pellucid.tour.training import training
from pellucid.tour.trials import Trials
from pellucid.tour.why import why
from pellucid.training.loop import OnEpoch
from pellucid.training.sentences import Sentences, check_seed, read_corpus
from pellucid.views.scene import Block, Scene, Table

PROMPT = "i am groot"
"""What is followed through the model trained on the embedded corpus."""
MOST_CHARACTERS = 1_000_000
"""Of a corpus. Two thousand sentences have 50,000, and their tour takes about a minute."""


@dataclass(frozen=True)
class Part:
    """A chapter: what it is called, the question it answers, and what builds it."""

    title: str
    question: str
    build: Callable[[Lesson], tuple[Block, ...]]


PARTS: tuple[Part, ...] = (
    Part("Data", "How does text become numbers?", data),
    Part("Model and training", "What is learned, and how far can it go?", training),
    Part("Embeddings", "What is a token to the model?", embeddings),
    Part("Attention", "How do tokens learn of each other?", attention),
    Part("The block", "What does a token make of what it learned?", block),
    Part("Prediction", "How does a vector become a word?", prediction),
    Part("Generation and summary", "How does a text grow, and what else could be?", summary),
)
WHY = "why"
"""The part that compares with the older way; it needs PyTorch, and some seconds."""
ASIDE = Part("The older way", "Why look at all tokens at once, instead of reading in turn?", why)


def tour(
    prompt: str | None = None,
    corpus: Sentences | None = None,
    *,
    part: int | str | None = None,
    seed: int = 0,
    model: Model | None = None,
    encoding: str = "utf-8",
    on_epoch: OnEpoch | None = None,
    on_notebook: OnEpoch | None = None,
) -> Iterator[Scene]:
    """The scenes of a tour, each built when it is asked for: an opening, then one for each part.

    Args:
        prompt: the text to follow; "i am groot", or the first sentence of a corpus of one's own.
        corpus: sentences, or the path of a file of them; the embedded ones unless given.
        part: the only part to show, 1 to 7 or "why", which is shown by itself alone.
        seed: decides the training's every number.
        model: a model to look into instead of training one; its corpus is then only known if given.
        encoding: of the file of sentences.
        on_epoch: called with each epoch of the main training.
        on_notebook: called with each epoch that is trained in PyTorch, as in the notebook.

    Raises:
        PellucidError: at once, for a part that there is not or that needs PyTorch where it is not
            installed, a prompt with unknown words or longer than the model's context, a corpus that
            cannot be read, a model without a tokenizer.
    """
    lesson = prepare(
        prompt,
        corpus,
        seed=seed,
        model=model,
        encoding=encoding,
        on_epoch=on_epoch,
        on_notebook=on_notebook,
    )
    return scenes(lesson, part)


def scenes(lesson: Lesson, part: int | str | None = None) -> Iterator[Scene]:
    """The scenes of a tour that has been prepared, as `tour` gives them.

    Raises:
        PellucidError: at once, for a part that there is not or cannot be shown.
    """
    check_part(part, lesson)
    numbers: Iterable[int | str] = range(1, len(PARTS) + 1) if part is None else (part,)
    chapters = (chapter(lesson, number) for number in numbers)
    return chapters if part is not None else with_opening(lesson, chapters)


def check_part(part: int | str | None, lesson: Lesson) -> None:
    """Raise PellucidError for a part that there is not, or that cannot be shown."""
    if part == WHY:
        if lesson.trials is None:
            raise PellucidError(f"Part {WHY} trains models of its own: leave the model out.")
        require_torch(f"Part {WHY}")
    elif part is not None and part not in range(1, len(PARTS) + 1):
        raise PellucidError(
            f"There is no part {part}: the tour has parts 1 to {len(PARTS)}, and {WHY}."
        )


def prepare(
    prompt: str | None,
    corpus: Sentences | None,
    *,
    seed: int,
    model: Model | None,
    encoding: str = "utf-8",
    on_epoch: OnEpoch | None = None,
    on_notebook: OnEpoch | None = None,
) -> Lesson:
    """All that is known before a training, and a prompt and a corpus that fit the model."""
    sentences = read_corpus(corpus, encoding) if model is None or corpus is not None else ()
    check_size(sentences)
    tokenizer = Tokenizer.words(sentences) if model is None else tokenizer_of(model)
    known = Corpus(sentences, tokenizer)
    trials = Trials(corpus=known, seed=check_seed(seed), on_epoch=on_epoch, on_notebook=on_notebook)
    default = PROMPT if corpus is None else sentences[0]
    lesson = Lesson(
        prompt=default if prompt is None else prompt,
        source=trials if model is None else model,
        tokenizer=tokenizer,
        corpus=known if sentences else None,
    )
    check_fit(lesson, trials.untrained if model is None else model)
    return lesson


def check_size(sentences: tuple[str, ...]) -> None:
    """A corpus that the tour can train on, many times over, while somebody waits."""
    size = sum(map(len, sentences))
    if size > MOST_CHARACTERS:
        raise PellucidError(
            f"This corpus has {size:,} characters, and a tour, which trains on it while you wait, "
            f"takes up to {MOST_CHARACTERS:,}: give a part of it."
        )


def tokenizer_of(model: Model) -> Tokenizer:
    """A model's tokenizer; an error where it has none."""
    if model.tokenizer is None:
        raise PellucidError("This model has no tokenizer, and a tour begins with text.")
    return model.tokenizer


def check_fit(lesson: Lesson, model: Model) -> None:
    """Let the model read the prompt and the longest contexts, so that what is wrong is told now."""
    model.trace(lesson.prompt, names=["embed.out"])
    if lesson.corpus is not None:
        model.logits(lesson.corpus.pairs.contexts[:1])


def with_opening(lesson: Lesson, chapters: Iterator[Scene]) -> Iterator[Scene]:
    """The opening before the parts."""
    yield opening(lesson)
    yield from chapters


def chapter(lesson: Lesson, number: int | str) -> Scene:
    """One part as a scene."""
    part = PARTS[number - 1] if isinstance(number, int) else ASIDE
    return Scene(f"Part {number}: {part.title}", part.build(lesson))


def opening(lesson: Lesson) -> Scene:
    """What the tour is about, and its parts."""
    return Scene(
        "A model you can see through",
        (
            prose(
                f"""
                A language model reads some text and says, for every token it knows, how likely that
                token is to come next. Nothing else. This tour follows
                {quoted(lesson.prompt) if lesson.prompt else "an empty prompt"} through one, from
                letters to that answer. {about_model(lesson)} Every number that you will see was
                computed just now, but for a few that part 2 quotes. Change the prompt and they
                change.
                """
            ),
            Table(
                None,
                ("part", "", "the question it answers"),
                parts_in_order(lesson),
            ),
            prose(f"One part at a time: `pellucid tour --part 4`. {about_aside(lesson)}"),
        ),
    )


def parts_in_order(lesson: Lesson) -> tuple[tuple[str, str, str], ...]:
    """A row for each part; the one beside the tour is for models that it trains itself."""
    numbered = tuple((str(n), part.title, part.question) for n, part in enumerate(PARTS, start=1))
    return numbered if lesson.trials is None else (*numbered, (WHY, ASIDE.title, ASIDE.question))


def about_aside(lesson: Lesson) -> str:
    """That one part stands by itself, and what it needs where that is missing."""
    if lesson.trials is None:
        return ""
    needs = "" if has_torch() else ", and for PyTorch, which is not installed here"
    return f"Part {WHY} is shown when you ask for it{needs}: `pellucid tour --part {WHY}`."


def about_model(lesson: Lesson) -> str:
    """How large the model is, and where it comes from."""
    if lesson.trials is None:
        return f"The model has {count(lesson.model.n_parameters, 'number')} of its own."
    size = lesson.trials.untrained.n_parameters
    return f"""The model is trained along the way, on {
        count(len(lesson.trials.corpus.sentences), "sentence")
    }. It has {count(size, "number")} of its own, few enough to look at them all."""
