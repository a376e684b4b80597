"""What a command prints."""

import io
import json
import sys

import numpy as np

from pellucid.cli import output


def test_json_is_valid_and_spells_what_it_lacks(capsys):
    output.write_json({"a": np.array([[1.5, -np.inf]]), "b": (np.inf, np.nan), "c": np.int64(3)})
    text = capsys.readouterr().out
    assert text.count("\n") == 1
    assert json.loads(text, parse_constant=lambda name: 1 / 0) == {
        "a": [[1.5, "-Infinity"]],
        "b": ["Infinity", "NaN"],
        "c": 3,
    }


def test_float32_survives_json_exactly(capsys):
    numbers = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    output.write_json(numbers)
    back = np.array(json.loads(capsys.readouterr().out), dtype=np.float32)
    np.testing.assert_array_equal(back, numbers)


def test_json_reads_the_same_whatever_the_output_can_write(monkeypatch):
    for encoding in ("utf-8", "ascii", "cp1252"):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        output.write_json(["␣", "😀"])
        sys.stdout.flush()
        assert json.loads(written.getvalue().decode(encoding)) == ["␣", "😀"]


def test_text_is_said_as_it_is_or_by_its_codes(monkeypatch):
    for encoding, expected in (("utf-8", "☃\n"), ("ascii", "\\u2603\n")):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        output.say("☃")
        sys.stdout.flush()
        assert written.getvalue().decode(encoding).replace("\r", "") == expected


def test_a_complaint_is_one_line(capsys):
    output.complain("this\nis wrong")
    assert capsys.readouterr().err == "pellucid: this is wrong\n"


def test_a_complaint_is_one_line_without_commands_for_the_terminal(capsys):
    output.complain("There is no\n\x1b[31mred\x07 model.")
    assert capsys.readouterr().err == "pellucid: There is no U+001B[31mredU+0007 model.\n"


def test_a_complaint_does_not_quote_a_whole_book(capsys):
    output.complain(f'"{"x" * 100_000}" is not in this vocabulary.')
    said = capsys.readouterr().err
    assert len(said) < 2100
    assert " … " in said
    assert said.endswith('x" is not in this vocabulary.\n')
