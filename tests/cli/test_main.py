"""The front door: help, unknown commands, and what becomes of errors and interruptions."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import pellucid
from pellucid.cli import main as front


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, **options
    )


@pytest.mark.parametrize("asking", [(), ("--help",), ("-h",)])
def test_help_lists_every_command_with_its_summary(run, asking):
    outcome = run(*asking)
    assert outcome.code == 0
    for name, summary in front.COMMANDS.items():
        (line,) = (line for line in outcome.out.splitlines() if line.strip().startswith(f"{name} "))
        assert line.split(maxsplit=1)[1] == summary


@pytest.mark.parametrize("name", front.COMMANDS)
def test_a_commands_help_begins_with_its_summary(run, name):
    outcome = run(name, "--help")
    assert outcome.code == 0
    assert f"Usage: pellucid {name} " in outcome.out
    assert f"\n  {front.COMMANDS[name]}\n" in outcome.out


def test_a_command_lives_in_the_file_of_its_name():
    for file in map(front.in_python, front.COMMANDS):
        assert callable(getattr(import_module(f"pellucid.cli.{file}"), file))


@pytest.mark.parametrize("asking", ["--help", "--version", "trase"])
def test_the_front_door_loads_nothing_heavy(asking):
    program = (
        f"import sys\nfrom pellucid.cli.main import main\nmain([{asking!r}])\n"
        "print('loaded', *sys.modules, file=sys.stderr)"
    )
    (loaded,) = (x for x in python("-c", program).stderr.splitlines() if x.startswith("loaded"))
    heavy = {"numpy", "rich", "tokenizers", "safetensors", "msgspec", "threadpoolctl", "torch"}
    assert not heavy & {name.split(".")[0] for name in loaded.split()}


def test_version(run):
    assert run("--version").out == f"pellucid {pellucid.__version__}\n"


def test_an_unknown_command_is_met_with_near_ones(refused):
    assert refused("trase") == 'There is no command "trase". Did you mean trace, train?'


def test_a_command_like_no_other_is_met_with_all(refused):
    assert all(name in refused("zzz") for name in front.COMMANDS)


@pytest.mark.parametrize(
    "arguments", [("tokens",), ("trace",), ("tokens", "baby-groot", "i", "am"), ("info", "--jsn")]
)
def test_a_wrong_usage_says_where_to_read_on(refused, arguments):
    assert refused(*arguments).endswith(f"See pellucid {arguments[0]} --help.")


def test_an_interruption_is_quiet(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    outcome = run("generate", "baby-groot", "--random", "0")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "")


def test_the_module_is_the_command_line():
    done = python("-m", "pellucid", "tokens", "baby-groot", "i am", "--json")
    assert done.returncode == 0
    assert done.stdout == '{"text": "i am", "ids": [1, 11, 3], "tokens": ["<START>", "i", "am"]}\n'
    assert done.stderr == ""


def test_a_users_mistake_ends_the_process_with_2_and_no_traceback():
    done = python("-m", "pellucid", "tokens", "baby-groot", "i am gruut")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith('pellucid: "gruut" is not in this vocabulary of 24 tokens.')
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", ["info gpt2", "info gpt2 --json", "tokens baby-groot i --json", "--help"]
)
def test_a_reader_that_goes_away_is_no_error(arguments, unbuffered):
    pipe = f"{{ {sys.executable} -m pellucid {arguments}; echo $? >&2; }} | true"
    surroundings = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", pipe], capture_output=True, text=True, timeout=60, env=surroundings
    )
    assert done.stderr in ("0\n", "1\n")


def test_output_that_cannot_write_unicode_gets_plain_characters():
    done = python(
        "-X", "utf8=0", "-m", "pellucid", "trace", "baby-groot", "i am", "--random", "0", "--show",
        "blocks.0.attn.masked_scores", env={"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "-inf" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="the shell's way to close a stream")
@pytest.mark.parametrize("shut", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_without_standard_streams_the_work_is_done_all_the_same(shut):
    command = f"{sys.executable} -m pellucid tokens baby-groot groot {shut}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="the shell's way to close a stream")
@pytest.mark.parametrize("shut", ["2>&-", ">&- 2>&-"])
def test_a_mistake_that_nobody_can_be_told_of_still_ends_with_2(shut):
    command = f"{sys.executable} -m pellucid tokens baby-groot tree-house {shut}"
    assert subprocess.run(command, shell=True, capture_output=True, check=False).returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is full")
def test_a_disk_that_is_full_is_said_in_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pellucid", "info", "baby-groot"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "pellucid: The output cannot be used: No space left on device.\n"


def test_more_than_fits_into_memory_is_said_in_one_line(refused, monkeypatch):
    def starve(*_, **__):
        raise MemoryError("Unable to allocate 60 GiB")

    monkeypatch.setattr("pellucid.cli.models.open_tokenizer", starve)
    said = refused("tokens", "baby-groot", "groot")
    assert said == "There is not enough memory for this. Unable to allocate 60 GiB"
