"""docs/notebooks show what really comes out, and say in words only what they show."""

import re
from math import isclose

import pytest

from tests.docs.notebooks import NOTEBOOKS, ROOT, read, run

NAMES = [path.stem for path in NOTEBOOKS]
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-−+]?\d+)?")
# How large a picture is, and how far a stored value lies from the one worked out again, are the
# machine's affair.
NOISE = re.compile(
    r"<Picture size [^>]*>|"
    r"(Worked\s+out\s+again\s+in|(?<=\d),\s+\S+(\s+away\s+from)?\s+the\s+stored\s+value).*?\n\n",
    re.DOTALL,
)
FORMULA = re.compile(r"\$\$.*?\$\$|\$.*?\$|```.*?```|`.*?`|\]\(.*?\)|\(\d{4}\)", re.DOTALL)


@pytest.fixture(params=NOTEBOOKS, ids=NAMES)
def notebook(request):
    return read(request.param)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(cell):
    """What a cell printed and what it came to, as plain text."""
    for output in cell.outputs:
        text = output.text if output.output_type == "stream" else output.data["text/plain"]
        yield NOISE.sub("", text)


def value(number):
    return float(number.replace(",", "").replace("−", "-"))


def unit(number):
    """What one more in the last digit shown is worth."""
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent.replace("−", "-") or 0) - decimals)


def assert_same_text(fresh, stored):
    """Word for word; numbers to one unit of their last digit, where machines may round apart."""
    assert NUMBER.split(fresh) == NUMBER.split(stored)
    for ours, theirs in zip(NUMBER.findall(fresh), NUMBER.findall(stored), strict=True):
        assert isclose(value(ours), value(theirs), abs_tol=1.01 * unit(theirs)), (ours, theirs)


def test_they_are_there():
    assert NAMES == ["baby_groot", "decoder_only_stack"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_fresh_kernel_gives_the_stored_outputs(path):
    for fresh, stored in zip(code_cells(run(path)), code_cells(read(path)), strict=True):
        assert_same_text("\n".join(texts(fresh)), "\n".join(texts(stored)))
        assert kinds(fresh) == kinds(stored)


def kinds(cell):
    """In which forms each output is there: text, HTML, a picture."""
    return [sorted(output.get("data", {})) for output in cell.outputs]


def test_every_cell_was_run_once_from_top_to_bottom(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))


def test_nothing_went_wrong(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"


def test_every_number_in_the_prose_is_in_the_code_or_in_what_came_out(notebook):
    shown = set()
    for cell in code_cells(notebook):
        for text in (cell.source, *texts(cell)):
            shown |= {abs(value(number)) for number in NUMBER.findall(text)}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            quoted = {number.rstrip(",") for number in NUMBER.findall(FORMULA.sub("", cell.source))}
            for number in quoted:
                # Counting on one's fingers needs no proof.
                assert len(number) == 1 or abs(value(number)) in shown, (number, cell.source)


def test_links_lead_somewhere(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#]+)\)", cell.source):
                assert (ROOT / "docs" / "notebooks" / target).exists(), target


def test_nothing_is_stored_of_the_machine_or_the_hour(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}
    for cell in notebook.cells:
        assert not cell.metadata
        assert str(ROOT) not in str(cell)
