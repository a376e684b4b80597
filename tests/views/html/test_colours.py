"""Colours of cells: how far a number goes is how strong its colour is, and it can be read on it."""

import re

import numpy as np
import pytest

from pellucid.views.figures.colours import contrast
from pellucid.views.figures.theme import DARK, LIGHT
from pellucid.views.html.colours import STEPS, properties, step_class, step_rules

READABLE = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of ordinary size."""


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_cell_can_be_read(theme):
    colours = dict(pair.split(":") for pair in properties(theme).split(";"))
    filled = [name for name in colours if f"--on-{name[2:]}" in colours]
    assert len(filled) == 3 * STEPS + 1
    for name in filled:
        assert contrast(colours[name], colours[f"--on-{name[2:]}"]) >= READABLE, name
    for name in ("--ink", "--quiet"):
        assert contrast(colours[name], colours["--paper"]) >= READABLE, name


def test_every_class_has_a_rule_and_every_rule_its_colours():
    rules = step_rules()
    classes = {
        step_class(kind, number, 1.0)
        for kind in ("signed", "weight", "probability")
        for number in (*np.linspace(-1, 1, 101), np.nan)
        if kind != "probability" or not number < 0
    }
    styled = set(re.findall(r"\.pellucid \.(\w+)\{", rules))
    assert classes - {"", "quiet"} == styled
    used = set(re.findall(r"var\((--[\w-]+)\)", rules))
    assert used <= {pair.split(":")[0] for pair in properties(LIGHT).split(";")}


@pytest.mark.parametrize(
    ("kind", "number", "limit", "expected"),
    [
        ("signed", 2.0, 2.0, "p10"),
        ("signed", -1.0, 2.0, "n5"),
        ("probability", 0.3, 1.0, "v3"),
        ("weight", 0.01, 1.0, ""),
        ("signed", 5.0, 2.0, "p10"),
        ("signed", 0.0, 2.0, "quiet"),
        ("signed", -np.inf, 2.0, "quiet"),
        ("signed", np.nan, 2.0, "nan"),
        ("ids", 7, 9.0, ""),
        ("plain", 7.5, 9.0, ""),
        ("signed", 1.0, 0.0, ""),
    ],
)
def test_a_class_says_the_hue_and_the_share_of_the_scale(kind, number, limit, expected):
    assert step_class(kind, number, limit) == expected
