"""Ctrl-C ends the step and saves; twice, it interrupts as it does elsewhere."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import pellucid
from pellucid.training.interrupt import interruptible
from tests.training.texts import DOCUMENT, SMALL

CHILD = """
import signal
import sys
import pellucid
from tests.training.texts import DOCUMENT, SMALL

signal.signal(signal.SIGINT, signal.default_int_handler)

def on_step(report):
    if report.step == 3:
        print("three", flush=True)

options = SMALL | {"steps": 1_000_000, "every": 1_000_000}
run = pellucid.train(DOCUMENT, out=sys.argv[1], on_step=on_step, on_notice=print, **options)
print(len(run.history), run.finished)
"""


@pytest.fixture(autouse=True)
def usual_handler():
    """Python's own, which a shell's background job does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_ctrl_c_ends_the_step_and_saves(tmp_path):
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "three\n"
        child.send_signal(signal.SIGINT)
        notice, outcome = child.stdout.read().splitlines()
    assert child.returncode == 0
    steps, finished = outcome.split()
    assert finished == "False"
    assert notice == f"Stopped after step {steps} of 1000000. Go on with --resume {tmp_path}."
    run = pellucid.train(DOCUMENT, resume=tmp_path, steps=int(steps) + 1)
    assert [step.step for step in run.history] == [int(steps) + 1]


def test_the_first_is_noted_and_the_second_interrupts():
    with pytest.raises(KeyboardInterrupt), interruptible() as interrupt:  # noqa: PT012
        assert not interrupt.wished
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.wished
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_being_asked_to_end_is_noted_however_often_where_that_is_wished():
    with interruptible(termination=True) as interrupt:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
        assert interrupt.wished
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with interruptible():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_whoever_has_a_handler_keeps_it():
    seen: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with interruptible() as interrupt:
            os.kill(os.getpid(), signal.SIGINT)
        assert (seen, interrupt.wished) == ([signal.SIGINT], False)
    finally:
        signal.signal(signal.SIGINT, usual)


def test_in_another_thread_it_leaves_signals_alone():
    runs: list[object] = []

    def train():
        runs.append(pellucid.train(DOCUMENT, **SMALL))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert len(runs) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
