"""What views are made from: traces, trainings, sentences and generations, each made once."""

from functools import cache

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.interop import reading
from pellucid.interop.older_way import older_way
from pellucid.text.corpora import GROOT
from pellucid.views.catalogue.views import VIEWS
from tests.analysis.induction import made_by_hand
from tests.small_models import WORDS, small_model
from tests.traces import trace_of

ABSENT = {
    "vocabulary": "no tokenizer",
    "position_table": "no position table",
    "final_norm": "no final norm",
    "second_norm": "read one norm",
}
"""Views that some models do not have, and what is said then."""
OF_NETWORKS = ("network", "feed_forward", "second_residual", "second_norm")
"""Those that a model whose blocks only attend does not have."""


@cache
def groot():
    return pellucid.load("baby-groot")


@cache
def run():
    return pellucid.train(preset="baby-groot", seed=0)


@cache
def film():
    """What BabyGroot made of a text at every fourth epoch of a training."""
    return pellucid.film(pellucid.train(preset="baby-groot", seed=0, film=4)).trace("groot likes")


@cache
def ways():
    """The comparison with the older way, its times taken from few runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SECONDS", 0.0)
        return older_way()


@cache
def edited():
    """A run before and after an edit: the last token no longer sees who it is about."""
    model, text = groot(), "friend likes"
    blind = pellucid.mask_attention(query="likes", key="friend")
    return pellucid.compare(model.trace(text), model.trace(text, edits=[blind]))


@cache
def patched():
    """What each head restores where one word of a text is another."""
    model = small_model(tokenizer=WORDS)
    return pellucid.patch(
        model, "oak ash fir", "oak elm fir", answer=("oak", "ash"), places="heads"
    )


@cache
def given(needs):
    """The arguments of a view, from the model whose weights come along."""
    model = groot()
    made = {
        "trace": lambda: (model.trace("i am groot"),),
        "gradient": lambda: (model.trace("i am groot", target="next"),),
        "run": lambda: (run(),),
        "ways": lambda: (ways(),),
        "film": lambda: (film(),),
        "comparison": lambda: (edited(),),
        "pair": lambda: (pellucid.pair(model, "groot likes", "friend likes"),),
        "patching": lambda: (patched(),),
        "lens": lambda: (pellucid.lens(model, "groot likes", follow=["friend"]),),
        "shares": lambda: (pellucid.heads(made_by_hand()),),
        "rollout": lambda: (pellucid.rollout(worded()),),
        "paths": lambda: (worded().paths("logits", position=-1, vocab="oak"),),
        "corpus": lambda: (GROOT, model.tokenizer),
        "steps": lambda: (
            list(model.generate("groot likes", temperature=1.5, top_k=6, top_p=0.95, seed=1)),
        ),
    }
    return made[needs]()


def view(name, *given, **options):
    """The blocks of the view of that name."""
    return VIEWS[name].build(*given, **options)


@cache
def worded(option="as it is"):
    """A trace of words, with a target, of a small model of any kind."""
    return small_model(option, tokenizer=WORDS).trace("oak ash fir", target="next")


def views_of_traces():
    """The views that need nothing but a trace, with a target or without."""
    return [each for each in VIEWS.values() if each.needs in ("trace", "gradient")]


def built(each, trace):
    """The blocks of a view; None where this model has no such thing, and says so."""
    try:
        return each.build(trace)
    except PellucidError as error:
        if each.name in OF_NETWORKS and "no feed-forward network" in str(error):
            return None
        if ABSENT.get(each.name, "?") in str(error):
            return None
        raise


__all__ = [
    "OF_NETWORKS",
    "built",
    "film",
    "given",
    "groot",
    "run",
    "trace_of",
    "view",
    "views_of_traces",
    "ways",
    "worded",
]
