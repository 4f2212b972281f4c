"""Counts attacks: each file is one attack, each of its tests an attempt, or as many as it says.

A test that tries several things states their number with `record_property("attempts", number)`. `make attack` writes
the table of the documentation.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

_HEADER = """# Attacks

`make attack` runs them all again and writes this table; all but the long ones are part of `make test`.
[SECURITY.md](../SECURITY.md) says what is protected against whom.

| attack | attempts | blocked | file |
| --- | ---: | ---: | --- |
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--attack-table", type=Path, help="write the table of attacks to this file")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    path: Path | None = config.getoption("--attack-table", None)
    if path is None:
        return
    attempts: Counter[str] = Counter()
    blocked: Counter[str] = Counter()
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            file = report.nodeid.partition("::")[0]
            count = dict(report.user_properties).get("attempts", 1)
            attempts[file] += count
            blocked[file] += count if outcome == "passed" else 0
    lines = [
        f"| {_read_title(config.rootpath / file)} | {attempts[file]:,} | {blocked[file]:,} | `{file}` |\n"
        for file in sorted(attempts)
    ]
    path.write_text(_HEADER + "".join(lines), encoding="utf-8")
    terminalreporter.write_line(f"{sum(attempts.values()):,} attempts, {sum(blocked.values()):,} blocked: {path}")


def _read_title(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return docstring.splitlines()[0].rstrip(".")
