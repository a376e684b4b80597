"""The command line's front door: which commands there are, and what becomes of their errors.

A command lives in the file of its name and is imported when it is called, so that asking for help
loads none of what the work itself needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import pellucid
from pellucid.cli.output import WRONG_INPUT, complain
from pellucid.errors import PellucidError, did_you_mean

COMMANDS = {
    "tour": "Train a small model and walk through it, number by number.",
    "train": "Train a model on text, and save it as it goes.",
    "film": "Watch a training again, step by step.",
    "eval": "Measure how well a model predicts a text.",
    "trace": "Run a model over a prompt and show every tensor.",
    "explore": "Open a model in the browser, where every number answers.",
    "explain": "Show where one number came from, down to weights and ids.",
    "paths": "Show what each part of the decoder adds to a logit.",
    "lens": "Show what a model would say at each place of its stream.",
    "heads": "Show what each attention head looks at.",
    "rollout": "Show how attention adds up over the blocks.",
    "check": "Work a model's numbers out again, and verify what must hold.",
    "compare": "Find the first tensor in which two runs really differ.",
    "pairs": "Show what differs between two prompts, token by token.",
    "patch": "Find which part of a run brings an answer back.",
    "tokens": "Show how a model cuts a text into tokens.",
    "generate": "Continue a prompt, and show how each token was chosen.",
    "diagram": "Draw what a model is made of, and what flows where.",
    "import": "Turn another program's model into a folder of ours.",
    "export": "Write a model as a folder that transformers opens.",
    "info": "Count a model's parameters, operations and bytes.",
    "reproduce": "Hold two published models against their printed figures.",
}
"""Every command with its summary, in the order in which help lists them."""

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
READER_GONE = 1


def in_python(command: str) -> str:
    """The name of a command's file and function: Python keeps some words for itself."""
    return f"{command}_" if iskeyword(command) else command


class Commands(TyperGroup):
    """Finds a command by its name and imports its file then, not before."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            near = did_you_mean(cmd_name, COMMANDS) or f" There are {', '.join(COMMANDS)}."
            raise PellucidError(f'There is no command "{cmd_name}".{near}')
        name = in_python(cmd_name)
        module = import_module(f"pellucid.cli.{name}")
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        app.command(cmd_name, context_settings=SETTINGS)(getattr(module, name))
        return typer.main.get_command(app)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)


def print_version(asked: bool) -> None:
    """Print the version and leave, before anything else is looked at."""
    if asked:
        typer.echo(f"pellucid {pellucid.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def front(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """A decoder-only transformer you can see through."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    0: done. 1: a check did not hold, or the reader of the output went away. 2: something that was
    given cannot be used, and one line on standard error says what and why. 130: interrupted.
    """
    open_streams()
    command = typer.main.get_command(app)
    try:
        code = command.main(arguments, prog_name="pellucid", standalone_mode=False)
        sys.stdout.flush()
    except PellucidError as error:
        complain(str(error))
        return WRONG_INPUT
    except typer.TyperException as error:
        complain(f"{error.format_message().rstrip('.')}.{where_to_read(error)}")
        return WRONG_INPUT
    except BrokenPipeError:
        silence_stdout()
        return READER_GONE
    except OSError as error:
        complain(f"{error.filename or 'The output'} cannot be used: {error.strerror or error}.")
        silence_stdout()
        return WRONG_INPUT
    except MemoryError as error:
        complain(f"There is not enough memory for this. {error}")
        return WRONG_INPUT
    return code or 0


def open_streams() -> None:
    """Give a process that was started without standard streams some that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def silence_stdout() -> None:
    """Send what is still to be printed nowhere: Python flushes as it ends, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def where_to_read(error: typer.TyperException) -> str:
    """Where a wrong use of a command is put right: that command's help."""
    context = getattr(error, "ctx", None)
    return f" See {context.command_path} --help." if context is not None else ""
