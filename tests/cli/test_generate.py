"""`pellucid generate`."""

import json
import sys

import pytest

from pellucid.cli import answers
from pellucid.cli.models import open_model
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import SMALL

FRESH = ("baby-groot", "--random", "0")


@pytest.fixture(scope="module")
def model():
    return open_model("baby-groot", random=0)


def test_it_prints_the_text(run, model):
    outcome = run("generate", *FRESH, "i am", "--max-new-tokens", "2")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == model.generate_text("i am", max_new_tokens=2) + "\n"


def test_it_prints_the_text_while_it_comes(model, monkeypatch):
    printed = []
    monkeypatch.setattr(answers, "say", lambda text, end="\n": printed.append(text + end))
    generation = model.generate("i am", max_new_tokens=2)
    taken = []

    def steps():
        for step in model.generate("i am", max_new_tokens=2):
            taken.append("".join(printed))
            yield step

    generation.steps = steps()
    answers.in_text(model, generation, many=False)
    first, second = model.generate("i am", max_new_tokens=2)
    assert taken == ["i am", "i am" + first.text]
    assert "".join(printed) == "i am" + first.text + second.text + "\n"


def test_what_a_terminal_would_obey_is_spelled_out_there_and_nowhere_else(capsys, monkeypatch):
    text = "\x1b[2Jgone\x07\r\x9b\n\tgrün 🌳"
    answers.write(text)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    answers.write(text)
    piped, shown = text, "\\x1b[2Jgone\\x07\\x0d\\x9b\n\tgrün 🌳"
    assert capsys.readouterr().out == f"{piped}\n{shown}\n"


def test_a_text_that_outgrows_the_context_is_said_to(run):
    outcome = run("generate", *FRESH, "i am", "--max-new-tokens", "6")
    assert outcome.err == (
        "pellucid: The text outgrew the context of 4 tokens: 4 of 6 steps saw only its last 4, "
        "and worked all of them out anew.\n"
    )


def test_baby_groot_speaks_as_its_sentences_do(run):
    assert run("generate", "baby-groot", "i am").out == "i am groot\n"


def test_options_reach_the_sampling(run, model):
    options = ("--max-new-tokens", "7", "--temperature", "2", "--top-k", "9", "--top-p", "0.8")
    outcome = run("generate", *FRESH, "i am", *options, "--seed", "5")
    assert outcome.out.strip() == model.generate_text(
        "i am", max_new_tokens=7, temperature=2, top_k=9, top_p=0.8, seed=5
    )


def test_further_options_reach_it_too(run, model):
    options = ("--min-p", "0.2", "--repetition-penalty", "1.4", "--stop", "ee l", "--stop", "oo")
    outcome = run("generate", *FRESH, "i am", *options, "--seed", "1")
    text = model.generate_text(
        "i am", min_p=0.2, repetition_penalty=1.4, stop=["ee l", "oo"], seed=1
    )
    assert outcome.out == text + "\n"
    assert text != model.generate_text("i am", min_p=0.2, repetition_penalty=1.4, seed=1)


def test_samples_come_with_their_seeds(run, model):
    outcome = run("generate", *FRESH, "i am", "--samples", "3", "--seed", "4", "--top-k", "9")
    assert outcome.out == "".join(
        f"Sample {k}, seed {4 + k}:\n{model.generate_text('i am', seed=4 + k, top_k=9)}\n\n"
        for k in range(3)
    )


def test_samples_as_json_are_a_list(run, model):
    asked = ("generate", *FRESH, "we", "--samples", "2", "--top-p", "0.9", "--json")
    found = json.loads(run(*asked).out)
    for told, text in zip(
        found, model.generate("we", samples=2, top_p=0.9).finish().texts, strict=True
    ):
        assert told["ids"] == text.ids
        assert (told["seed"], told["stopped"]) == (text.seed, text.stopped)
        assert told["text"] == text.prompt + text.text
        assert "".join(step["text"] for step in told["steps"]) == text.text
    (one,) = json.loads(run(*asked[:5], "--samples", "1", "--json").out)
    assert one == json.loads(run(*asked[:5], "--json").out)


