"""The table in docs/agent-kinds.md: what works for each kind of agent; the other tests of the kinds prove its cells."""

from __future__ import annotations

import ast
from pathlib import Path

from agent_scripts import AGENTS, KINDS, REFUSED_BY_ADK_TEST

_DOCUMENT = Path(__file__).parents[2] / "docs" / "agent-kinds.md"
_HEAD = (
    "| agent | played and exported | replayed from the timeline | replayed from the EvalSet "
    "| `adk eval` | `adk test` |\n"
    "|---|---|---|---|---|---|"
)


def test_the_table_of_agent_kinds_is_up_to_date() -> None:
    table = "\n".join([_HEAD, *(_format_row(kind) for kind in KINDS)])
    print(table)

    assert table in _DOCUMENT.read_text(encoding="utf-8")


def _format_row(kind: str) -> str:
    source = (AGENTS / kind / "agent.py").read_text(encoding="utf-8")
    description = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    adk_test = f"no: {REFUSED_BY_ADK_TEST[kind]}" if kind in REFUSED_BY_ADK_TEST else "yes"
    return f"| {description} | yes | yes | yes | yes | {adk_test} |"
