"""docs/names.md: its tables are the program's own, and have everything."""

import subprocess
import sys
from pathlib import Path

from pellucid.decoder.titles import EXTRA_TITLES, PARAMETER_TITLES, TITLES
from pellucid.interop.aliases.transformer_lens import IN_BLOCKS, NOT_THE_SAME, OUTSIDE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
FIRST = {line.split("|")[1].strip() for line in PAGE.splitlines() if line.startswith("|")}


def test_the_tables_are_up_to_date():
    check = [sys.executable, str(ROOT / "scripts" / "make-names"), "--check"]
    assert subprocess.run(check, cwd=ROOT).returncode == 0, "run scripts/make-names"


def test_every_name_stands_in_a_table():
    ours = [name for name in (*TITLES, *PARAMETER_TITLES) if not name.endswith("dropout")]
    theirs = [name for name in (*OUTSIDE, *IN_BLOCKS, *NOT_THE_SAME) if "._" not in name]
    endings = [f".{ending}" for ending in EXTRA_TITLES if ending != "kept"]
    for name in (*ours, *theirs, *endings):
        assert {f"`{name}`", f"`blocks.i.{name}`"} & FIRST, name
