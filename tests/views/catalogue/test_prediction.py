"""The best tokens are the best, by name, and nothing of the probability is lost."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from tests.views.catalogue.given import given, trace_of, view


def test_the_highest_logits_are_named_best_first():
    (trace,) = given("trace")
    (bars,) = view("top_logits", trace, position=1, top=24)
    scores = dict(zip(trace.vocabulary, trace["logits"].values[1].tolist(), strict=True))
    assert dict(bars.items) == scores
    assert [n for _, n in bars.items] == sorted(scores.values(), reverse=True)
    assert "“<START> i”" in bars.title


@pytest.mark.parametrize("name", ["baby-groot", "as it is"])
@pytest.mark.parametrize("top", [1, 3, 1000])
def test_probabilities_add_up_to_one_with_what_is_left(name, top):
    trace = trace_of(name)
    (bars,) = view("probabilities", trace, top=top)
    assert sum(n for _, n in bars.items) == pytest.approx(1, abs=1e-12)
    shown = [n for label, n in bars.items if not label.startswith("the other")]
    assert shown == sorted(trace["probs"].values[-1].tolist(), reverse=True)[:top]
    assert bars.limit == 1


def test_one_token_is_never_summed_up_as_the_others():
    (bars,) = view("probabilities", trace_of("as it is"), top=10)
    assert len(bars.items) == 11
    assert all(label.isdigit() for label, _ in bars.items)


def test_without_a_tokenizer_ids_stand_for_tokens():
    trace = trace_of("as it is")
    (bars,) = view("top_logits", trace, top=1)
    assert bars.items[0][0] == str(np.argmax(trace["logits"].values[-1]))


@pytest.mark.parametrize("name", ["top_logits", "probabilities"])
@pytest.mark.parametrize("top", [0, -1, "3", 2.5])
def test_none_at_all_is_refused_and_what_is_no_number(name, top):
    with pytest.raises(PellucidError, match=f"top={top!r}"):
        view(name, *given("trace"), top=top)
