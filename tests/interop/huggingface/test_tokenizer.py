"""The tokenizer of a folder is the one that `transformers` makes of it."""

import contextlib
import json
import shutil
from typing import Any

import pytest
import transformers

import pellucid
from pellucid.cli.models import open_tokenizer
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.folder import read_tokenizer
from pellucid.text.special_tokens import SpecialTokens
from tests.interop.huggingface import tiny_models as tiny
from tests.interop.huggingface import tiny_tokenizers as words

TEXTS = ("ab cab 12.", " ab\nab", "<s>ab</s>", "a<|turn|>b <new> <pad>", "<more>ab", "")
FAST = {"tokenizer_class": "PreTrainedTokenizerFast"}
ROLES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
AS_DICT = {"content": "<|turn|>", "lstrip": False, "rstrip": True, "normalized": False}
LISTED = {"61": AS_DICT | {"content": "<new>", "special": True, "rstrip": False}}

FOLDERS: dict[str, dict[str, Any]] = {
    "a tokenizer alone": {},
    "a start token": {"post_processor": words.STARTS, "settings": FAST | ROLES},
    "start and end": {"post_processor": words.ENCLOSES, "settings": FAST | ROLES},
    "bytes": {"post_processor": words.BY_BYTES, "settings": FAST | ROLES},
    "no start, whatever the settings": {"settings": FAST | ROLES | {"add_bos_token": True}},
    "a start, whatever the settings": {
        "post_processor": words.STARTS,
        "settings": FAST | ROLES | {"add_bos_token": False},
    },
    "roles make special": {"special": ("<unk>",), "settings": FAST | ROLES},
    "a token as an object": {
        "settings": FAST | ROLES | {"eos_token": AS_DICT | {"__type": "AddedToken"}}
    },
    "a role that nobody has": {"settings": FAST | ROLES | {"bos_token": None, "pad_token": None}},
    "tokens that the vocabulary lacks": {
        "settings": FAST | {"bos_token": "<new>", "additional_special_tokens": ["<more>"]}
    },
    "tokens by id": {"settings": FAST | ROLES | {"added_tokens_decoder": LISTED}},
    "named in the older file": {"settings": FAST, "named": ROLES},
    "the older file beside a list": {
        "settings": FAST | {"added_tokens_decoder": LISTED},
        "named": ROLES,
    },
}


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """A Llama whose config names no special token."""
    folder = tmp_path_factory.mktemp("llama")
    tiny.make("llama, grouped, biases, tied", folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    return folder


@pytest.fixture
def folder(model_folder, tmp_path):
    copied = shutil.copytree(model_folder, tmp_path / "model")
    words.write_tokenizer(copied)
    return copied


def change_config(folder, **fields):
    tiny.write_config(folder, tiny.config_of(folder) | fields)


@pytest.mark.parametrize("case", FOLDERS)
def test_ids_and_special_tokens_are_those_of_transformers(case, folder):
    words.write_tokenizer(folder, **FOLDERS[case])
    ours = read_tokenizer(folder)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    assert ours is not None
    for text in TEXTS:
        # Special tokens typed into a text are text here; there it is an option.
        assert ours.prompt(text) == theirs(text, split_special_tokens=True).input_ids
    assert ours._special_ids.keys() >= set(theirs.all_special_tokens)
    assert ours.tokens == tuple(theirs.convert_ids_to_tokens(list(range(len(theirs)))))
    if FOLDERS[case]:
        roles = (ours.special.start, ours.special.end, ours.special.pad)
        assert roles == (theirs.bos_token_id, theirs.eos_token_id, theirs.pad_token_id)


# Where a generation ends

STOPS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "the config's": ({"eos_token_id": 9}, None),
    "several of the config's": ({"eos_token_id": [9, 7]}, None),
    "none, where it says none": ({"eos_token_id": None}, None),
    "the other file's": ({"eos_token_id": 9}, {"eos_token_id": [3, 8], "bos_token_id": 1}),
}


@pytest.mark.parametrize("case", STOPS)
def test_a_generation_ends_where_that_of_transformers_does(case, folder):
    fields, generation = STOPS[case]
    config = {k: v for k, v in tiny.config_of(folder).items() if not k.endswith("_token_id")}
    tiny.write_config(folder, config | fields)
    words.write_tokenizer(folder, settings=FAST | ROLES, generation=generation)
    theirs = tiny.reopened(folder).generation_config.eos_token_id
    ours = pellucid.load(folder).tokenizer
    assert ours is not None
    assert ours.end_ids == set(theirs if isinstance(theirs, list) else [theirs]) - {None}


def test_every_one_of_several_ends_is_an_end(folder):
    ids = tiny.random_ids(1, 5)
    free = tiny.greedy(tiny.reopened(folder), ids, 12)[0]
    for end in (free[3], free[7]):
        words.write_tokenizer(folder, generation={"eos_token_id": [end, 0]})
        want = tiny.greedy(tiny.reopened(folder), ids, 12)[0]
        model = pellucid.load(folder)
        got = [step.id for step in model.generate(ids=ids[0].tolist(), max_new_tokens=12)]
        assert got == want
        assert got[-1] == end
        assert len(got) == free.index(end) + 1


