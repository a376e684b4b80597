"""Lessons to hold the tour's parts against, each trained once."""

import pytest

from pellucid.text.corpora import GROOT
from pellucid.tour.tour import chapter, prepare

CORPORA = {
    "one word": ("hello",),
    "unequal": ("the cat sat on the mat", "the dog", "dogs bark", "the cat sat"),
    "marks": ("a *bold* [link](x) `code`", "a **bolder** \\[link\\] walks"),
    "many batches": tuple(f"{a} {b} {c}" for a in "abcd" for b in "efg" for c in "hi"),
}


def lesson_of(prompt=None, corpus=None, *, seed=0, model=None, on_epoch=None):
    return prepare(prompt, corpus, seed=seed, model=model, on_epoch=on_epoch)


@pytest.fixture(scope="package")
def lesson():
    """The lesson of a tour without options."""
    return lesson_of()


@pytest.fixture(scope="package", params=["default", "short", "empty", "repeated", *CORPORA])
def any_lesson(request):
    """A lesson of every kind that a user can ask for, with a model trained for it."""
    prompts = {"default": None, "short": "groot", "empty": "", "repeated": "groot groot groot"}
    if request.param in prompts:
        return lesson_of(prompts[request.param])
    return lesson_of(corpus=CORPORA[request.param])


@pytest.fixture(scope="package")
def any_scenes(any_lesson):
    """All seven parts of it, by number."""
    return {number: chapter(any_lesson, number) for number in range(1, 8)}


@pytest.fixture(scope="package")
def given(lesson):
    """A lesson about a model that was made before, without its corpus."""
    return lesson_of("groot likes", model=lesson.model)


@pytest.fixture(scope="package")
def given_with_corpus(lesson):
    """The same with the corpus beside it."""
    return lesson_of("groot likes", GROOT, model=lesson.model)
