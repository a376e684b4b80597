"""A shape and its costs as blocks."""

import pytest

from pellucid.decoder.costs import costs
from pellucid.decoder.presets import PRESETS
from pellucid.trace.budget import trace_bytes
from pellucid.views.costs import config_table, in_bytes, parameter_table, work_table


@pytest.mark.parametrize("name", PRESETS)
def test_the_rows_of_parameters_add_up(name):
    counted = costs(PRESETS[name])
    *rows, total = parameter_table(counted).rows
    *_, times, numbers = zip(*rows, strict=True)
    assert sum(map(int, numbers)) == total[-1] == counted.n_parameters
    assert sum(map(int, times)) == len(counted.parameters)


def test_equal_blocks_are_listed_once():
    gpt2, groot = (costs(PRESETS[name]) for name in ("gpt2", "baby-groot"))
    alike = ("blocks.i.attn.w_q", "d_model × d_attn", "768 × 768", 12, 12 * 768**2)
    alone = ("blocks.0.attn.w_q", "d_model × d_attn", "8 × 8", 1, 64)
    assert alike in parameter_table(gpt2).rows
    assert alone in parameter_table(groot).rows


def test_every_choice_of_the_config_is_named():
    rows = config_table(costs(PRESETS["baby-groot"])).rows
    assert [name for name, _ in rows] == list(PRESETS["baby-groot"].to_dict())
    assert {("norm_position", "post"), ("final_norm", "no"), ("head_bias", "yes")} <= set(rows)


def test_work_is_given_for_one_token_and_a_full_context():
    counted = costs(PRESETS["lesson-3"])
    table = work_table(counted)
    assert table.columns[2] == "full context, 16 tokens"
    assert table.rows[0][1:] == (f"{counted.flops(1):,}", f"{counted.flops(16):,}")
    traces = [trace_bytes(counted.graph, n, "float32") for n in (1, 16)]
    assert table.rows[3] == ("memory of a full trace", *map(in_bytes, traces))
    assert "414.8 kB" in str(table.note)


def test_work_is_given_for_a_text_in_between_too():
    counted = costs(PRESETS["gpt2"])
    assert work_table(counted, positions=100).columns[1:] == (
        "1 token",
        "100 tokens",
        "full context, 1,024 tokens",
    )
    for known in (1, 1024):
        assert work_table(counted, positions=known) == work_table(counted)


@pytest.mark.parametrize(
    ("n", "written"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
     (497_759_232, "497.8 MB"), (10**15, "1000.0 TB")],
)  # fmt: skip
def test_bytes_are_written_in_the_unit_that_fits(n, written):
    assert in_bytes(n) == written
