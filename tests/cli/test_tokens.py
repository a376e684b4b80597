"""`pellucid tokens`."""

import json


def test_each_token_has_a_line_with_its_id(run):
    outcome = run("tokens", "baby-groot", "i am groot")
    rows = [line.split() for line in outcome.out.splitlines()]
    assert outcome.code == 0
    assert rows[-4:] == [
        ["0", "1", "<START>"],
        ["1", "11", "i"],
        ["2", "3", "am"],
        ["3", "8", "groot"],
    ]


def test_json(run):
    assert json.loads(run("tokens", "baby-groot", "we are", "--json").out) == {
        "text": "we are",
        "ids": [1, 22, 5],
        "tokens": ["<START>", "we", "are"],
    }


def test_an_empty_text_is_the_start_token(run):
    assert json.loads(run("tokens", "baby-groot", "", "--json").out)["ids"] == [1]


def test_a_folders_tokenizer_is_its_own(run, folder):
    asked = "i am groot"
    own = run("tokens", str(folder), asked, "--json")
    assert json.loads(own.out) == json.loads(run("tokens", "baby-groot", asked, "--json").out)


def test_an_unknown_word_is_named_with_near_ones(refused):
    assert refused("tokens", "baby-groot", "i am gruut") == (
        '"gruut" is not in this vocabulary of 24 tokens. Did you mean groot?'
    )


def test_a_shape_without_a_vocabulary_says_so(refused):
    assert "without a vocabulary" in refused("tokens", "gpt2", "hello")


def test_a_message_is_written_down_by_the_models_template(run, refused, chatty):
    found = json.loads(run("tokens", str(chatty), "i am groot", "--chat", "--json").out)
    assert found["ids"] == [11, 3, 8, 2]
    assert found["tokens"] == ["i", "am", "groot", "<END>"]
    assert "has no chat template" in refused("tokens", "baby-groot", "i am groot", "--chat")
