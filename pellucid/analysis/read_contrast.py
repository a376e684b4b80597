"""Two prompts and two answers that a user gives, read and checked."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.analysis.contrast import Contrast
from pellucid.errors import PellucidError
from pellucid.model.inputs import read_prompt, target_id
from pellucid.model.model import Model

Prompt = str | Sequence[int]
"""Text, or token ids exactly as they are."""

MOST_SHOWN = 12
"""How many tokens of a prompt an error shows."""


def read_contrast(
    model: Model, clean: Prompt, corrupted: Prompt, answer: Sequence[str | int]
) -> Contrast:
    """Two prompts and two answers as ids, checked.

    Raises:
        PellucidError: a prompt or an answer cannot be read, an answer is not one token, the prompts
            differ in length or not at all, or the answers are the same.
    """
    ids = [read_side(model, name, p) for name, p in (("clean", clean), ("corrupted", corrupted))]
    tokens = [model.labels(side) for side in ids]
    check_prompts(tokens, same=ids[0] == ids[1])
    first, second = read_answers(model, answer)
    return Contrast(
        clean=tuple(ids[0]),
        corrupted=tuple(ids[1]),
        clean_tokens=tokens[0],
        corrupted_tokens=tokens[1],
        answer=first,
        instead=second,
        answer_tokens=(model.labels([first])[0], model.labels([second])[0]),
        spaced=spaced(model, answer),
    )


def read_side(model: Model, name: str, prompt: Prompt) -> list[int]:
    """The ids of one of the prompts; an error says which of them cannot be read."""
    try:
        if isinstance(prompt, str):
            return read_prompt(model, prompt, None)
        return read_prompt(model, None, prompt)
    except PellucidError as error:
        raise PellucidError(f"The {name} prompt cannot be read: {error}") from None


def check_prompts(tokens: Sequence[tuple[str, ...]], *, same: bool) -> None:
    """Raise PellucidError for prompts that do not stand token beside token, or are the same."""
    clean, corrupted = tokens
    if len(clean) != len(corrupted):
        raise PellucidError(
            f"The clean prompt is {len(clean)} tokens, the corrupted one {len(corrupted)}: they "
            f"are aligned position by position from the start, so both need the same number. "
            f"Clean: {shown(clean)}. Corrupted: {shown(corrupted)}."
        )
    if same:
        raise PellucidError(
            f"Both prompts are the same {len(clean)} tokens: nothing in them can be restored."
        )


def shown(tokens: Sequence[str]) -> str:
    """The first tokens of a prompt, each apart."""
    more = [f"… {len(tokens) - MOST_SHOWN} more"] if len(tokens) > MOST_SHOWN else []
    return " | ".join([*tokens[:MOST_SHOWN], *more])


def read_answers(model: Model, answer: Sequence[str | int]) -> tuple[int, int]:
    """The ids of the two answers."""
    if isinstance(answer, str) or len(answer) != 2:
        raise PellucidError(
            f"answer={answer!r}: give two tokens, first the one that the clean prompt speaks for, "
            f'then the one to hold it against: answer=(" Paris", " Rome").'
        )
    first, second = (read_answer(model, each) for each in answer)
    if first == second:
        raise PellucidError(
            f"Both answers are the token {model.labels([first])[0]}: give another one to hold the "
            f"first against."
        )
    return first, second


def read_answer(model: Model, answer: str | int) -> int:
    """The id of an answer; an error says which one cannot be read."""
    try:
        return target_id(model, answer)
    except PellucidError as error:
        raise PellucidError(f"The answer {answer!r} cannot be read: {error}") from None


def spaced(model: Model, answer: Sequence[str | int]) -> tuple[str, ...]:
    """Answers that with a space before them are another token: inside a text, that one is meant."""
    typed = [text for text in answer if isinstance(text, str)]
    return tuple(f" {text}" for text in typed if is_other_token(model, f" {text}", text))


def is_other_token(model: Model, text: str, than: str) -> bool:
    """Whether a text is one token, and not the one that another text is."""
    try:
        return target_id(model, text) != target_id(model, than)
    except PellucidError:
        return False
