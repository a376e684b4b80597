"""A template writes what it writes elsewhere, and cannot do, take or say more than that."""

import sys
import time

import pytest
from jinja2.exceptions import TemplateError

from pellucid.errors import PellucidError
from pellucid.text import chat_template
from pellucid.text.chat_process import write_down
from pellucid.text.chat_template import CHARACTERS, apply_template


def refused(template, **variables):
    with pytest.raises(PellucidError) as caught:
        apply_template(template, variables)
    said = str(caught.value)
    assert "\n" not in said
    assert said.isprintable()
    assert len(said) < 500
    return said


def test_a_template_writes_its_variables_down():
    template = "{% for word in words %}\n{{ loop.index }} {{ word }}{% endfor %}"
    assert apply_template(template, {"words": ["ash", "🌳 é"]}) == "1 ash2 🌳 é"
    assert apply_template("{{ unknown }}|", {}) == "|"
    assert apply_template("{{ {'é': '<'} | tojson }}", {}) == '{"é": "<"}'


def test_a_sandbox_is_what_it_runs_in():
    assert "no template may: access to attribute '__class__'" in refused("{{ ''.__class__.x }}")


ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ messages.append(1) }}",
    "{{ namespace(__class__=1) }}",
    "{% set ns = namespace() %}{% set ns.__init__ = 1 %}",
    "{{ raise_exception.__globals__.os }}",
    "{{ (messages | attr('__class__')).x }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(messages) }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
]


@pytest.mark.parametrize("template", ESCAPES)
def test_nothing_leads_out_of_the_sandbox(template):
    with pytest.raises((TemplateError, TypeError)):
        write_down(template, {"messages": []}, most=99)


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a' * 10 ** 10 }}",
        "{{ '%999999999999d' % 1 }}",
        "{% set n = namespace(x='a') %}{% for _ in range(60) %}{% set n.x = n.x * 2 %}{% endfor %}",
    ],
)
def test_memory_is_bounded(template):
    assert "more than 536,870,912 bytes" in refused(template)


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 9 ** (9 ** 9) }}",
    ],
)
def test_time_is_bounded(template, monkeypatch):
    monkeypatch.setattr(chat_template, "SECONDS", 1)
    began = time.monotonic()
    assert "takes more than 1 seconds" in refused(template)
    assert time.monotonic() - began < 10


def test_the_text_is_bounded():
    at_most = "{{ 'ab' * " + str(CHARACTERS // 2) + " }}"
    assert len(apply_template(at_most, {})) == CHARACTERS
    assert "more than 4,194,304 characters" in refused(at_most + "a")


def test_a_template_may_refuse_a_conversation():
    template = "{{ raise_exception('Roles must alternate!') }}"
    assert refused(template) == (
        "The chat template does not take this conversation: Roles must alternate!"
    )
    refused("{{ raise_exception('\x1b[2J\n' * 999) }}")


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a\n{% if %}", "cannot be read: line 2: "),
        ("{{ 1 / 0 }}", "fails on this conversation: ZeroDivisionError"),
        ("{{ x.y.z }}", "fails on this conversation: UndefinedError: 'x' is undefined"),
        ("{{ '\\ud800' }}", "fails on this conversation: UnicodeEncodeError"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself too often|bytes"),
    ],
)
def test_what_goes_wrong_is_told(template, said):
    with pytest.raises(PellucidError, match=said):
        apply_template(template, {})


def test_variables_are_plain_data():
    with pytest.raises(PellucidError, match="plain text and numbers"):
        apply_template("", {"messages": [object()]})
    with pytest.raises(PellucidError, match="plain text and numbers"):
        apply_template("", {"messages": ["\ud800"]})


def test_without_the_library_the_error_says_how_to_bring_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[chat\]'"):
        apply_template("", {})