def test_json_has_every_step(run, model):
    found = json.loads(run("generate", *FRESH, "i", "--top-k", "3", "--json").out)
    steps = list(model.generate("i", top_k=3))
    assert found["ids"] == [1, 11, *(step.id for step in steps)]
    assert found["text"] == model.tokenizer.decode(found["ids"])
    for told, step in zip(found["steps"], steps, strict=True):
        assert (told["id"], told["position"], told["dropped"]) == (
            step.id,
            step.position,
            step.dropped,
        )
        assert [each["id"] for each in told["top"]] == [each.id for each in step.top]
        assert [each["name"] for each in told["filters"]] == ["never", "temperature", "top_k"]
        assert told["filters"][0]["removed"] == [0, 1]
        assert len(told["filters"][2]["removed"]) == 19
        assert told["uniform"] == step.uniform
    assert [told["stopped"] for told in found["steps"]] == [step.stopped for step in steps]


def test_explained_steps_show_what_the_filters_removed_and_the_draw(run, model):
    outcome = run("generate", *FRESH, "i am", "--explain", "--max-new-tokens", "3", "--top-k", "4")
    headings = [line for line in outcome.out.splitlines() if line.startswith("Step ")]
    taken = model.generate("i am", max_new_tokens=3, top_k=4)
    assert headings == [f"Step {n}: {step.token}" for n, step in enumerate(taken, start=1)]
    *_, text = outcome.out.splitlines()
    assert text == model.generate_text("i am", max_new_tokens=3, top_k=4)
    assert "Read at position 2 of <START> i am." in outcome.out
    words = " ".join(outcome.out.split())
    assert "1 earlier token has slid out of the context, so that every position was" in words
    for step in model.generate("i am", max_new_tokens=3, top_k=4):
        assert f"Drawn: {step.uniform:.6f} falls to {step.token}" in words
    removed = [line.split() for line in outcome.out.splitlines() if "top_k" in line]
    assert [row[:3] for row in removed] == [["top_k", "4", "18"]] * 3


def test_an_empty_prompt_starts_from_the_start_token(run):
    found = json.loads(run("generate", *FRESH, "", "--json").out)
    assert found["prompt_ids"] == [1]


def test_ids_do_where_there_is_no_tokenizer(run):
    asked = ("generate", "lesson-3", "--random", "0", "--ids", "1,2", "--max-new-tokens", "3")
    ids = [int(i) for i in run(*asked).out.split()]
    assert ids[:2] == [1, 2]
    assert len(ids) == 5


def test_without_a_prompt_it_asks_again_and_again(run, model):
    outcome = run("generate", *FRESH, typed="i am\nwe are\n\nyou are\n")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [model.generate_text(p) for p in ("i am", "we are")]


def test_where_nothing_is_piped_in_it_starts_from_the_start_token(run, model):
    for typed in ("", "\n"):
        outcome = run("generate", *FRESH, typed=typed)
        assert (outcome.code, outcome.out) == (0, model.generate_text("") + "\n")


def test_where_nothing_is_piped_in_a_model_without_a_start_token_says_what_it_needs(
    refused, tmp_path
):
    tokenizer = Tokenizer.characters(["ab"], running=True)
    model = Model.from_config(SMALL.replace(vocab_size=tokenizer.vocab_size), tokenizer)
    said = refused("generate", str(model.save(tmp_path / "letters")))
    assert "this model has no start token, so give text" in said


def test_an_unreadable_prompt_is_not_the_end_of_asking(run, model):
    outcome = run("generate", *FRESH, "--json", typed="gruut\nwe are")
    assert outcome.code == 2
    assert outcome.err.startswith('pellucid: "gruut" is not in this vocabulary')
    assert json.loads(outcome.out)["text"] == model.generate_text("we are")


def test_a_message_is_answered_by_the_reply_alone(run, chatty):
    model = open_model(str(chatty))
    ids = model.chat([{"role": "user", "content": "i am"}])
    assert model.labels(ids) == ("i", "am", "<END>")
    (text,) = model.generate(ids=ids, max_new_tokens=2).finish().texts
    asked = ("generate", str(chatty), "i am", "--chat", "--max-new-tokens", "2")
    assert run(*asked).out == text.text + "\n"
    found = json.loads(run(*asked, "--json").out)
    assert (found["text"], found["prompt_ids"]) == (text.text, ids)
    assert run(*asked, "--samples", "1").out == f"Sample 0, seed 0:\n{text.text}\n\n"


