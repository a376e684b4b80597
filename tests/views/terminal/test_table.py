"""A table on a terminal keeps numbers whole and words readable, within the width."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.scene import Table
from pellucid.views.terminal.page import Page
from pellucid.views.terminal.table import draw_table

CELLS = (
    st.none()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=60)
)


@st.composite
def tables(draw):
    columns = draw(st.lists(st.text(max_size=12), min_size=1, max_size=8).map(tuple))
    row = st.tuples(*[CELLS] * len(columns))
    return Table(draw(st.none() | st.text()), columns, draw(st.lists(row, max_size=8).map(tuple)))


def plain(table, width=80, **page):
    return [line.plain.rstrip() for line in draw_table(table, Page(width=width, **page))]


@given(tables(), st.integers(60, 200))
def test_no_line_is_wider_than_the_page(table, width):
    for line in draw_table(table, Page(width=width)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


def test_words_stand_left_and_numbers_by_their_points():
    table = Table(
        "Top five",
        ("token", "id", "logit", "probability"),
        (("leaf", 13, 5.125, 1 / 3), ("[b]x[/b]", 7, -15.25, 0.0)),
        note="Of **24** tokens.",
    )
    assert plain(table) == [
        "Top five",
        "  token     id    logit  probability",
        "  ──────────────────────────────────",
        "  leaf      13    5.125        0.333",
        "  [b]x[/b]   7  -15.250        0",
        "  Of 24 tokens.",
    ]


def test_numbers_that_come_as_text_stand_by_their_points_too():
    lines = plain(Table(None, ("share", "of"), (("9.5 %", "1,024"), ("12.25 %", "7"))))
    assert lines[2:] == ["   9.5 %   1,024", "  12.25 %      7"]


def test_alignment_can_be_asked_for():
    table = Table(None, ("a", "b"), ((1, 2), ("xx", "yyy")), align=("right", "left"))
    assert plain(table)[2:] == ["   1  2", "  xx  yyy"]


def test_long_words_wrap_inside_their_own_column():
    words = "what each position hands over when it is looked at"
    table = Table(None, ("tensor", "what it is", "n"), (("blocks.0.attn.v", words, 32),))
    lines = plain(table, width=50)
    start = lines[0].index("what")
    assert lines[2].startswith("  blocks.0.attn.v  what")
    assert lines[2].endswith("  32")
    assert all(line[:start].isspace() for line in lines[3:])
    assert " ".join(line[start:].split("  ")[0].strip() for line in lines[2:]) == words


def test_columns_that_the_page_cannot_hold_are_named():
    names = tuple(f"column_{index}" for index in range(12))
    numbers = tuple(1234567.1 * (n + 1) for n in range(12))
    head, _, row, *told = plain(Table(None, names, (numbers,)), width=60)
    kept = len(head.split())
    assert 0 < kept < 12
    assert head.split() == list(names[:kept])
    assert row.split() == [f"{number:.2e}".replace("e+0", "e") for number in numbers[:kept]]
    words = " ".join(line.strip() for line in told)
    assert words == f"Not shown at 60 columns: {', '.join(names[kept:])}."


def test_a_table_longer_than_the_page_shows_both_ends_and_says_so():
    table = Table(None, ("n", "square"), tuple((n, n * n) for n in range(100)))
    lines = plain(table, lines=20)
    assert lines[-1] == "  Shown: 19 of 100 rows (0–13, 95–99)."
    shown = [int(line.split()[0]) for line in lines[2:-1] if "⋮" not in line]
    assert shown == [*range(14), *range(95, 100)]
    assert [line.strip() for line in lines].index("⋮") == 2 + 14


def test_a_table_without_rows_is_its_head():
    assert plain(Table("Empty", ("a", "b"), ())) == ["Empty", "  a  b", "  ────"]