def test_what_nobody_says_anything_of_is_as_it_is_spelled(folder):
    config = {k: v for k, v in tiny.config_of(folder).items() if not k.endswith("_token_id")}
    tiny.write_config(folder, config)
    ours = read_tokenizer(folder)
    assert ours is not None
    assert ours.stated is None
    assert (ours.end_id, ours.pad_id) == (2, 4)
    words.write_tokenizer(folder, settings=FAST | {"eos_token": "<|turn|>"})
    ours = read_tokenizer(folder)
    assert ours is not None
    assert ours.special == SpecialTokens(end=3, stops=(3,))


def test_a_file_that_does_not_name_an_end_leaves_it_to_the_next(folder):
    change_config(folder, eos_token_id=9)
    words.write_tokenizer(folder, settings=FAST | ROLES, generation={"bos_token_id": 1})
    ours = read_tokenizer(folder)
    assert ours is not None
    assert ours.end_ids == {9}


# What becomes of it here


def test_settings_survive_becoming_one_of_ours(folder, tmp_path):
    words.write_tokenizer(
        folder,
        settings=FAST | ROLES | {"chat_template": "{{ bos_token }}"},
        generation={"eos_token_id": [3, 2]},
        post_processor=words.STARTS,
    )
    first = pellucid.load(folder)
    again = pellucid.load(first.save(tmp_path / "once"))
    third = pellucid.load(again.save(tmp_path / "twice"))
    want = SpecialTokens(start=1, end=2, stops=(3, 2), pad=4)
    for model in (first, again, third):
        assert model.tokenizer is not None
        assert model.tokenizer.special == want
        assert model.tokenizer.chat_template == "{{ bos_token }}"
        assert model.trace("ab").tokens == ("<s>", "ab")


def test_the_tokenizer_is_opened_without_the_weights(folder):
    words.write_tokenizer(folder, post_processor=words.STARTS, generation={"eos_token_id": 3})
    (folder / "model.safetensors").unlink()
    assert open_tokenizer(str(folder)).prompt("ab") == [1, words.VOCABULARY["ab"]]
    assert open_tokenizer(str(folder)).end_ids == {3}
    (folder / "tokenizer.json").unlink()
    with pytest.raises(PellucidError, match=r"tokenizer\.json is missing"):
        open_tokenizer(str(folder))


TEMPLATES = {
    "in the settings": ("one", None, "one"),
    "named": (
        [{"name": "tools", "template": "t"}, {"name": "default", "template": "d"}],
        None,
        "d",
    ),
    "none by default": ([{"name": "tools", "template": "t"}], None, None),
    "a file of its own first": ("one", "two", "two"),
}


@pytest.mark.parametrize("case", TEMPLATES)
def test_the_template_of_chats_is_found(case, folder):
    said, alone, want = TEMPLATES[case]
    words.write_tokenizer(folder, settings=FAST | {"chat_template": said})
    if alone is not None:
        (folder / "chat_template.jinja").write_text(alone)
    ours = read_tokenizer(folder)
    assert ours is not None
    assert ours.chat_template == want


# Tokens beyond the model's matrices


def test_tokens_that_were_added_may_have_no_row(folder, tmp_path):
    loose = {"61": AS_DICT | {"content": "#1#"}, "62": AS_DICT | {"content": "#2#"}}
    words.write_tokenizer(folder, settings=FAST | {"added_tokens_decoder": loose})
    first = pellucid.load(folder)
    for model in (first, pellucid.load(first.save(tmp_path / "ours"))):
        assert model.tokenizer is not None
        assert (model.tokenizer.vocab_size, model.n_tokens) == (63, 61)
        assert len(model.vocabulary or ()) == 61
        assert max(step.id for step in model.generate("ab", max_new_tokens=9)) < 61
        with pytest.raises(
            PellucidError, match=r'"#2#", 62, was added .* leave it out of the text'
        ):
            model.trace("ab #2#")
        with pytest.raises(PellucidError, match=r'"#1#", 61, was added .* only vocab_size=61'):
            model.trace("ab", target="#1#")


# What is damaged


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("tokenizer_config.json", "{", "tokenizer_config.json does not hold settings"),
        ("tokenizer_config.json", "[1]", "tokenizer_config.json does not hold settings"),
        ("tokenizer_config.json", '{"bos_token": 3}', "bos_token has 3, which is no token"),
        ("tokenizer_config.json", '{"chat_template": 3}', "chat_template is neither"),
        (
            "tokenizer_config.json",
            '{"added_tokens_decoder": {"x": {}}}',
            "no list of tokens|is not",
        ),
        ("tokenizer_config.json", '{"extra_special_tokens": 5}', "is not a list"),
        ("generation_config.json", '{"eos_token_id": "</s>"}', "neither an id nor a list of ids"),
        ("generation_config.json", '{"eos_token_id": [true]}', "neither an id nor a list of ids"),
    ],
)
def test_damaged_settings_are_named(file, content, said, folder):
    (folder / file).write_text(content)
    with pytest.raises(PellucidError, match=said):
        pellucid.load(folder)


def test_settings_of_any_shape_are_read_or_refused(folder):
    values: tuple[Any, ...] = (
        None,
        True,
        1,
        -1,
        10**30,
        1.5,
        "",
        "x",
        [],
        ["x"],
        [[]],
        {},
        {"content": 1},
        [{}],
    )
    names = (
        *("bos_token", "pad_token", "added_tokens_decoder", "additional_special_tokens"),
        *("extra_special_tokens", "chat_template", "eos_token_id"),
    )
    for name in names:
        for value in values:
            content = json.dumps({name: value})
            (folder / "tokenizer_config.json").write_text(content)
            (folder / "generation_config.json").write_text(content)
            with contextlib.suppress(PellucidError):
                read_tokenizer(folder)
