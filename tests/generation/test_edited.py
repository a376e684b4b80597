"""Generations with edits: what is remembered, what is read anew, and what each step sees."""

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.small_models import WORDS, small_model

PROMPT = "ash bud"
ARCHITECTURES = (
    "as it is",
    "post norm, grouped, no attention output",
    "like gemma 3",
    "like falcon",
    "dynamic rotary scaling",
)
CAUSAL = [
    pellucid.zero("blocks.0.attn.z", head=0),
    pellucid.scale("blocks.0.attn.k", 3, position="ash"),
    pellucid.set_to("blocks.1.attn.masked_scores", 2, query="bud", key=0),
    pellucid.add("blocks.1.attn.out", 0.5, position=-1),
    pellucid.mask_attention(key="<START>", query="bud", layer=1),
    pellucid.scale("blocks.0.attn.keys", 0.5, key=1),
    pellucid.scale("blocks.1.attn.w_q", 2, d_attn=[0, 3]),
    pellucid.mean_over("blocks.0.attn.z", "d_head", head=[1, 2]),
    pellucid.scale("logits", 2),
]


def logits_of(steps):
    return [step.logits for step in steps]


def assert_each_step_is_a_run_over_its_window(model, steps, edits):
    for step in steps:
        whole = model.trace(ids=step.ids, edits=edits).values["logits"][-1]
        np.testing.assert_allclose(step.logits[:11], whole, rtol=0, atol=1e-9)


@pytest.mark.parametrize("option", ARCHITECTURES)
def test_with_a_cache_each_step_is_a_run_over_the_whole_window(option):
    model = small_model(option, tokenizer=WORDS)
    generation = model.generate(PROMPT, max_new_tokens=3, edits=CAUSAL)
    steps = list(generation)
    assert not np.allclose(steps[0].logits, next(iter(model.generate(PROMPT))).logits)
    assert_each_step_is_a_run_over_its_window(model, steps, generation.edits)


def test_places_in_the_text_stay_those_in_the_prompt():
    model = small_model(tokenizer=WORDS)
    edits = [
        pellucid.zero("blocks.0.mlp.out", position=-1),
        pellucid.add("blocks.0.resid_mid", np.arange(24.0).reshape(3, 8)),
        pellucid.zero("blocks.1.attn.pattern", query=slice(1, None), key="bud"),
    ]
    generation = model.generate(PROMPT, max_new_tokens=3, edits=edits)
    cells = [edit.cell for edit in generation.edits]
    assert cells == [
        {"position": 2},
        {"position": (0, 1, 2)},
        {"query": (1, 2), "key": 2},
    ]
    assert_each_step_is_a_run_over_its_window(model, list(generation), generation.edits)


@pytest.mark.parametrize(
    "edit",
    [
        pellucid.mean_over("blocks.1.mlp.post", "position"),
        pellucid.mean_over("blocks.0.attn.pattern", "query", head=1),
        pellucid.set_to("blocks.0.attn.pattern", 0.2, head=2),
        pellucid.zero("blocks.1.attn.masked_scores", head=0),
    ],
)
def test_where_the_future_is_let_in_every_window_is_read_anew(edit):
    model = small_model(tokenizer=WORDS)
    prompts = [PROMPT, "ash"]
    both = list(model.generate(prompts, max_new_tokens=3, edits=[edit]))
    assert_each_step_is_a_run_over_its_window(model, both, [edit])


def test_texts_side_by_side_are_each_as_alone():
    model = small_model("like llama 3", tokenizer=WORDS)
    edits = [
        pellucid.scale("blocks.0.attn.k", 2, position="ash"),
        pellucid.zero("blocks.1.mlp.out"),
    ]
    prompts = ["ash bud elm", "ash", "ash oak"]
    together = list(model.generate(prompts, max_new_tokens=3, edits=edits))
    for number, prompt in enumerate(prompts):
        own = [step for step in together if step.sample == number]
        alone = list(model.generate(prompt, max_new_tokens=3, edits=edits))
        for one, other in zip(own, alone, strict=True):
            np.testing.assert_allclose(one.logits, other.logits, atol=1e-12)


def test_places_that_differ_between_prompts_are_refused():
    model = small_model(tokenizer=WORDS)
    edit = pellucid.zero("blocks.0.mlp.out", position="bud")
    with pytest.raises(PellucidError, match=r"bud\]\" means other places in prompt 1 than in"):
        model.generate(["ash bud", "bud"], edits=[edit])
    with pytest.raises(PellucidError, match='no "bud" along position'):
        model.generate("ash", edits=[edit])


