"""The parts of the page that need no browser pass their own tests, which are in web/tests."""

import os
import subprocess
from pathlib import Path

from hatch_build import npm_command

WEB = Path(__file__).parents[2] / "web"


def test_the_parts_of_the_page_pass_their_own_tests():
    """All but the engine's, which needs fixtures: test_engine.py makes them."""
    npm, path = npm_command()
    command = [*npm, "exec", "--", "vitest", "run", "--exclude", "tests/parity.test.ts"]
    environment = {**os.environ, "PATH": path}
    ran = subprocess.run(
        command, cwd=WEB, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
