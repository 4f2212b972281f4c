"""The figures about mocks in the documentation are those that the benchmark measures."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def test_the_table_in_the_documentation_is_what_the_benchmark_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(_ROOT / "benchmarks"), *sys.path])
    lines, scores = import_module("mock_fidelity").build_table()

    assert len(lines) == 6
    assert "\n".join(lines) in (_ROOT / "docs" / "mocks.md").read_text(encoding="utf-8")
    assert all(score.answered and score.ids for score in scores.values())
