"""The whole way in a few sentences."""

import shlex

import numpy as np
import pytest

import pellucid
from pellucid.cli.main import main
from pellucid.tour.recap import commands, recap
from pellucid.tour.summary import summary
from tests.tour.conftest import lesson_of
from tests.tour.scenes import words


def test_the_sizes_and_the_answer_are_this_tours(lesson):
    said = words(recap(lesson))
    assert '"i am groot" became 4 ids, the ids became rows of 8 numbers' in said
    assert "24 logits" in said
    assert '"<END>" got' in said
    assert "968 numbers" in said


def test_the_last_part_ends_with_it(lesson):
    assert summary(lesson)[-len(recap(lesson)) :] == recap(lesson)


# Ask on


def test_the_model_that_is_named_is_the_one_just_trained(lesson):
    assert "just trained, with seed 0, is the one that comes with the program as baby-groot" in (
        words(recap(lesson))
    )
    shipped = pellucid.load("baby-groot").parameters
    for name, values in lesson.model.parameters.items():
        assert np.allclose(values, shipped[name], atol=1e-4)


def test_another_seed_or_corpus_or_a_given_model_is_not_said_to_be_shipped(given):
    for other in (lesson_of(seed=1), lesson_of(corpus=["sun up", "sun down"]), given):
        assert not any("baby-groot" in command for command in commands(other))
        assert "comes with the program" not in words(recap(other))


def test_the_questions_are_of_cells_seen_in_the_tour(lesson):
    assert commands(lesson) == (
        'pellucid explain baby-groot "i am groot" "blocks.0.attn.scores[query=am,key=i]"',
        'pellucid paths baby-groot "i am groot" "logits[position=-1,vocab=<END>]"',
        'pellucid tour --prompt "rocket helps"',
    )
    assert all(command in words(recap(lesson)) for command in commands(lesson))


def test_every_command_can_be_run_as_it_stands(any_lesson, tmp_path, capsys):
    folder, corpus = tmp_path / "model", tmp_path / "sentences.txt"
    any_lesson.model.save(folder)
    corpus.write_text("\n".join(any_lesson.corpus.sentences), encoding="utf-8")
    for command in commands(any_lesson):
        program, *arguments = shlex.split(command)
        places = {"MODEL": str(folder), "FILE": str(corpus)}
        arguments = [places.get(argument, argument) for argument in arguments]
        if arguments[0] == "tour":
            arguments += ["--part", "1"]
        assert (program, main(arguments)) == ("pellucid", 0), capsys.readouterr().err


def test_a_corpus_of_ones_own_is_trained_as_it_says(tmp_path, capsys):
    said = words(recap(lesson_of(corpus=["sun up", "sun down"], seed=3)))
    assert "pellucid train FILE --preset baby-groot --seed 3 --out MODEL" in said
    corpus = tmp_path / "sentences.txt"
    corpus.write_text("sun up\nsun down\n", encoding="utf-8")
    out = str(tmp_path / "model")
    code = main(["train", str(corpus), "--preset", "baby-groot", "--seed", "3", "--out", out])
    assert code == 0, capsys.readouterr().err
    assert pellucid.load(out).config == lesson_of(corpus=["sun up", "sun down"]).model.config


@pytest.mark.parametrize("label", ["a,b", '"', "[link]", "3", "a=b", "back\\slash", "don't", "`x`"])
def test_labels_of_any_kind_can_be_asked_for(label, tmp_path, capsys):
    lesson = lesson_of(corpus=[f"{label} {label} end", "other words"])
    lesson.model.save(tmp_path / "model")
    for command in commands(lesson)[:2]:
        arguments = shlex.split(command.replace("MODEL", str(tmp_path / "model")))[1:]
        assert main(arguments) == 0, capsys.readouterr().err