def test_messages_that_are_typed_are_one_conversation(run, chatty):
    asked = ("generate", str(chatty), "--chat", "--max-new-tokens", "1", "--json")
    outcome = run(*asked, typed="i am\ngruut\nyou are\n")
    first, second = [json.loads(line) for line in split_json(outcome.out)]
    model = open_model(str(chatty))
    assert model.labels(first["prompt_ids"]) == ("i", "am", "<END>")
    # Behind the second message stands what tells how much was said before it.
    assert model.labels(second["prompt_ids"]) == ("you", "are", "<END>", "we")
    assert outcome.err.startswith('pellucid: "gruut" is not in this vocabulary')


def split_json(printed):
    """Several values, printed one after the other."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(printed.rstrip()):
        _, end = decoder.raw_decode(printed, place)
        yield printed[place:end]
        place = end + 1


def test_ids_are_no_message(refused, chatty):
    assert "leave --chat out" in refused("generate", str(chatty), "--ids", "1", "--chat")
    assert "has no chat template" in refused("generate", *FRESH, "i am", "--chat")


def test_more_tokens_than_there_are_is_said_once(run):
    outcome = run("generate", *FRESH, "--top-k", "100", typed="i am\nwe are\n")
    assert outcome.code == 0
    assert outcome.err.count("top_k=100 is more than the 24 tokens there are") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("i am gruut",), '"gruut" is not in this vocabulary of 24 tokens. Did you mean groot?'),
        (("i", "--top-k", "0"), "top_k=0 is not possible"),
        (("i", "--top-p", "0"), "top_p=0.0 is not possible"),
        (("i", "--top-p", "1.5"), "top_p=1.5 is not possible"),
        (("i", "--temperature", "-1"), "temperature=-1.0 is not possible"),
        (("i", "--temperature", "nan"), "temperature=nan is not possible"),
        (("i", "--min-p", "2"), "min_p=2.0 is not possible"),
        (("i", "--repetition-penalty", "0"), "repetition_penalty=0.0 is not possible"),
        (("i", "--stop", ""), 'stop=""'),
        (("i", "--samples", "0"), "--samples"),
        (("i", "--max-new-tokens", "-1"), "max_new_tokens=-1 is not possible"),
        (("i", "--seed", "-1"), "--seed"),
        (("i", "--top-k", "many"), "--top-k"),
        (("--ids", "24"), "There is no token 24"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("generate", *FRESH, *arguments)


def test_asking_for_text_needs_a_tokenizer(refused):
    assert "no tokenizer" in refused("generate", "lesson-3", "--random", "0", typed="hello\n")


@pytest.mark.parametrize("options", [(), ("--dtype", "float64"), ("--top-k", "3", "--seed", "5")])
def test_torch_gives_the_same_text(run, options):
    asked = ("generate", *FRESH, "i am", *options)
    plain, by_torch = run(*asked), run(*asked, "--engine", "torch", "--device", "cpu")
    assert (by_torch.code, by_torch.out, by_torch.err) == (0, plain.out, plain.err)


def test_torch_generates_in_16_bits(run):
    outcome = run("generate", "baby-groot", "i am", "--engine", "torch", "--dtype", "bfloat16")
    assert (outcome.code, outcome.out) == (0, "i am groot\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "jax"), 'There is no engine "jax": take numpy or torch.'),
        (("--device", "cuda"), 'The NumPy engine has no device "cuda": take the engine torch.'),
        (("--engine", "torch", "--device", "quark"), 'There is no device "quark"'),
        (("--engine", "torch", "--dtype", "int8"), "dtype='int8' is not one of float32, float64"),
    ],
)
def test_an_engine_that_cannot_be_had_is_said_in_a_line(run, options, words):
    outcome = run("generate", *FRESH, "i am", *options)
    assert outcome.code == 2
    assert outcome.err.startswith(f"pellucid: {words}")
    assert outcome.err.count("\n") == 1
