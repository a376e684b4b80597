"""Two prompts and two answers: as text or ids, and every way in which they do not fit."""

import pytest

from pellucid.analysis.read_contrast import read_contrast
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from tests.analysis.contrasts import model_of
from tests.small_models import WORDS, small_config, small_model

PROMPTS = ("oak ash fir", "oak elm fir")
PAIR = ("oak", "ash")


def test_text_and_ids_are_the_same_prompts():
    model = model_of()
    by_text = read_contrast(model, *PROMPTS, PAIR)
    clean, corrupted = (WORDS.prompt(text) for text in PROMPTS)
    tokens = [WORDS.tokens.index(token) for token in PAIR]
    assert read_contrast(model, clean, corrupted, tokens) == by_text
    assert by_text.clean_tokens == ("<START>", "oak", "ash", "fir")
    assert by_text.answer_tokens == PAIR


def test_a_model_without_a_tokenizer_reads_ids():
    found = read_contrast(small_model(), [1, 2], [1, 3], (4, 5))
    assert (found.answer, found.instead) == (4, 5)
    assert found.answer_tokens == ("4", "5")
    assert found.both_tokens == ("1", "2/3")


@pytest.mark.parametrize(
    ("clean", "corrupted", "answer", "said"),
    [
        ("oak ash", "oak ash fir", PAIR, "The clean prompt is 3 tokens, the corrupted one 4: they"),
        ("oak ash", "oak ash fir", PAIR, r"Clean: <START> \| oak \| ash. Corrupted: <START> \|"),
        ("oak ash", "oak ash", PAIR, "Both prompts are the same 3 tokens"),
        ("oak ivy", "oak ash", PAIR, 'The clean prompt cannot be read: .*"ivy"'),
        ("oak ash", [1, 99], PAIR, "The corrupted prompt cannot be read: There is no token 99"),
        (*PROMPTS, "oak", "answer='oak': give two tokens, first the one"),
        (*PROMPTS, ("oak",), "give two tokens"),
        (*PROMPTS, ("oak", "oak"), "Both answers are the token oak"),
        (*PROMPTS, ("oak", "ash fir"), "The answer 'ash fir' cannot be read: .* 2 tokens"),
        (*PROMPTS, ("oak", 11), "The answer 11 cannot be read: There is no token 11"),
    ],
)
def test_what_does_not_fit_is_said(clean, corrupted, answer, said):
    with pytest.raises(PellucidError, match=said):
        read_contrast(model_of(), clean, corrupted, answer)


def test_an_error_shows_the_beginning_of_long_prompts():
    long = Model.from_config(small_config().replace(block_size=40))
    with pytest.raises(PellucidError) as error:
        read_contrast(long, [1] * 30, [2] * 31, (3, 4))
    assert "… 18 more" in str(error.value)
    assert "… 19 more" in str(error.value)
