"""An explanation to look at: what it shows is what was computed, and it fits the page."""

import numpy as np
import pytest
from rich.cells import cell_len

from pellucid.model.model import Model
from pellucid.ops.figures import figure
from pellucid.text.tokenizer import Tokenizer
from pellucid.views.explanation import SHOWN, explanation_blocks, product_bars, written
from pellucid.views.scene import Bars, Heading, Table, Tree
from pellucid.views.terminal import to_text
from tests.small_models import WORDS, random_parameters, small_config, small_model
from tests.traces import trace_of

MODELS = ("baby-groot", "four heads", "gelu_tanh", "grouped heads", "sinusoidal positions")


@pytest.fixture(scope="module")
def trace():
    return small_model("one head", tokenizer=WORDS).trace("moss oak ash", target="next")


def each_kind(trace):
    """One explanation of each tensor and of each gradient."""
    for name in (*trace.names, *trace.parameters, "ids", "positions", "targets"):
        shape = trace.explainer.tensor(name).shape
        yield trace.explainer.value(name, tuple(size // 2 for size in shape))
    for name, gradient in trace.gradients.items():
        yield trace.explainer.gradient(name, tuple(size // 2 for size in gradient.shape))


def block(explanation, kind, **options):
    (found,) = (b for b in explanation_blocks(explanation, **options) if isinstance(b, kind))
    return found


# On the page


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("name", MODELS)
def test_no_line_is_wider_than_the_page(name, width):
    for explanation in each_kind(trace_of(name)):
        for line in to_text(explanation, width=width).splitlines():
            assert cell_len(line) <= width


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", MODELS)
def test_at_80_columns_every_product_is_whole(name, width):
    for explanation in each_kind(trace_of(name)):
        if len(explanation.contributions) > 1:
            bars = product_bars(explanation, SHOWN)
            lines = to_text(bars, width=width).splitlines()
            for label, _ in bars.items:
                assert any(line.startswith(f"  {label} ") for line in lines), label


def test_numbers_stand_in_one_column():
    explanation = trace_of("baby-groot").explain("logits", position=-1, vocab=8)
    lines = to_text(block(explanation, Tree, depth=2), width=80).splitlines()[1:]
    points = {line.index(".") for line in lines if "." in line[:10]}
    assert len(points) == 1
    stems = {line.index("├─ ") for line in lines if "├─ " in line[:15]}
    assert len(stems) == 1


def test_the_longest_bar_is_the_largest_product():
    explanation = trace_of("baby-groot").explain("logits", position=-1, vocab=8)
    lines = to_text(block(explanation, Bars), width=80).splitlines()[1:-1]
    lengths = [line.count("█") for line in lines[:SHOWN]]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 10


@pytest.mark.parametrize(
    "words",
    ["[red] [/] [bold]", "*a* `b` _c_", r"\ \[ {", "\x1b[31m a\u2028b \u202ec", "日本 👩‍👩‍👧 x"],
)
def test_odd_tokens_are_shown_as_they_stand(words):
    tokenizer = Tokenizer.words([words])
    config = small_config("one head").replace(vocab_size=tokenizer.vocab_size)
    odd = Model(config, random_parameters(config), tokenizer).trace(words, target="next")
    scores = odd.explain("blocks.0.attn.scores", query=-1, key=1)
    for explanation in (scores, odd.explain_grad("logits", position=1, vocab=3)):
        shown = to_text(explanation, width=160)
        assert f"[{explanation.where}]" in shown
        assert all(character.isprintable() for character in shown.replace("\n", ""))


# What it says


def test_it_begins_with_the_number_and_its_formula(trace):
    explanation = trace.explain("blocks.0.attn.scores", query="ash", key="moss")
    heading, *_ = explanation_blocks(explanation)
    assert heading == Heading(
        f"blocks.0.attn.scores[ash, moss] = {figure(explanation.value)}", level=2
    )
    first, second, third = written(explanation).splitlines()
    assert first == "scores[ash, moss] = q[ash] · keys[moss] / √8"
    assert second == f"= {explanation.substituted}"
    assert third == f"= {figure(explanation.value)}"


def test_the_shown_products_and_the_rest_are_the_whole():
    explanation = trace_of("four heads").explain("blocks.0.mlp.out", position=1, d_model=2)
    bars = block(explanation, Bars)
    assert len(bars.items) == SHOWN + 1
    assert bars.items[-1][0] == f"{len(explanation.contributions) - SHOWN} more"
    total = sum(value for _, value in bars.items)
    assert total == pytest.approx(explanation.recomputed, abs=1e-12)
    assert sum(bars.shares) == pytest.approx(1)
    assert bars.note.startswith(f"Together {figure(total)}.")


def test_all_are_all():
    explanation = trace_of("lesson-3").explain("blocks.0.mlp.out", position=1, d_model=2)
    bars = block(explanation, Bars, shown=None)
    assert len(bars.items) == len(explanation.contributions) == 257
    lines = to_text(bars, width=80).splitlines()
    assert len([line for line in lines if "d_mlp" in line]) == 256


def test_products_say_where_they_stand_and_what_is_multiplied(trace):
    explanation = trace.explain("blocks.0.attn.scores", query="ash", key="moss")
    best = explanation.contributions[0]
    q, key = (term.value for term in best.terms)
    place = best.terms[0].cell["d_head"]
    label, value = block(explanation, Bars).items[0]
    shown = [figure(x, 3) if x >= 0 else f"({figure(x, 3)})" for x in (q, key, 1 / np.sqrt(8))]
    assert label == f"d_head {place}: {' × '.join(shown)}"
    assert value == best.value


def test_a_sum_over_tokens_goes_by_their_labels(trace):
    mixed = trace.explain("blocks.0.attn.z", position="ash", d_head=0)
    assert {label.partition(":")[0] for label, _ in block(mixed, Bars).items} == set(trace.tokens)


def test_several_readers_are_told_apart():
    explanation = trace_of("as it is").explain_grad("blocks.0.resid_mid", position=1, d_model=2)
    labels = {label.partition(":")[0] for label, _ in product_bars(explanation, None).items}
    assert labels == {"resid_post"} | {f"norm2 d_model {i}" for i in range(8)}


def test_a_difference_shows_its_sign(trace):
    items = dict(block(trace.explain("loss.per_position", position=0), Bars).items)
    assert any(label.startswith("logit: −") for label in items)


def test_operands_are_listed_by_role():
    explanation = trace_of("as it is").explain_grad("blocks.0.resid_mid", position=1, d_model=2)
    rows = {(role, cells.partition(",")[0]) for role, cells, _ in block(explanation, Table).rows}
    token = explanation.where.partition(",")[0]
    assert rows == {
        ("arriving gradient", f"norm2[{token}]"),
        ("local derivative", f"worked out of norm2.normalized[{token}]"),
        ("arriving gradient", f"resid_post[{token}"),
        ("local derivative", "a constant"),
    }


def test_a_leaf_has_no_operands_to_show(trace):
    blocks = explanation_blocks(trace.explain("head.b", vocab="oak"))
    assert not [b for b in blocks if isinstance(b, Table | Tree | Bars)]
    assert "a parameter" in to_text(blocks)


def test_the_future_says_so(trace):
    shown = to_text(trace.explain("blocks.0.attn.masked_scores", query="moss", key="ash"))
    assert "masked_scores[moss, ash] = −∞" in shown
    assert "the future: −∞, as ash comes after moss" in shown


# The tree


def depth_of(branch):
    return 1 + max((depth_of(each) for each in branch.branches), default=0)


def walk(branch):
    yield branch
    for each in branch.branches:
        yield from walk(each)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_tree_is_as_deep_as_asked(trace, depth):
    explanation = trace.explain("logits", position="ash", vocab="oak")
    assert depth_of(block(explanation, Tree, depth=depth).root) == depth + 1


def test_without_depth_there_is_no_tree(trace):
    blocks = explanation_blocks(trace.explain("logits", position="ash", vocab="oak"), depth=0)
    assert not [b for b in blocks if isinstance(b, Tree)]


def test_a_number_is_followed_once(trace):
    explanation = trace.explain("logits", position="ash", vocab="oak")
    branches = list(walk(block(explanation, Tree, depth=8).root))
    followed = [each.name for each in branches if each.branches]
    assert len(followed) == len(set(followed))
    assert "as above" in {each.formula for each in branches}


def test_the_tree_counts_what_it_leaves_out(trace):
    root = block(trace.explain("logits", position="ash", vocab="oak"), Tree, depth=1).root
    assert len(root.branches) == 5
    assert root.more == f"… {2 * 8 + 1 - 5} more operands"
    whole = block(trace.explain("blocks.0.resid_mid", position=1, d_model=2), Tree, depth=1).root
    assert (len(whole.branches), whole.more) == (2, "")


def test_the_tree_shows_the_numbers_of_the_trace(trace):
    root = block(trace.explain("blocks.0.resid_mid", position="oak", d_model=2), Tree).root
    assert {each.name: each.value for each in root.branches} == {
        "embed.out[oak, d_model=2]": trace["embed.out"].values[2, 2],
        "attn.out[oak, d_model=2]": trace["blocks.0.attn.out"].values[2, 2],
    }
