"""Patching is what running the whole prompt with a place of the other one in it comes to."""

from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.analysis import patch as module
from pellucid.analysis.patch import patch
from pellucid.analysis.places import KINDS
from pellucid.analysis.restart import last_logits
from pellucid.errors import PellucidError
from pellucid.model.inputs import need_tokenizer
from tests.analysis.contrasts import ANSWER, model_of, run_with, two_prompts, values_of
from tests.small_models import OPTIONS, small_config

OTHERS = ("attn.q", "attn.keys", "attn.pattern", "attn.masked_scores", "resid_mid")


def kinds_of(option):
    mlp = small_config(option).mlp
    return [kind for kind in (*KINDS, *OTHERS) if mlp or kind != "mlp"]


def put(model, row, at, clean):
    """An intervention: a place of a tensor of the clean run takes the place of the other's."""
    values = values_of(model, clean, row.name)

    def change(name, x):
        if name != row.name:
            return x
        changed = x.copy()
        changed[0][at] = values[at]
        return changed

    return change


@pytest.mark.parametrize("option", OPTIONS)
def test_each_value_is_that_of_a_whole_run_with_the_place_restored(option):
    model = model_of(option)
    clean, corrupted = two_prompts(option)
    for kind in kinds_of(option):
        found = patch(model, clean, corrupted, answer=ANSWER, places=kind)
        assert found.clean == pytest.approx(run_with(model, clean), abs=1e-10)
        assert found.corrupted == pytest.approx(run_with(model, corrupted), abs=1e-10)
        for i, row in enumerate(found.places.rows):
            for j, column in enumerate(found.places.columns):
                change = put(model, row, found.places.at(row, column), clean)
                right = run_with(model, corrupted, change)
                assert found.differences[i, j] == pytest.approx(right, abs=1e-10), (row, column)


@pytest.mark.parametrize("option", OPTIONS)
def test_restoring_everything_restores_the_clean_logits(option):
    model = model_of(option, "float32")
    clean, corrupted = two_prompts(option, first=0)
    stream = patch(model, clean, corrupted, answer=ANSWER, places="stream", together=True)
    right = np.full((model.config.n_layer, 1), run_with(model, clean))
    np.testing.assert_allclose(stream.differences, right, rtol=0, atol=1e-5)
    np.testing.assert_allclose(stream.values, 1, rtol=0, atol=1e-5)
    for row in stream.places.rows:
        restored = {row.name: values_of(model, clean, row.name)[None]}
        np.testing.assert_allclose(
            last_logits(model.engine, corrupted, restored),
            model.logits([clean])[:, -1],
            rtol=0,
            atol=1e-5,
        )


def test_restoring_some_positions_of_every_head_is_one_place():
    model = model_of()
    clean, corrupted = two_prompts()
    found = patch(
        model, clean, corrupted, answer=ANSWER, places="heads", positions=[3, 5], together=True
    )
    row = found.places.rows[1]
    change = put(model, row, (slice(None), [3, 5]), clean)
    assert found.differences[1, 0] == pytest.approx(run_with(model, corrupted, change), abs=1e-10)
    assert found.column_labels == ("all",)


def test_heads_are_restored_at_the_positions_that_are_chosen():
    model = model_of()
    clean, corrupted = two_prompts()
    found = patch(model, clean, corrupted, answer=ANSWER, places="heads", positions=[-1])
    assert found.places.positions == (5,)
    for i, row in enumerate(found.places.rows):
        for head in range(4):
            change = put(model, row, (head, 5), clean)
            right = run_with(model, corrupted, change)
            assert found.differences[i, head] == pytest.approx(right, abs=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_place_where_both_runs_agree_restores_exactly_nothing(dtype):
    clean, corrupted = two_prompts(first=3)
    found = patch(model_of(dtype=dtype), clean, corrupted, answer=ANSWER)
    assert (found.values[0] == 0).tolist() == [True] * 3 + [
        clean[i] == corrupted[i] for i in (3, 4, 5)
    ]


def test_a_run_does_many_places_and_it_makes_no_difference_how_many(monkeypatch):
    model = model_of()
    clean, corrupted = two_prompts()
    at_once = patch(model, clean, corrupted, answer=ANSWER, places="heads").differences
    monkeypatch.setattr(module, "MOST_POSITIONS", 18)
    in_parts = patch(model, clean, corrupted, answer=ANSWER, places="heads").differences
    np.testing.assert_allclose(in_parts, at_once, rtol=0, atol=1e-12)


def test_progress_counts_up_to_all_places(monkeypatch):
    monkeypatch.setattr(module, "MOST_POSITIONS", 18)
    told = []
    clean, corrupted = two_prompts()
    patch(
        model_of(),
        clean,
        corrupted,
        answer=ANSWER,
        places="heads",
        on_progress=lambda *step: told.append(step),
    )
    assert told == [(3, 8), (4, 8), (7, 8), (8, 8)]


@pytest.mark.usefixtures("one_torch_thread")
@pytest.mark.parametrize("kind", [*KINDS, "attn.pattern"])
def test_torch_finds_the_same(kind):
    clean, corrupted = two_prompts("like llama 3")
    model = model_of("like llama 3")
    by_numpy = patch(model, clean, corrupted, answer=ANSWER, places=kind)
    by_torch = patch(model.using("torch"), clean, corrupted, answer=ANSWER, places=kind)
    np.testing.assert_allclose(by_torch.differences, by_numpy.differences, rtol=0, atol=1e-10)


def test_prompts_and_answers_may_be_text():
    model = pellucid.load("baby-groot")
    found = pellucid.patch(model, "i am groot", "i am tree", answer=("<END>", "groot"))
    tokenizer = need_tokenizer(model)
    clean, corrupted = tokenizer.prompt("i am groot"), tokenizer.prompt("i am tree")
    again = pellucid.patch(model, clean, corrupted, answer=(2, 8))
    assert found.contrast == again.contrast
    np.testing.assert_array_equal(found.differences, again.differences)


def test_a_model_is_as_it_was_after_a_patching():
    model = model_of()
    clean, corrupted = two_prompts()
    before = run_with(model, corrupted)
    patch(model, clean, corrupted, answer=ANSWER, places="heads")
    assert run_with(model, corrupted) == before


def test_where_both_prompts_end_alike_there_is_nothing_to_restore():
    model = pellucid.load("baby-groot")
    zeros = {name: np.zeros_like(array) for name, array in model.parameters.items()}
    flat = pellucid.Model(model.config, zeros, model.tokenizer)
    with pytest.raises(PellucidError, match="groot is ahead of tree by 0 logits after both"):
        patch(flat, "i am", "groot likes", answer=("groot", "tree"))


@pytest.mark.parametrize("option", ["as it is", "like gemma 2", "like cohere"])
def test_a_place_is_restored_as_an_edit_copies_it(option):
    model = model_of(option)
    clean, corrupted = two_prompts(option)
    whole = model.trace(ids=clean)
    heads = patch(model, clean, corrupted, answer=ANSWER, places="heads")
    stream = patch(model, clean, corrupted, answer=ANSWER)
    for found, dim in ((heads, "head"), (stream, "position")):
        for i, row in enumerate(found.places.rows):
            for j, column in enumerate(found.places.columns):
                place: dict[str, Any] = {dim: column}
                copy = pellucid.copy_from(row.label, whole, **place)
                edited = model.trace(ids=corrupted, edits=[copy])
                right = found.contrast.difference(edited["logits"].values[-1])
                assert found.differences[i, j] == pytest.approx(right, abs=1e-10)
