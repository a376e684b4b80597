"""A process of its own in which a chat template runs, shut in: little memory, little time.

Reads JSON from standard input: `template`, `variables`, and what it may take. Writes JSON to
standard output: `{"text": …}`, or `{"refused": kind, "said": …}`. Knows nothing of this program.
A template is a program that came with a model: its language has loops, sums and recursion.
"""

import json
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace


class Refusal(TemplateError):
    """What a template says itself of a conversation that it does not write down."""


class Generation(Extension):
    """`{% generation %}…{% endgeneration %}` around what a model wrote: a mark for training."""

    tags = {"generation"}  # noqa: RUF012 (The library looks for a plain set.)

    def parse(self, parser: Parser) -> nodes.Node:
        """The statement as the block inside it."""
        line = next(parser.stream).lineno
        inside = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(inside, lineno=line)


class Names(Namespace):
    """`namespace()`, with no names that Python keeps for itself."""

    def __setitem__(self, name: str, value: Any) -> None:
        """Refuse what begins with an underscore."""
        check_name(name)
        super().__setitem__(name, value)


def namespace(*mappings: Mapping[str, Any], **values: Any) -> Names:
    """A namespace of these values."""
    named = dict(*mappings, **values)
    for name in named:
        check_name(name)
    return Names(named)


def check_name(name: Any) -> None:
    """Raise SecurityError for a name that begins with an underscore."""
    if str(name).startswith("_"):
        raise SecurityError(f"a namespace cannot have {name!r}")


def refuse(said: str) -> None:
    """`raise_exception`: a template says that it does not write this conversation down."""
    raise Refusal(str(said))


def to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """`tojson`: without the escapes for HTML that the library makes."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def environment() -> ImmutableSandboxedEnvironment:
    """The language as `transformers` gives it to templates."""
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    given: dict[str, Callable[..., Any]] = {
        "raise_exception": refuse,
        "strftime_now": lambda form: datetime.now().strftime(form),
        "dict": lambda *args, **values: dict(*args, **values),
        "namespace": namespace,
    }
    made.globals.update(given)
    made.filters["tojson"] = to_json
    return made


def write_down(template: str, variables: Mapping[str, Any], *, most: int) -> str:
    """What a template makes of its variables, unless it is more than so many characters."""
    pieces, length = [], 0
    for piece in environment().from_string(template).generate(**variables):
        length += len(piece)
        if length > most:
            raise OverflowError
        pieces.append(piece)
    return "".join(pieces)


def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The text, or why there is none."""
    try:
        text = write_down(asked["template"], asked["variables"], most=asked["characters"])
        # Half a surrogate pair is no text.
        text.encode()
    except Refusal as error:
        return {"refused": "by itself", "said": str(error.message)}
    except TemplateSyntaxError as error:
        return {"refused": "unreadable", "said": f"line {error.lineno}: {error.message}"}
    except SecurityError as error:
        return {"refused": "forbidden", "said": str(error)}
    except OverflowError:
        return {"refused": "too long", "said": ""}
    except RecursionError:
        return {"refused": "too deep", "said": ""}
    except MemoryError:
        return {"refused": "too much", "said": ""}
    except Exception as error:  # A template may go wrong in every way in which Python can.
        return {"refused": "failed", "said": f"{type(error).__name__}: {error}"}
    return {"text": text}


def shut_in(memory: int, seconds: int) -> None:
    """Let this process have so many bytes and seconds of computing, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for limit, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        hard = resource.getrlimit(limit)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, hard))


if __name__ == "__main__":
    question = json.loads(sys.stdin.buffer.read())
    shut_in(question["memory"], question["seconds"])
    sys.stdout.buffer.write(json.dumps(answer(question)).encode())
