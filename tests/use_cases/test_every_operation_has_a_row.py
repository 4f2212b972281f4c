"""Every public function of the use cases has a row in a contract, and every row says why a cell is empty."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from use_cases.contract import Row

from adk_agent_sim import use_cases

_PACKAGE = use_cases.__name__

_WITHOUT_CONTRACT = frozenset[str]()
"""The groups of use cases whose callers are not compared yet."""


def _list_operations() -> set[str]:
    """Return the public functions, as `module.function`, or `folder.function` for what a folder exports."""
    operations: set[str] = set()
    for info in pkgutil.walk_packages(use_cases.__path__, f"{_PACKAGE}."):
        module = import_module(info.name)
        names = [
            name
            for name, value in inspect.getmembers(module, inspect.isfunction)
            if value.__module__ == info.name and not name.startswith("_")
        ]
        is_internal = any(part.startswith("_") for part in info.name.removeprefix(_PACKAGE).split("."))
        operations |= {f"{info.name.removeprefix(f'{_PACKAGE}.')}.{name}" for name in names if not is_internal}
    return operations


def _list_rows() -> Iterator[Row]:
    for path in sorted(Path(__file__).parent.glob("test_*_contract.py")):
        module: Any = import_module(f"use_cases.{path.stem}")
        rows: Sequence[Row] = module.ROWS
        yield from rows


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    operations = {each for each in _list_operations() if each.partition(".")[0] not in _WITHOUT_CONTRACT}

    assert {row.operation for row in _list_rows()} == operations


def test_only_groups_without_any_row_have_no_contract() -> None:
    groups = {operation.partition(".")[0] for operation in _list_operations()}
    assert groups - {row.operation.partition(".")[0] for row in _list_rows()} == _WITHOUT_CONTRACT


def test_an_empty_cell_says_why_in_words() -> None:
    for row in _list_rows():
        reasons = [cell for cell in row.cells.values() if isinstance(cell, str)]
        assert all(len(reason.split()) >= 4 for reason in reasons), f"{row}: {reasons}"
        assert len(reasons) < len(row.cells), f"{row} has no cell"
