"""The engine in the page is held to the NumPy engine: every tensor, and how each was made."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import pellucid
from tests.browser.fixtures import write_fixture, write_kinds
from tests.small_models import OPTIONS, WORDS, small_model

WEB = Path(__file__).parents[2] / "web"


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fixtures")
    for name in OPTIONS:
        model = small_model(name, dtype="float32", tokenizer=WORDS)
        write_fixture(folder, name, model, [1, 4, 7, 4, 9, 3])
    groot = pellucid.load("baby-groot")
    write_fixture(folder, "baby-groot", groot, list(groot.trace("i am groot").ids))
    write_kinds(folder)
    return folder


def test_every_tensor_and_every_explanation_is_the_same_in_the_browser(fixtures):
    environment = {**os.environ, "PELLUCID_FIXTURES": str(fixtures)}
    command = [shutil.which("npx") or "npx", "vitest", "run", "tests/parity.test.ts"]
    ran = subprocess.run(
        command, cwd=WEB, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
