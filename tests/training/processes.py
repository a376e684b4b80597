"""Several processes of one program, as torchrun would start them, but sooner."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack

LONGEST = 240
"""Seconds: far more than any takes; a hang is to fail and not to last."""

LEAVE = """
from pellucid.training.leaving import leave
leave(0)
"""
"""How every program here ends that gets to its end."""


def run_together(program, *arguments, size, on_each_machine=None):
    """Run a program `size` times side by side; returns what each wrote, by rank.

    With `on_each_machine` the processes are told that so many of them share a machine.
    """
    per_machine = on_each_machine or size
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program + LEAVE, *map(str, arguments)]
    with ExitStack() as stack:
        children = []
        for rank in range(size):
            own = {
                "RANK": rank,
                "WORLD_SIZE": size,
                "LOCAL_RANK": rank % per_machine,
                "LOCAL_WORLD_SIZE": per_machine,
            }
            child = subprocess.Popen(
                command,
                env=os.environ | common | {name: str(value) for name, value in own.items()},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(child.kill)
            children.append(child)
        return [(*child.communicate(timeout=LONGEST), child.returncode) for child in children]


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
