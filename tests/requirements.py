"""Keeps docs/requirements.md up to date: its last column is generated from the `req` markers of the tests.

`python tests/requirements.py` writes it (`make requirements`); a test compares.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
TABLE = TESTS.parent / "docs" / "requirements.md"
_MARKER = "pytest.mark.req"

NOT_MET = "not met"
"""The last column of a requirement that no test proves."""

_ROW = re.compile(r"^\| (?P<id>\d{3}/\S+) \| (?P<text>.*) \| (?P<proof>[^|]*) \|$")


def collect_markers() -> dict[str, list[str]]:
    """Return the tests of each requirement id, as `folder/file.py::name`."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if _MARKER not in text:
            continue  # parsing is most of the work
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for requirement in _iter_requirement_ids(node):
                    found[requirement].append(f"{path.relative_to(TESTS).as_posix()}::{node.name}")
    return found


def rewrite_table(text: str) -> str:
    """Return the document with its last column updated from the markers."""
    proofs = collect_markers()
    return "\n".join(_rewrite_row(line, proofs) for line in text.split("\n"))


def read_documented_ids(text: str) -> set[str]:
    """Return the ids in the document."""
    return {match["id"] for line in text.split("\n") if (match := _ROW.match(line))}


def _rewrite_row(line: str, proofs: dict[str, list[str]]) -> str:
    match = _ROW.match(line)
    if match is None:
        return line
    proof = "<br>".join(f"`{test}`" for test in proofs.get(match["id"], ())) or NOT_MET
    return f"| {match['id']} | {match['text']} | {proof} |"


def _iter_requirement_ids(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == _MARKER:
            for argument in decorator.args:
                yield ast.literal_eval(argument)


if __name__ == "__main__":
    TABLE.write_text(rewrite_table(TABLE.read_text(encoding="utf-8")), encoding="utf-8")
