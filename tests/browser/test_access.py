"""No serious finding of axe, in any view, light or dark; what is spoken says what is seen."""

import json
from pathlib import Path

import pytest

from tests.browser.shown import Shown

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
VIEWS = {
    "the beginning": {},
    "a number": {"show": "blocks.0.attn.scores", "cell": "blocks.0.attn.scores@0,2,1"},
    "masked": {"show": "blocks.0.attn.masked_scores"},
    "weights": {"show": "blocks.0.mlp.pre"},
    "logits": {"show": "logits", "part": "2"},
    "sampling": {"do": "sampling", "top_k": "5"},
    "what if": {
        "do": "what-if",
        "edits": '[{"edit": "zero", "name": "blocks.0.attn.pattern", "cell": {"key": 0}}]',
    },
    "gradients": {"show": "blocks.0.mlp.pre", "target": "7", "layer": "gradient"},
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(shown, theme, view):
    shown.tab.emulate_media(color_scheme=theme)
    shown.open(**VIEWS[view])
    assert findings(shown.tab) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nor_where_a_model_has_many_heads(tab, pages, theme):
    tab.emulate_media(color_scheme=theme)
    Shown(tab, pages("like llama 3").address).open(show="blocks.1.attn.pattern", head="2")
    assert findings(tab) == []


def findings(tab):
    """What axe finds serious: the rule, and the first place where it does."""
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE.read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']}: {json.dumps(each['nodes'][0]['html'])[:200]} ({len(each['nodes'])} places)"
        for each in found
        if each["impact"] in SERIOUS
    ]
