"""Part 7, first half: one token after another. Each step of a generation, laid open."""

from __future__ import annotations

from pellucid.generation.step import Step
from pellucid.text.corpora import GROOT
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, number, percent, prose, quoted, see, share_of_all, typed
from pellucid.views.catalogue.generation import likely
from pellucid.views.scene import Block, Heading, Row, Table

MOST_STEPS = 5
MOST_BEGINNINGS = 4
SURE = 0.99
GROOT_BEGINNINGS = ("groot likes", "tree needs", "rocket helps")
"""Asked of the embedded corpus, beside the prompt."""


def generation(lesson: Lesson) -> tuple[Block, ...]:
    """The iterations of each of the lesson's beginnings."""
    first, *others = beginnings(lesson)
    return (
        Heading("One token after another", 2),
        prose(
            """
            How does a model that only ever names the next token write a text? In a loop. Read the
            text, take the likeliest token, put it at the end, and read again. The loop stops when
            the token taken is the end token, or after a set number of steps. Taking the likeliest
            each time is called **greedy**.
            """
        ),
        *iterations(lesson, first),
        *(block for beginning in others for block in iterations(lesson, beginning)),
    )


def beginnings(lesson: Lesson) -> tuple[str, ...]:
    """What to continue: the prompt, cut short where its text is over, and some of the corpus."""
    first = lesson.prompt
    if first and lesson.trace["probs"].values[-1].argmax() == lesson.tokenizer.end_id:
        first = without_last_word(first)
    sentences = lesson.corpus.sentences if lesson.corpus else ()
    others = GROOT_BEGINNINGS if sentences == GROOT else from_corpus(sentences)
    distinct = dict.fromkeys((first, *others))
    return tuple(distinct)[:MOST_BEGINNINGS]


def from_corpus(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Sentences from all over the corpus, each without its last word."""
    step = max(len(sentences) // MOST_BEGINNINGS, 1)
    return tuple(without_last_word(sentence) for sentence in sentences[::step])


def without_last_word(text: str) -> str:
    """A text but for its last word."""
    return " ".join(text.split()[:-1])


def iterations(lesson: Lesson, beginning: str) -> tuple[Block, ...]:
    """Every step that continues a beginning: what was seen, what was likely, what was taken."""
    steps = tuple(lesson.model.generate(beginning, max_new_tokens=MOST_STEPS))
    return (
        Heading(f'From "{beginning}"' if beginning else "From nothing", 3),
        prose(f"What does it write {f'after {typed(beginning)}' if beginning else 'by itself'}?"),
        Table(
            None,
            ("step", "the model sees", "reads at", "takes", "probability", "stops"),
            tuple(step_row(lesson, number, step) for number, step in enumerate(steps, start=1)),
            align=("right", "left", "right", "left", "right", "left"),
        ),
        Row(tuple(map(likely, steps))),
        see(outcome(lesson, beginning, steps)),
    )


def step_row(lesson: Lesson, number: int, step: Step) -> tuple[int, str, int, str, str, str]:
    """One step: what was seen, where it was read, what was taken, and why it stopped."""
    seen = ("… " if step.dropped else "") + " ".join(lesson.model.labels(step.ids))
    why = {None: "", "end token": "end token", "length": f"after {MOST_STEPS} steps"}[step.stopped]
    return number, seen, step.position, step.token, percent(step.probability), why


def outcome(lesson: Lesson, beginning: str, steps: tuple[Step, ...]) -> str:
    """The text that came of it, and the step at which the model was least sure."""
    text = lesson.tokenizer.decode([*lesson.tokenizer.prompt(beginning), *(s.id for s in steps)])
    place, least = min(enumerate(steps, start=1), key=lambda numbered: numbered[1].probability)
    slid = sum(step.dropped > 0 for step in steps)
    return f"""
        It wrote {quoted(text)}. {closest_call(place, least)}
        {
        f"In {count(slid, 'step')} the text was longer than the context, so its beginning had "
        "slid out of the window, marked by … above."
        if slid
        else ""
    }
        """


def closest_call(place: int, step: Step) -> str:
    """How near the second best came in the step that was least sure."""
    if step.probability > SURE or len(step.top) < 2:
        return f"It was least sure in step {place}: {share_of_all(step.probability)}."
    first, second = (
        f"{share_of_all(candidate.probability)} for {quoted(candidate.token)}"
        for candidate in step.top[:2]
    )
    apart = step.top[0].logit - step.top[1].logit
    return f"""It was least sure in step {place}: {first} and {second}, their logits
        {number(apart)} apart."""