def test_a_key_is_what_it_was_at_the_step_that_read_it():
    model = small_model(tokenizer=WORDS)
    edit = pellucid.zero("blocks.0.attn.k", at_steps=[1])
    generation = model.generate(PROMPT, max_new_tokens=4, trace=True, edits=[edit]).finish()
    (trace,) = generation.traces
    assert trace.written == (0, 0, 0, 1, 2, 3)
    keys = trace.values["blocks.0.attn.keys"]
    assert not keys[:, 3].any()
    assert keys[:, [0, 1, 2, 4, 5]].any(axis=-1).all()
    plain = model.trace(ids=trace.ids)
    np.testing.assert_allclose(keys[:, :3], plain.values["blocks.0.attn.keys"][:, :3], atol=1e-12)
    cell = {"kv_head": 0, "d_head": 0}
    edited = trace.explain("blocks.0.attn.k", position=3, **cell)
    assert edited.formula.startswith("edited here: was ")
    assert "not edited here" in trace.explain("blocks.0.attn.k", position=4, **cell).formula


def test_what_is_remembered_is_changed_at_a_step_for_that_step_alone():
    # With a second block, its keys would remember the change.
    model = small_model("one layer", tokenizer=WORDS)
    edit = pellucid.zero("blocks.0.attn.values", key=0, at_steps=[1])
    edited = list(model.generate(PROMPT, max_new_tokens=3, edits=[edit]))
    always = pellucid.zero("blocks.0.attn.values", key=0)
    for step, edits in zip(edited, ([], [always], []), strict=True):
        whole = model.trace(ids=step.ids, edits=edits).values["logits"][-1]
        np.testing.assert_allclose(step.logits, whole, atol=1e-9)


def test_parameters_are_edited_at_the_steps_that_are_named():
    model = small_model(tokenizer=WORDS)
    edit = pellucid.zero("head.w", at_steps=[1, 2])
    steps = list(model.generate(PROMPT, max_new_tokens=4, edits=[edit]))
    bias = model.parameters["head.b"]
    for step in steps:
        flat = bool(np.allclose(step.logits, bias))
        assert flat == (step.number in (1, 2))
    two = [edit, pellucid.set_to("head.b", 5, at_steps=[2, 3])]
    for step in model.generate(PROMPT, max_new_tokens=5, edits=two):
        zeroed, set_to = step.number in (1, 2), step.number in (2, 3)
        shift = 5.0 if set_to else bias
        assert bool(np.allclose(step.logits, shift)) == zeroed
        assert np.isclose(step.logits.mean(), np.mean(shift)) == zeroed
    with pytest.raises(PellucidError, match="one set of parameters"):
        model.generate(PROMPT, trace=True, edits=[edit])
    traced = model.trace(PROMPT, edits=[edit])
    assert traced.parameters["head.w"].values.any()


@pytest.mark.parametrize("option", ["as it is", "like gemma 2"])
def test_a_traced_generation_is_the_trace_of_its_text_and_holds(option):
    model = small_model(option, tokenizer=WORDS)
    generation = model.generate(PROMPT, max_new_tokens=4, trace=True, edits=CAUSAL).finish()
    (trace,) = generation.traces
    assert trace.edits == generation.edits
    whole = model.trace(ids=trace.ids, edits=trace.edits)
    assert trace.names == whole.names
    for name in trace.names:
        np.testing.assert_allclose(trace.values[name], whole.values[name], rtol=0, atol=1e-9)
    assert trace.check().holds


def test_a_trace_with_edits_at_steps_holds_and_is_stored(tmp_path):
    model = small_model(tokenizer=WORDS)
    edits = [
        pellucid.scale("blocks.0.attn.pattern", 0.5, head=1, at_steps=[0, 2]),
        pellucid.add("blocks.1.mlp.out", 1, at_steps=[1]),
    ]
    (trace,) = model.generate(PROMPT, max_new_tokens=4, trace=True, edits=edits).finish().traces
    assert trace.check().holds
    stored = pellucid.Trace.load(trace.save(tmp_path / "steps.safetensors"), model=model)
    assert stored.edits == trace.edits
    assert stored.check().holds


def test_a_window_that_slides_is_edited_at_its_own_places():
    model = small_model(tokenizer=WORDS)
    edit = pellucid.scale("blocks.0.resid_mid", 2, position=1)
    steps = list(model.generate(PROMPT, max_new_tokens=6, edits=[edit]))
    assert steps[-1].dropped
    assert_each_step_is_a_run_over_its_window(model, steps, [edit])


def test_torch_generates_the_same():
    model = small_model("like gemma 2", tokenizer=WORDS)
    other = model.using("torch", device="cpu")
    tied = pellucid.zero("token_embedding", vocab="elm", at_steps=[2])
    for edits in (CAUSAL, [pellucid.mean_over("blocks.1.mlp.post", "position")], [tied]):
        ours, theirs = (
            list(each.generate(PROMPT, max_new_tokens=4, edits=edits)) for each in (model, other)
        )
        for one, two in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(two.logits, one.logits, rtol=0, atol=1e-10)


def test_no_edit_changes_no_bit():
    model = small_model(tokenizer=WORDS)
    plain, edited = (
        list(model.generate(PROMPT, max_new_tokens=4, edits=edits))
        for edits in ([], [pellucid.scale("blocks.0.attn.k", 1), pellucid.add("logits", 0)])
    )
    for one, other in zip(plain, edited, strict=True):
        assert one.logits.tobytes() == other.logits.tobytes()
