"""The whole way once more, in a few sentences."""

from __future__ import annotations

import re
from shlex import quote

from pellucid.ops.evidence import label_at
from pellucid.text.corpora import GROOT
from pellucid.tour.generation import beginnings
from pellucid.tour.lesson import HEAD, Lesson, inside
from pellucid.tour.phrases import count, prose, quoted, share_cell
from pellucid.views.markup import escape
from pellucid.views.scene import Block, Heading, Prose

SHIPPED, SHIPPED_SEED = "baby-groot", 0


def recap(lesson: Lesson) -> tuple[Block, ...]:
    """From the prompt to the next token, with the sizes and the answer of this tour."""
    config, trace = lesson.model.config, lesson.trace
    probs = trace["probs"]
    best = int(probs.values[-1].argmax())
    return (
        Heading("In one breath", 2),
        prose(
            f"""
            {quoted(lesson.prompt)} became {count(len(trace.ids), "id")}, the ids became rows of
            {config.n_embd} numbers. In {count(config.n_layer, "block")} the rows looked at each
            other, never ahead, and each made something of what it gathered. The head turned the
            last row into {count(config.vocab_size, "logit")}, softmax turned these into
            probabilities, and {quoted(lesson.model.labels([best])[0])} got
            {share_cell(probs, -1, best)}. All of it follows from
            {count(lesson.model.n_parameters, "number")}. Larger models do the same with more of
            everything.
            """
        ),
        *ask_on(lesson),
    )


def ask_on(lesson: Lesson) -> tuple[Block, ...]:
    """Commands that go on from numbers seen in the tour, and the model that they need."""
    # Paragraphs, which are broken where they are too wide; a listing would be cut.
    asked = "\n\n".join(map(escape, commands(lesson)))
    return Heading("Ask on", 2), which_model(lesson), Prose(asked)


def is_shipped(lesson: Lesson) -> bool:
    """Whether this tour trained what the package carries: its corpus, its seed, its recipe."""
    trials = lesson.trials
    return trials is not None and trials.corpus.sentences == GROOT and trials.seed == SHIPPED_SEED


def which_model(lesson: Lesson) -> Prose:
    """What the model of the commands is."""
    if is_shipped(lesson):
        return prose(
            f"""
            Where does one of these numbers come from? The model just trained, with seed
            {SHIPPED_SEED}, is the one that comes with the program as `{SHIPPED}`; so ask it:
            """
        )
    if lesson.trials is None:
        return prose("Where does one of these numbers come from? Ask the model, here `MODEL`:")
    return prose(
        f"""
        Where does one of these numbers come from? This tour's model is not kept. Train it with
        `pellucid train FILE --preset {SHIPPED} --seed {lesson.trials.seed} --out MODEL`, FILE
        being the sentences, and ask it:
        """
    )


def commands(lesson: Lesson) -> tuple[str, str, str]:
    """One score explained, one logit taken apart, another prompt followed."""
    model = SHIPPED if is_shipped(lesson) else "MODEL"
    tokens = lesson.trace.tokens
    query, key = (typed(label_at(tokens, place)) for place in lesson.look)
    head = f"head={HEAD}," if lesson.model.config.n_head > 1 else ""
    best = lesson.model.labels([int(lesson.trace["logits"].values[-1].argmax())])[0]
    score = f"{inside('attn.scores')}[{head}query={query},key={key}]"
    logit = f"logits[position=-1,vocab={typed(best)}]"
    prompt = argument(lesson.prompt)
    return (
        f"pellucid explain {model} {prompt} {argument(score)}",
        f"pellucid paths {model} {prompt} {argument(logit)}",
        f"pellucid tour{origin(lesson)} --prompt {argument(beginnings(lesson)[-1])}",
    )


def origin(lesson: Lesson) -> str:
    """The options that make another tour of the same text or model."""
    if lesson.trials is None:
        return " --model MODEL"
    seed = f" --seed {lesson.trials.seed}" if lesson.trials.seed else ""
    return ("" if lesson.trials.corpus.sentences == GROOT else " --corpus FILE") + seed


def typed(label: str) -> str:
    """A label as it is typed for a cell: in quotes where it could be read otherwise."""
    if re.fullmatch(r"[^\W\d][\w@]*|<\w+>", label):
        return label
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def argument(text: str) -> str:
    """A text as one argument of a command: in double quotes where every shell reads these alike."""
    return quote(text) if set(text) & set('"$`\\!%') else f'"{text}"'
