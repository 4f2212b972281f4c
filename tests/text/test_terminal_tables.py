"""Tables for the terminal: aligned for every script, and made of text only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from terminal_safety import find_unsafe_characters

from adk_agent_sim.text.terminal_output import format_table, shorten_cell


def test_columns_are_as_wide_as_what_is_shown_in_them() -> None:
    rows = [["agent", "passed", "why"], ["漢字", "12", ""], ["e\u0301te\u0301", "7", "[bold]late[/bold]"]]
    assert format_table(rows, right=[1]) == [
        "agent  passed  why",
        "漢字       12",
        "e\u0301te\u0301         7  [bold]late[/bold]",
    ]


def test_a_long_text_is_complete_and_moves_only_its_own_row() -> None:
    name = "n" * 300
    assert format_table([[name, "1"], ["b", "2"]]) == [f"{name}  1", f"{'b':40}  2"]
    assert cell_len(shorten_cell(name)) == 40


def test_a_table_without_rows_has_no_lines() -> None:
    assert format_table([]) == []


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_each_row_is_one_line_without_commands_to_the_terminal(rows: list[tuple[str, str]]) -> None:
    lines = format_table(rows)
    assert len(lines) == len(rows)
    assert not [line for line in lines if find_unsafe_characters(line) or "\n" in line]
