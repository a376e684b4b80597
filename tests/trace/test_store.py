"""A trace on disk is the trace that was saved, or a refusal in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.tensor_file import StoredTensors
from pellucid.trace.trace import Trace
from tests.small_models import OPTIONS, WORDS, random_ids, small_model
from tests.trace.trace_files import refusal, rewrite

TEXT = "moss oak ash"


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def back(model):
    return model.trace(TEXT, target="next")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trace.safetensors"


def assert_same_trace(one, other):
    for what in ("config", "ids", "tokens", "vocabulary", "targets", "names"):
        assert getattr(one, what) == getattr(other, what), what
    assert list(one.gradients) == list(other.gradients)
    for mine, theirs in ((one.values, other.values), (one.gradients, other.gradients)):
        for name, array in mine.items():
            assert theirs[name].dtype == array.dtype, name
            assert theirs[name].shape == array.shape, name
            assert theirs[name].tobytes() == array.tobytes(), name


# There and back


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_a_loaded_trace_is_the_one_that_was_saved(option, dtype, path):
    model = small_model(option, dtype=dtype)
    ids = random_ids(model.config, batch=1)[0]
    for target in (None, "next"):
        trace = model.trace(ids=ids, target=target)
        assert trace.save(path) == path
        for given_model in (None, model):
            assert_same_trace(trace, Trace.load(path, model=given_model))


def test_everything_is_labelled_as_before(model, back, path):
    loaded = Trace.load(back.save(path))
    for view, before in ((loaded, back), (loaded.grad, back.grad)):
        for name in before:
            for what in ("name", "dims", "labels", "title", "equation"):
                assert getattr(view[name], what) == getattr(before[name], what), name
    assert loaded.loss == back.loss
    assert loaded["blocks.0.resid_pre"].name == "embed.out"
    assert repr(loaded) == repr(back)


def test_one_token_and_no_tokenizer(path):
    trace = small_model().trace(ids=[3], target=4)
    assert_same_trace(trace, Trace.load(trace.save(path)))


def test_other_programs_can_read_the_arrays(back, path):
    arrays = load_file(back.save(path))
    assert set(arrays) == {*back.names, *(f"grad.{name}" for name in back.grad)}
    for name in back.names:
        np.testing.assert_array_equal(arrays[name], back[name].values)
    np.testing.assert_array_equal(arrays["grad.head.w"], back.grad["head.w"].values)


def test_equal_traces_make_equal_files(model, back, tmp_path):
    first, second = (
        model.trace(TEXT, target="next").save(tmp_path / str(i)).read_bytes() for i in range(2)
    )
    assert first == second
    loaded = Trace.load(tmp_path / "0")
    assert loaded.save(tmp_path / "0").read_bytes() == first


# Part of it


@given(data=st.data())
def test_names_store_a_part(data, tmp_path_factory):
    model = small_model()
    back = model.trace(ids=[1, 2, 3], target="next")
    names = data.draw(st.sets(st.sampled_from([*back.names, *model.parameters])))
    loaded = Trace.load(back.save(tmp_path_factory.getbasetemp() / "part", names=names))
    stored = {*names, "loss"}
    assert set(loaded.names) == stored & set(back.names)
    assert set(loaded.grad) == stored & set(back.grad)
    for name in loaded.grad:
        assert loaded.grad[name].values.tobytes() == back.grad[name].values.tobytes()


def test_names_may_be_aliases(back, path):
    assert Trace.load(back.save(path, names=["blocks.1.resid_pre"])).names == (
        "blocks.0.resid_post",
        "loss",
    )


def test_what_was_not_stored_is_missed_with_words(model, back, path):
    loaded = Trace.load(back.save(path, names=["logits"]), model=model)
    with pytest.raises(PellucidError, match="probs was not kept in this trace"):
        loaded["probs"]
    with pytest.raises(PellucidError, match=r"no gradient of head\.w: it was not stored"):
        loaded.grad["head.w"]


def test_what_is_not_there_cannot_be_stored(model, path):
    trace = model.trace(TEXT, names=["logits"])
    for name in ("probs", "head.w"):
        with pytest.raises(PellucidError, match=f"{name} cannot be stored: this trace has neither"):
            trace.save(path, names=[name])
    with pytest.raises(PellucidError, match="Did you mean logits"):
        trace.save(path, names=["logit"])
    assert not path.exists()


def test_nothing_at_all_can_be_stored(model, path):
    assert Trace.load(model.trace(TEXT).save(path, names=[])).names == ()


# Lazily


def test_a_tensor_is_read_when_it_is_first_asked_for(back, path):
    loaded = Trace.load(back.save(path))
    assert "logits" in loaded
    assert len(loaded) == len(back)
    assert isinstance(loaded.values, StoredTensors)
    assert isinstance(loaded.gradients, StoredTensors)
    assert not loaded.values.known
    assert loaded["logits"].values is loaded["logits"].values
    assert list(loaded.values.known) == ["logits"]
    assert not loaded.gradients.known


def test_a_loaded_trace_cannot_be_written_to(back, path):
    loaded = Trace.load(back.save(path))
    for tensor in (loaded["logits"], loaded.grad["head.w"]):
        with pytest.raises(ValueError, match="read-only"):
            tensor.values[...] = 0
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            tensor.values[...].flags.writeable = True


def test_a_file_that_went_away_is_missed_with_words(back, path):
    loaded = Trace.load(back.save(path))
    logits = loaded["logits"].values
    path.unlink()
    assert loaded["logits"].values is logits
    with pytest.raises(PellucidError, match=r"probs is still in .* cannot be read any more"):
        loaded["probs"]


# Its model


def test_with_its_model_it_explains_as_before(model, back, path):
    loaded = Trace.load(back.save(path), model=model)
    assert loaded["head.w"].values is model.parameters["head.w"]
    for ask in ("explain", "explain_grad"):
        cell = {"position": "moss", "vocab": "elm"}
        before, after = (getattr(trace, ask)("logits", **cell) for trace in (back, loaded))
        assert (after.value, after.recomputed) == (before.value, before.recomputed)
        assert after.formula == before.formula


def test_without_its_model_it_asks_for_it(back, path):
    loaded = Trace.load(back.save(path))
    asks = (
        lambda: loaded["head.w"],
        lambda: loaded.explain("logits", position=0, vocab=0),
        lambda: loaded.explain_grad("logits", position=0, vocab=0),
    )
    for ask in asks:
        with pytest.raises(PellucidError, match=r"loaded without its model.*load it with .*model="):
            ask()


def test_the_same_weights_from_another_place_are_the_same_model(model, back, path, tmp_path):
    again = pellucid.load(model.save(tmp_path / "model"))
    loaded = Trace.load(back.save(path), model=again)
    assert loaded["head.w"].values is again.parameters["head.w"]


# Writing


def test_a_file_is_replaced_whole_or_not_at_all(model, back, path):
    before = back.save(path).read_bytes()
    part = model.trace(TEXT, names=["logits"])
    with pytest.raises(PellucidError):
        part.save(path, names=["probs"])
    assert path.read_bytes() == before
    part.save(path)
    assert Trace.load(path).names == ("logits",)
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_a_full_disk_leaves_the_file_as_it_was(back, path):
    resource = pytest.importorskip("resource")
    before = back.save(path, names=["probs"]).read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), hard))
    try:
        with pytest.raises(PellucidError, match=r"cannot be written: .*too large"):
            back.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_where_no_file_can_be_written(back, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for wrong in ("none/trace", "file/trace", "folder"):
        with pytest.raises(PellucidError, match=f"{wrong} cannot be written: ") as caught:
            back.save(tmp_path / wrong)
        assert str(caught.value).isprintable()
    assert sorted(child.name for child in tmp_path.iterdir()) == ["file", "folder"]


# Refusals


def test_a_foreign_safetensors_file(path):
    save_file({"weight": np.zeros(3)}, path, {"format": "pt"})
    assert "is a safetensors file, but not a trace" in refusal(path)
    save_file({"weight": np.zeros(3)}, path)
    assert "is a safetensors file, but not a trace" in refusal(path)


def test_a_models_weights_are_not_a_trace(model, tmp_path):
    path = model.save(tmp_path / "model") / "model.safetensors"
    assert "not a trace" in refusal(path)


@pytest.mark.parametrize(
    "name",
    ["weight", "../../etc/passwd", "grad.nothing", "grad.grad.logits", "head.w", "\x1b[31mlogits"],
)
def test_a_tensor_that_no_such_run_leaves(back, path, name):
    back.save(path)
    rewrite(path, lambda about: None, arrays={**load_file(path), name: np.zeros((4, 11))})
    assert "which is no tensor of its run" in refusal(path)


@pytest.mark.parametrize("name", ["logits", "blocks.0.attn.pattern", "grad.head.w", "loss"])
def test_a_tensor_of_another_shape(back, path, name):
    back.save(path)
    rewrite(path, lambda about: None, arrays={**load_file(path), name: np.zeros((2, 2))})
    assert f"is damaged: {name} is [2, 2] in float64, but its run makes [" in refusal(path)


def test_a_loss_without_a_target(model, path):
    model.trace(TEXT, names=["logits"]).save(path)
    rewrite(path, lambda about: None, arrays={**load_file(path), "loss": np.array(1.0)})
    assert 'holds "loss", which is no tensor of its run' in refusal(path)


def test_a_target_without_its_loss(back, path):
    back.save(path)
    arrays = load_file(path)
    del arrays["loss"]
    rewrite(path, lambda about: None, arrays=arrays)
    assert "has a target, but no loss" in refusal(path)


@given(data=st.data())
def test_a_file_that_was_cut_short_or_changed_is_never_misread(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    path = folder / "whole"
    if not path.exists():
        small_model(tokenizer=WORDS).trace(TEXT, target="next", names=["probs"]).save(path)
    content = bytearray(path.read_bytes())
    end = 8 + int.from_bytes(content[:8], "little")
    changed = folder / "changed"
    changed.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    refusal(changed)
    content[data.draw(st.integers(0, end - 1))] = data.draw(st.integers(0, 255))
    changed.write_bytes(content)
    try:
        loaded = Trace.load(changed)
    except PellucidError as error:
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert loaded["probs"].values.shape == (len(loaded.ids), 11)


# Edited runs


def test_an_edited_run_comes_back_with_its_edits(tmp_path):
    model = small_model(tokenizer=WORDS)
    edits = [
        pellucid.scale("blocks.0.attn.pattern", 2, head=0, query="elm"),
        pellucid.set_to("blocks.0.attn.pattern", 0.5, key=slice(0, 1)),
        pellucid.copy_from("blocks.1.mlp.out", model.trace("ash bud elm"), position="elm"),
        pellucid.mask_attention(query="elm", key="bud"),
        pellucid.zero("blocks.0.attn.w_o"),
    ]
    trace = model.trace("ash bud elm", target="next", edits=edits)
    path = trace.save(tmp_path / "edited.safetensors")
    for loaded in (Trace.load(path), Trace.load(path, model=model)):
        assert loaded.edits == tuple(edits)
        assert loaded.names == trace.names
        for name in trace.names:
            assert loaded.values[name].tobytes() == trace.values[name].tobytes()
        for name in trace.gradients:
            assert loaded.gradients[name].tobytes() == trace.gradients[name].tobytes()
    loaded = Trace.load(path, model=model)
    assert not loaded.parameters["blocks.0.attn.w_o"].values.any()
    explained, again = (
        each.explain("blocks.0.attn.pattern", head=0, query="elm", key=0)
        for each in (trace, loaded)
    )
    assert explained.formula.startswith("edited here: was ")
    assert again.formula == explained.formula


def test_edits_that_do_not_fit_their_run_are_said(tmp_path):
    model = small_model(tokenizer=WORDS)
    path = tmp_path / "edited.safetensors"
    model.trace("ash bud", edits=[pellucid.zero("logits", position=2)]).save(path)
    damaged = path.read_bytes().replace(b'\\"position\\":2', b'\\"position\\":9')
    path.write_bytes(damaged)
    with pytest.raises(PellucidError, match=r"edited\.safetensors position=9 is out of range"):
        Trace.load(path)
