"""BabyGroot with weights that the first seed trained: every tensor, gradient and text."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from pellucid.interop import seeds
from pellucid.text.batches import training_pairs
from pellucid.text.corpora import GROOT
from tests.reproduction.groot_names import GRADIENTS, TENSORS

DATA = Path(__file__).parents[1] / "data"
FIGURES = json.loads((DATA / "baby_groot_seed42.json").read_text())
PROMPTS = {"i_am_groot": "i am groot", "groot_likes": "groot likes"}
SPECIAL = {"<START>", "<END>"}


def stored(what):
    return load_file(DATA / f"baby_groot_seed42_{what}.safetensors")


@pytest.fixture(scope="module")
def model():
    return seeds.baby_groot(stored("parameters"))


@pytest.fixture(scope="module")
def pairs(model):
    return training_pairs(model.tokenizer.sequences(GROOT), pad_id=model.tokenizer.pad_id)


@pytest.fixture(scope="module")
def gradients(model, pairs):
    return model.gradients(pairs.contexts, pairs.targets)


def test_parameters_are_counted(model):
    assert model.n_parameters == FIGURES["parameters"] == 968


def test_every_stored_tensor_has_a_name_of_ours():
    assert {key.split("/")[1] for key in stored("activations")} == {"ids", *TENSORS}
    assert set(stored("gradients")) == set(GRADIENTS) == set(stored("parameters"))


@pytest.mark.parametrize("prompt", PROMPTS)
def test_ids(model, prompt):
    trace = model.trace(PROMPTS[prompt])
    assert list(trace.ids) == stored("activations")[f"{prompt}/ids"].tolist()


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("theirs", TENSORS)
def test_every_tensor(model, prompt, theirs):
    expected = stored("activations")[f"{prompt}/{theirs}"]
    values = model.trace(PROMPTS[prompt])[TENSORS[theirs]].values
    # One head: our dim of size 1 stays.
    assert values.shape in (expected.shape, (1, *expected.shape))
    np.testing.assert_allclose(values.reshape(expected.shape), expected, rtol=0, atol=1e-5)


def test_mean_loss_over_the_76_pairs(model, pairs):
    assert len(pairs) == FIGURES["training_pairs"] == 76
    expected = FIGURES["mean_loss_over_all_pairs_after_training"]
    assert model.loss(pairs.contexts, pairs.targets) == pytest.approx(expected, abs=1e-6, rel=0)


@pytest.mark.parametrize("theirs", GRADIENTS)
def test_every_gradient(gradients, theirs):
    ours, transposed = GRADIENTS[theirs]
    gradient = gradients[ours].T if transposed else gradients[ours]
    np.testing.assert_allclose(gradient, stored("gradients")[theirs], rtol=0, atol=1e-5)


@pytest.mark.parametrize("prompt", FIGURES["greedy"])
def test_greedy_texts(model, prompt):
    *words, last = FIGURES["greedy"][prompt].split()
    assert [words[0], last] == ["<START>", "<END>"]
    assert model.generate_text(prompt) == " ".join(words[1:])
    *_, final = model.generate(prompt)
    assert (final.token, final.stopped) == ("<END>", "end token")
