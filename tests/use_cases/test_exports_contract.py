"""Exports: each format, the refusals, the preview and the list of formats, for every caller."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from use_cases.contract import AGENT, FINISHED, Cell, Outcome, Place, Row, run_row

from adk_agent_sim.adk.loading.agent_folder import AgentFolder
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.use_cases import exports
from adk_agent_sim.use_cases.export_records import ExportRequest


def _load_config(place: Place) -> SimulatedAgentConfig:
    folder = AgentFolder(place.folder / "agents", only=AGENT)
    folder.preload()
    assert folder.preloaded is not None
    return folder.preloaded


def _export_in_python(session: str, *requests: dict[str, Any]) -> Cell:
    async def export(place: Place) -> Any:
        config = _load_config(place)
        async with place.open_timeline() as timeline:
            return [
                await exports.export_session(timeline, place.session_ids[session], ExportRequest(**each), config)
                for each in requests
            ][-1]

    return export


def _export_with_command(session: str, *options: Sequence[str]) -> Cell:
    async def export(place: Place) -> Any:
        arguments = ["export", place.session_ids[session], "--agent", str(place.agent_folder)]
        return [await place.run_command(*arguments, *each) for each in options][-1]

    return export


def _export_over_web(session: str, *requests: dict[str, Any]) -> Cell:
    async def export(place: Place) -> Any:
        path = f"/sessions/{place.session_ids[session]}/export"
        answer = [await place.request("POST", path, each) for each in requests][-1]
        return {**answer, "eval_case": None}  # only a server has eval pages

    return export


def _check_case(outcome: Outcome) -> None:
    path = f"<folder>/{AGENT}.evalset.json"
    assert (outcome.answer["path"], outcome.answer["format"], outcome.answer["revision"]) == (path, "evalset", 12)
    assert len(json.loads(outcome.files[path])["eval_cases"]) == 1
    assert outcome.exports == {"<finished>": ["evalset"], "<unfinished>": []}


ROWS = [
    Row(
        operation="exports.export_session",
        case="a case of an EvalSet",
        python=_export_in_python(FINISHED, {}),
        cli=_export_with_command(FINISHED, []),
        web=_export_over_web(FINISHED, {}),
        check=_check_case,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
