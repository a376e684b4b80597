"""`pellucid train`."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

import pellucid
from pellucid.cli.train import train
from pellucid.cli.training_options import flag
from pellucid.training.preparation import TextOptions

NAMES, DEEDS = ("mole", "toad", "wren"), ("sings", "sleeps", "swims")
TINY = (
    *("--n-layer", "1", "--n-head", "2", "--n-embd", "8", "--block-size", "8"),
    *("--batch-size", "4", "--steps", "6", "--every", "3"),
)


@pytest.fixture
def text(tmp_path):
    choose = random.Random(0).choice
    path = tmp_path / "pond.txt"
    lines = [f"the {choose(NAMES)} {choose(DEEDS)}\n" for _ in range(60)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def trained(run, text, tmp_path):
    """The folder of a finished run."""
    assert run("train", str(text), "--out", str(tmp_path / "run"), *TINY).code == 0
    return tmp_path / "run"


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_text_becomes_a_model(run, text, tmp_path):
    outcome = run("train", str(text), "--out", str(tmp_path / "run"), *TINY)
    assert outcome.code == 0
    model = pellucid.load(tmp_path / "run")
    assert model.config.n_embd == 8
    assert model.config.block_size == 8
    assert model.tokenizer is not None
    assert set(model.tokenizer.decode(range(model.config.vocab_size))) == set(text.read_text())


def test_it_is_what_the_same_call_in_python_makes(run, text, tmp_path):
    options = ("--dropout", "0.2", "--learning-rate", "0.01", "--seed", "3", "--clip", "0.5")
    run("train", str(text), "--out", str(tmp_path / "a"), *TINY, *options)
    pellucid.train(
        text,
        out=tmp_path / "b",
        n_layer=1,
        n_head=2,
        n_embd=8,
        block_size=8,
        batch_size=4,
        steps=6,
        every=3,
        dropout=0.2,
        learning_rate=0.01,
        seed=3,
        clip=0.5,
    )
    for name in ("model.safetensors", "metrics.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_every_option_of_a_training_can_be_typed():

    assert TextOptions.__annotations__.keys() <= train.__annotations__.keys()


def test_figures_come_first_and_then_a_line_for_each_validation(run, text, tmp_path):
    out = run("train", str(text), "--out", str(tmp_path / "run"), *TINY).out
    assert out.index("bigram") < out.index("validation  ")
    metrics = lines_of(tmp_path / "run" / "metrics.jsonl")
    validations = {m["step"]: m for m in metrics if "validation_loss" in m}
    losses = {m["step"]: m["loss"] for m in metrics if "loss" in m}
    assert validations.keys() == {0, 3, 6}
    for step in (3, 6):
        (line,) = (line for line in out.splitlines() if line.split()[:1] == [f"{step}/6"])
        said = [float(number) for number in line.split()[1:4]]
        mean = sum(losses[s] for s in range(step - 2, step + 1)) / 3
        held_out = validations[step]
        assert said == pytest.approx(
            [mean, held_out["validation_loss"], held_out["bits_per_byte"]], abs=1e-4
        )


def test_lines_fit_a_terminal_and_have_no_colour_elsewhere(run, text, tmp_path):
    out = run("train", str(text), "--out", str(tmp_path / "run"), *TINY).out
    assert "\x1b" not in out
    assert all(len(line) <= 80 for line in out.split("bigram")[0].splitlines())


def test_without_validation_the_last_step_has_its_line(run, text, tmp_path):
    outcome = run("train", str(text), "--out", str(tmp_path / "run"), *TINY, "--validation", "0")
    assert outcome.code == 0
    assert any(line.split()[:1] == ["6/6"] for line in outcome.out.splitlines())


def test_the_end_of_a_page_says_that_the_last_model_is_kept_and_where_the_best_is(
    run, text, tmp_path
):
    folder = tmp_path / "run"
    options = ("--learning-rate", "0.1", "--clip", "0", "--schedule", "constant", "--every", "2")
    said = run("train", str(text), "--out", str(folder), *TINY, *options).out
    assert "the last model: so short a text is learned by heart" in said
    training, held_out = losses_of(folder)
    means = {step: sum(training[s] for s in range(1, step + 1)) / step for step in (2, 6)}
    assert min(held_out, key=held_out.__getitem__) == 2
    assert (
        f"{folder} holds the last model, after step 6: {means[6]:.4f} in training and "
        f"{held_out[6]:.4f} on what was held out. So short a text is learned by heart"
    ) in said
    assert (
        f"The best on what was held out, after step 2, is {folder / 'checkpoints' / '2'}: "
        f"{means[2]:.4f} in training and {held_out[2]:.4f} on what was held out."
    ) in said
    weights = (folder / "model.safetensors").read_bytes()
    assert weights == (folder / "checkpoints" / "6" / "model.safetensors").read_bytes()


def test_nobody_is_sent_to_a_model_that_has_learned_nothing(run, text, tmp_path):
    options = ("--learning-rate", "5", "--clip", "0")
    said = run("train", str(text), "--out", str(tmp_path / "run"), *TINY, *options).out
    assert "holds the last model, after step 6" in said
    assert (tmp_path / "run" / "checkpoints" / "0").is_dir()
    assert "checkpoints" not in said


def test_a_model_without_a_single_step_does_not_win_in_silence(run, text, tmp_path):
    folder = tmp_path / "run"
    options = ("--learning-rate", "5", "--clip", "0", "--keep", "best")
    said = run("train", str(text), "--out", str(folder), *TINY, *options).out
    assert "the best model on what is held out" in said
    _, held_out = losses_of(folder)
    assert "No step made it better on what was held out" in said
    assert f"before the first step, {held_out[0]:.4f} on what was held out" in said
    assert f"The last, after step 6, is {folder / 'checkpoints' / '6'}: " in said
    assert f"{held_out[6]:.4f} on what was held out." in said


def test_the_best_that_is_the_last_is_said_once(run, text, tmp_path):
    said = run("train", str(text), "--out", str(tmp_path / "run"), *TINY, "--keep", "best").out
    assert f"{tmp_path / 'run'} holds the last model, after step 6" in said
    assert "checkpoints" not in said


def losses_of(folder):
    """Step by step, in training and on what was held out."""
    metrics = lines_of(folder / "metrics.jsonl")
    return (
        {m["step"]: m["loss"] for m in metrics if "loss" in m},
        {m["step"]: m["validation_loss"] for m in metrics if "validation_loss" in m},
    )


def test_the_folder_has_a_picture_of_the_losses(trained):
    assert (trained / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_does_not_fail_for_want_of_a_picture(run, text, tmp_path):
    (tmp_path / "run" / "loss.png").mkdir(parents=True)
    outcome = run("train", str(text), "--out", str(tmp_path / "run"), *TINY)
    assert outcome.code == 0
    assert "loss.png cannot be written" in outcome.out


def test_a_run_is_called_after_its_text(run, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("train", "pond.txt", *TINY).code == 0
    assert (tmp_path / "runs" / "pond" / "model.safetensors").exists()


def test_json_is_all_that_standard_output_has(run, text, tmp_path):
    outcome = run("train", str(text), "--out", str(tmp_path / "run"), *TINY, "--json")
    found = json.loads(outcome.out)
    assert found["finished"]
    assert [each["step"] for each in found["validations"]] == [0, 3, 6]
    assert found["loss"] == min(each["loss"] for each in found["validations"])
    assert found["preflight"]["characters"] == len(text.read_text())
    assert "3/6" in outcome.err


# Dry runs


def test_a_dry_run_has_the_figures_and_leaves_nothing(run, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run("train", str(text), *TINY, "--dry-run", "--json")
    found = json.loads(outcome.out)
    assert found["characters"] == len(text.read_text())
    assert found["training_tokens"] + found["validation_tokens"] == found["tokens"]
    assert found["steps"] == 6
    assert found["tokens_per_step"] == 4 * 8
    assert found["baselines"]["bigram"] < found["baselines"]["unigram"]
    assert list(tmp_path.iterdir()) == [text]


def test_a_dry_run_in_words_says_the_same(run, text):
    data = json.loads(run("train", str(text), *TINY, "--dry-run", "--json").out)
    said = run("train", str(text), *TINY, "--dry-run").out
    assert f"{data['parameters']:,}" in said
    assert f"{data['baselines']['bigram']:.4f}" in said
    assert f"{data['training_tokens']:,} tokens" in said


def test_a_dry_run_says_what_pytorch_trains_on(run, text):
    how = ("--engine", "torch", "--device", "cpu", "--checkpoint-activations", "--dry-run")
    assert "PyTorch on cpu" in run("train", str(text), *TINY, *how).out
    data = json.loads(run("train", str(text), *TINY, *how, "--json").out)
    assert (data["engine"], data["device"], data["processes"]) == ("torch", "cpu", 1)


def test_a_run_is_gone_on_with_by_another_engine(run, trained):
    outcome = run("train", "--resume", str(trained), "--steps", "8", "--engine", "torch")
    assert outcome.code == 0
    assert "engine torch instead of numpy" in outcome.out
    facts = json.loads((trained / "training.json").read_text())
    assert (facts["checkpoint"], facts["execution"]["engine"]) == (8, "torch")


def test_a_dry_run_of_a_resumption_counts_the_steps_taken(run, trained):
    before = sorted(path for path in trained.rglob("*"))
    outcome = run("train", "--resume", str(trained), "--steps", "10", "--dry-run", "--json")
    found = json.loads(outcome.out)
    assert (found["steps_taken"], found["steps"]) == (6, 10)
    assert sorted(path for path in trained.rglob("*")) == before


# Going on


def test_a_finished_run_can_be_made_longer(run, trained):
    outcome = run("train", "--resume", str(trained), "--steps", "9")
    assert outcome.code == 0
    steps = [line["step"] for line in lines_of(trained / "metrics.jsonl")]
    assert sorted(set(steps)) == list(range(10))


def test_a_run_with_nothing_left_to_do_says_so(run, trained):
    outcome = run("train", "--resume", str(trained))
    assert outcome.code == 0
    assert "All 6 steps were taken before" in outcome.out


def test_a_model_is_trained_further_on_another_text(run, trained, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("the wren sleeps\n" * 40, encoding="utf-8")
    options = ("--steps", "4", "--every", "2")
    outcome = run(
        "train", str(other), "--from", str(trained), "--out", str(tmp_path / "b"), *options
    )
    assert outcome.code == 0
    before, after = pellucid.load(trained), pellucid.load(tmp_path / "b")
    assert after.tokenizer is not None
    assert before.tokenizer is not None
    assert after.tokenizer.tokens == before.tokenizer.tokens
    assert after.config == before.config


@pytest.mark.slow
def test_ctrl_c_ends_the_step_saves_and_says_how_to_go_on(text, tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "pellucid", "train", str(text), "--out", str(folder)]
    environment = {**os.environ, "COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*command, *TINY, "--steps", "100000", "--every", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        encoding="utf-8",
    )
    assert process.stdout is not None
    said = ""
    while "50/100,000" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=120)[0]
    assert process.returncode == 130
    assert f"pellucid train --resume {folder}" in said
    assert "Traceback" not in said
    record = json.loads((folder / "training.json").read_text())
    steps = [line["step"] for line in lines_of(folder / "metrics.jsonl")]
    assert record["checkpoint"] == max(steps)
    again = subprocess.run(
        [*command[:4], "--resume", str(folder), "--steps", str(record["checkpoint"] + 2)],
        env=environment,
        capture_output=True,
    )
    assert again.returncode == 0


# Sentences


def test_baby_groot_learns_sentences(run, tmp_path):
    path = tmp_path / "birds.txt"
    path.write_text("birds sing\nfish swim\n", encoding="utf-8")
    outcome = run("train", str(path), "--preset", "baby-groot", "--out", str(tmp_path / "birds"))
    assert outcome.code == 0
    assert run("generate", str(tmp_path / "birds"), "birds").out == "birds sing\n"


# What cannot be


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "nowhere"), "nowhere"),
        (("--resume", "nowhere", "--seed", "1"), "--seed does not go with --resume"),
        (("--resume", "nowhere", "--out", "b"), "--out does not go with --resume"),
        (("--resume", "nowhere", "--batch-size", "3"), "--batch-size does not go with --resume"),
        (("--resume", "nowhere", "--from", "m"), "--from does not go with --resume"),
        (("nowhere.txt",), "nowhere.txt"),
        (("--from", "m", "--preset", "nano"), "--preset does not go with --from"),
        (("--preset", "nanno"), "Did you mean nano"),
        (("--steps", "0"), "steps=0"),
        (("--schedule", "cosin"), "cosine"),
        (("--tokenizer", "charr"), "char"),
        (("--threads", "0"), "threads=0"),
        (("--preset", "baby-groot", "--dry-run"), "--dry-run"),
        (("--preset", "baby-groot", "--steps", "5"), "steps=5"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    own = () if "--resume" in arguments or arguments[0].endswith(".txt") else ("text.txt",)
    (tmp_path / "text.txt").write_text("the mole sings\n" * 60, encoding="utf-8")
    assert said in refused("train", *own, *arguments)


def test_a_text_shorter_than_the_context_is_refused_with_both_lengths(refused, tmp_path):
    (tmp_path / "text.txt").write_text("the mole sings\n", encoding="utf-8")
    message = refused("train", str(tmp_path / "text.txt"), "--out", str(tmp_path / "run"))
    assert "64" in message
    assert "block_size" in message or "--block-size" in message
    assert not (tmp_path / "run").exists()


def test_a_folder_with_a_run_is_not_written_over(refused, trained, text):
    weights = (trained / "model.safetensors").read_bytes()
    message = refused("train", str(text), "--out", str(trained), *TINY)
    assert f"--resume {trained}" in message
    assert (trained / "model.safetensors").read_bytes() == weights


def test_flags_are_spelled_as_they_are_typed():
    assert (flag("batch_size"), flag("from_model")) == ("--batch-size", "--from")
