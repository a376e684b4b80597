"""What cannot be read is said of the prompt that it is wrong with."""

import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.small_models import WORDS, small_model

MODEL = small_model(tokenizer=WORDS)


def test_it_is_offered_at_the_front():
    assert pellucid.pair(MODEL, "ash", "bud").labels == ("<START>", "ash → bud")


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("ash maple", "ash", 'a cannot be read: .*"maple"'),
        ("ash", "ash maple", 'b cannot be read: .*"maple"'),
        ("ash", [3, 99], "b cannot be read: .*99"),
        ("ash " * 7, "ash", "a cannot be read: .*8 tokens"),
    ],
)
def test_the_error_says_which_prompt(a, b, said):
    with pytest.raises(PellucidError, match=said):
        pellucid.pair(MODEL, a, b)
