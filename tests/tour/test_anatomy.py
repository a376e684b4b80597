"""The model's steps and parameters."""

import pytest

from pellucid.model.model import Model
from pellucid.tour.anatomy import parameters, steps
from pellucid.views.scene import Table
from tests.small_models import OPTIONS, SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import table, words


def test_every_step_has_the_shape_of_its_tensor(any_lesson):
    rows = table(steps(any_lesson), "array").rows
    assert rows[0][0] == "embed.tokens"
    assert rows[-1][0] == "probs"
    # Without a cache these are the keys and values that stand there already.
    assert not {"blocks.0.attn.keys", "blocks.0.attn.values"} & {name for name, _, _ in rows}
    for name, computed, shape in rows:
        assert tuple(map(int, shape.split(" × "))) == any_lesson.trace[name].shape
        assert computed in any_lesson.trace[name].equation


def test_the_parameters_add_up_to_the_models(any_lesson):
    *rows, total = table(parameters(any_lesson), "name").rows
    assert {row[0]: row[-1] for row in rows} == {
        name: values.size for name, values in any_lesson.model.parameters.items()
    }
    assert total[-1] == sum(row[-1] for row in rows) == any_lesson.model.n_parameters


def test_the_largest_table_is_named(lesson):
    both = '"token_embedding" and "head.w" have the most, 192 each, which is 19.8% of them.'
    assert f"968 numbers in all. {both}" in words(parameters(lesson))
    wide = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    sizes = [spec.size for spec in wide.model.specs.values()]
    others = f"and {sizes.count(max(sizes)) - 1} others have the most, {max(sizes)} each, which is"
    assert others in words(parameters(wide))


def test_of_several_blocks_one_is_listed():
    lesson = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    names = [row[0] for row in table(steps(lesson), "array").rows]
    assert "blocks.0.attn.pattern" in names
    assert "blocks.1.attn.pattern" not in names
    assert "block 0 of 2" in words(steps(lesson))


@pytest.mark.parametrize("option", OPTIONS)
def test_every_dim_of_a_parameter_is_in_the_legend(option):
    model = Model.from_config(SMALL.replace(**OPTIONS[option]), WORDS)
    blocks = parameters(lesson_of("oak elm", model=model))
    sizes = {dim: size for dim, size, _ in table(blocks, "dim", "size").rows}
    used: dict[str, int] = {}
    for name in model.parameters:
        tensor = model.parameter(name)
        used |= dict(zip(tensor.dims, tensor.shape, strict=True))
    assert used.items() <= sizes.items()
    assert sizes["d_head"] == model.config.d_head


def test_the_signs_of_the_equations_are_explained_before_they_stand(lesson):
    _, _, signs, shown, _ = steps(lesson)
    assert isinstance(shown, Table)
    equations = " ".join(str(row[1]) for row in shown.rows)
    for sign in ("·", "ᵀ", "keys", "values", "mean", "rstd"):
        assert sign in equations
        assert sign in words([signs])
