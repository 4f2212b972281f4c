"""Every requirement of the specs has an id, and the table lists the tests that verify it."""

from requirements import NOT_MET, TABLE, collect_markers, read_documented_ids, rewrite_table


def test_the_table_names_the_tests_that_carry_each_id() -> None:
    text = TABLE.read_text(encoding="utf-8")

    assert rewrite_table(text) == text, "docs/requirements.md is out of date: run `make requirements`"


def test_every_requirement_is_proved_by_a_test() -> None:
    rows = TABLE.read_text(encoding="utf-8").split("\n")

    assert [line for line in rows if line.endswith(f"| {NOT_MET} |")] == []


def test_every_id_that_a_test_carries_is_in_the_table() -> None:
    unknown = set(collect_markers()) - read_documented_ids(TABLE.read_text(encoding="utf-8"))

    assert not unknown


def test_no_id_is_in_the_table_twice() -> None:
    rows = [
        line.split("|")[1].strip() for line in TABLE.read_text(encoding="utf-8").split("\n") if line.startswith("| 0")
    ]

    assert len(rows) == len(set(rows)) > 100
