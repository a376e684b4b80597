"""What importing Pellucid costs, and which folder may import which."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import pellucid

ROOT = Path(__file__).parents[1]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS, NO_TEXT, PURE_VIEWS = LINTER["contracts"]


def modules_loaded_by(statement):
    """Return the top-level modules, the standard library's left out, that `statement` loads."""
    program = (
        f"import sys\nbefore = set(sys.modules)\n{statement}\nprint(*set(sys.modules) - before)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in run.stdout.split()} - sys.stdlib_module_names


def test_importing_the_package_loads_nothing_else():
    assert modules_loaded_by("import pellucid") == {"pellucid"}


def test_the_command_line_starts_without_numpy():
    loaded = modules_loaded_by("import pellucid.cli.main")
    assert not loaded & {"numpy", "tokenizers", "safetensors", "msgspec", "threadpoolctl", "torch"}


def test_using_the_package_does_not_load_torch():
    loaded = modules_loaded_by(
        "import pellucid\nfor name in pellucid.__all__: getattr(pellucid, name)"
    )
    assert "numpy" in loaded
    assert "torch" not in loaded


@pytest.mark.parametrize("name", pellucid.__all__)
def test_every_public_name_resolves_and_is_listed(name):
    assert getattr(pellucid, name) is getattr(pellucid, name)
    assert name in dir(pellucid)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        _ = pellucid.Modle


def test_type_checkers_see_each_name_where_it_really_lives():
    tree = ast.parse(Path(pellucid.__file__).read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {}
    for statement in ast.walk(block):
        if isinstance(statement, ast.ImportFrom):
            (alias,) = statement.names
            module = statement.module == "pellucid" or alias.asname != alias.name
            home = f"{statement.module}.{alias.name}" if module else statement.module
            seen[alias.asname] = home
    assert seen == pellucid._HOMES


# Import contracts


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package and its contracts, to plant imports in."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(
        ROOT / "pellucid", folder / "pellucid", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def broken_contracts(folder):
    """Return the names of the contracts that the import linter finds broken in `folder`."""
    linter = Path(sys.executable).with_name("lint-imports")
    wide = {**os.environ, "COLUMNS": "200"}  # A wrapped name would not be recognised.
    run = subprocess.run(
        [linter, "--no-cache"], cwd=folder, env=wide, capture_output=True, text=True
    )
    broken = re.findall(r"^(.+) BROKEN", run.stdout, flags=re.MULTILINE)
    assert bool(broken) == (run.returncode != 0), run.stdout + run.stderr
    return broken


def broken_by(folder, importer, line):
    """Return the names of the contracts that `line`, planted in the module `importer`, breaks."""
    path = folder / importer.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    unplanted = source.read_text()
    source.write_text(f"{unplanted}\n{line}\n")
    try:
        return broken_contracts(folder)
    finally:
        source.write_text(unplanted)


def neighbours():
    """Return each layer with the layer above it, which it may not import."""
    layers = [layer.split(" | ") for layer in LAYERS["layers"]]
    return [(low, high) for above, below in pairwise(layers) for low in below for high in above]


def test_every_folder_has_its_place_in_the_layers():
    layers = {name for layer in LAYERS["layers"] for name in layer.split(" | ")}
    folders = {f"pellucid.{path.parent.name}" for path in ROOT.glob("pellucid/*/__init__.py")}
    assert layers == folders | {"pellucid.errors", "pellucid.files", "pellucid.showing"}


def test_the_package_keeps_its_contracts(copy):
    assert broken_contracts(copy) == []


@pytest.mark.parametrize(("importer", "imported"), neighbours())
def test_an_import_from_the_layer_above_breaks_the_layers(copy, importer, imported):
    assert LAYERS["name"] in broken_by(copy, importer, f"import {imported}")


def test_text_and_mathematics_do_not_know_each_other(copy):
    assert LAYERS["name"] in broken_by(copy, "pellucid.ops", "import pellucid.text")
    assert LAYERS["name"] in broken_by(copy, "pellucid.text", "import pellucid.ops")


@pytest.mark.parametrize("importer", NO_TEXT["source_modules"])
def test_what_works_on_ids_knows_no_text(copy, importer):
    assert NO_TEXT["name"] in broken_by(copy, importer, "import pellucid.text")


@pytest.mark.parametrize("imported", PURE_VIEWS["forbidden_modules"])
def test_views_run_nothing(copy, imported):
    assert broken_by(copy, "pellucid.views", f"import {imported}") == [PURE_VIEWS["name"]]


@pytest.mark.parametrize("guard", ["if TYPE_CHECKING:", "def later():"])
def test_an_import_that_is_guarded_or_put_off_counts_too(copy, guard):
    planted = f"from typing import TYPE_CHECKING\n{guard}\n    import pellucid.decoder"
    assert LAYERS["name"] in broken_by(copy, "pellucid.text", planted)
