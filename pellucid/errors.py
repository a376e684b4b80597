"""The one error a user can mend, and the suggestion that goes with a misspelt name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral


class PellucidError(ValueError):
    """Something the user gave cannot be used; the message says what is wrong and what to do."""


def check_whole(name: str, value: object, least: int) -> None:
    """Raise PellucidError for a setting that is no whole number, or one below `least`."""
    if not isinstance(value, Integral) or value < least:
        raise PellucidError(f"{name}={value!r}: give a whole number, {least} or more.")


def did_you_mean(name: object, known: Iterable[str], n: int = 3) -> str:
    """Return " Did you mean a, b?" with up to `n` of the `known` names nearest to `name`, or ""."""
    # Names are what users give, so they may be anything.
    folded = str(name).casefold()
    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = get_close_matches(folded, by_folded, n=n)
    if not matches:
        return ""
    return f" Did you mean {', '.join(by_folded[match] for match in matches)}?"
