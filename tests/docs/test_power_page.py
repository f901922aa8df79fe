"""The table of docs/claims.md that `make power` writes: lines that are there are kept."""

from tests.docs.power import BEGIN, END, INNOCENTS, LINES, UNKNOWN, known_rows, with_rows
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "claims.md").read_text("utf-8")


def test_the_lines_of_the_page_are_read_and_written_again() -> None:
    assert known_rows(PAGE)
    assert with_rows(PAGE, known_rows(PAGE)) == PAGE


def test_a_line_is_put_in_its_place_among_those_that_are_kept() -> None:
    empty = f"above\n{BEGIN}\n{END}\nbelow\n"
    first, last = ({INNOCENTS: "0/60"}, {"old": "58/60", INNOCENTS: "1/60"})
    text = with_rows(with_rows(empty, {LINES[-1]: last}), {LINES[0]: first, LINES[-1]: last})
    assert known_rows(text) == {LINES[0]: first, LINES[-1]: last}
    assert text.index("| plain |") < text.index("| old | old |")
    assert f"| {UNKNOWN} {UNKNOWN} 58/60 |" in text
    assert text.startswith("above\n") and text.endswith("\nbelow\n")
