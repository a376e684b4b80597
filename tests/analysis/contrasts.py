"""Pairs of prompts for small models, and what a whole run with a change in it ends with."""

from functools import cache

import numpy as np

from tests.small_models import WORDS, random_ids, small_model

ANSWER = (3, 7)


@cache
def model_of(option="as it is", dtype="float64"):
    return small_model(option, dtype=dtype, tokenizer=WORDS)


def two_prompts(option="as it is", *, first=2):
    """Ids of two texts that are the same up to the position `first`, and differ from there on."""
    clean, other = random_ids(model_of(option).config, batch=2).tolist()
    corrupted = [a if i < first else b for i, (a, b) in enumerate(zip(clean, other, strict=True))]
    corrupted[first] = (clean[first] + 1) % 11
    return clean, corrupted


def run_with(model, ids, change=lambda name, x: x):
    """How far the answer is ahead at the end of a run in which `change` has a say."""
    logits = model.engine.forward({"ids": np.array([ids])}, intervene=change)["logits"][0, -1]
    return float(logits[ANSWER[0]] - logits[ANSWER[1]])


def values_of(model, ids, name):
    return model.engine.forward({"ids": np.array([ids])}, keep=(name,))[name][0]
