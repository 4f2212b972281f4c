"""Exports: each format, the refusals, the preview and the list of formats, for every caller."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from use_cases.contract import AGENT, FINISHED, SECRET, UNFINISHED, Outcome, Place, Row, run_row, send_request

from adk_agent_sim.adk.loading.agent_folder import AgentFolder
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.use_cases import exports
from adk_agent_sim.use_cases.export_records import ExportRequest, WrittenExport

EVAL_SET = f"<folder>/{AGENT}.evalset.json"

Check = Callable[[Outcome], None]


def _load_config(place: Place) -> SimulatedAgentConfig:
    folder = AgentFolder(place.folder / "agents", only=AGENT)
    folder.preload()
    assert folder.preloaded is not None
    return folder.preloaded


def _to_options(request: dict[str, Any]) -> list[str]:
    """Return what is typed for a request."""
    options: list[str] = []
    for name, value in request.items():
        option = {"path": "--out", "finished_only": "--finished-only", "include_rejected": "--include-rejected"}.get(
            name, f"--{name}"
        )
        match value:
            case True:
                options.append(option)
            case False:
                options.append(option.replace("--", "--no-", 1))
            case {"calls": calls}:
                options += [option, calls]
            case _:
                options += [option, value]
    return options


def _export_row(
    case: str, requests: Sequence[dict[str, Any]], check: Check, session: str = FINISHED, existing: str = ""
) -> Row:
    """Return a row of exports one after the other, of which the last one is compared, beside an existing file."""

    def write_existing(place: Place) -> None:
        if existing:
            (place.folder / existing).write_text("mine", encoding="utf-8")

    async def export_in_python(place: Place) -> Any:
        write_existing(place)
        config = _load_config(place)
        async with place.open_timeline() as timeline:
            return [
                await exports.export_session(timeline, place.session_ids[session], request, config)
                for request in map(ExportRequest.model_validate, requests)
            ][-1]

    async def export_with_command(place: Place) -> Any:
        write_existing(place)
        arguments = ["export", place.session_ids[session], "--agent", place.agent_folder]
        return [await place.run_command(*arguments, *_to_options(each)) for each in requests][-1]

    async def export_over_web(place: Place) -> Any:
        write_existing(place)
        path = f"/sessions/{place.session_ids[session]}/export"
        async with place.serve() as client:
            answer = [await send_request(client, "POST", path, each) for each in requests][-1]
        return {**answer, "eval_case": None}  # only a server has eval pages

    return Row(
        operation="exports.export_session",
        case=case,
        python=export_in_python,
        cli=export_with_command,
        web=export_over_web,
        check=check,
    )


def _check_case(outcome: Outcome) -> None:
    answer = outcome.answer
    assert (answer["session_id"], answer["revision"], answer["format"]) == ("<finished>", 12, "evalset")
    assert (answer["path"], answer["command"]) == (EVAL_SET, f"adk eval <folder>/agents/{AGENT} {EVAL_SET}")
    [case] = json.loads(outcome.files[EVAL_SET])["eval_cases"]
    assert case == json.loads(answer["text"])
    assert outcome.exports == {"<finished>": ["evalset"], "<unfinished>": []}
    assert outcome.events["<finished>"][-1] == "RunEnded", "an export is no event of the session"


def _check_fixture(outcome: Outcome) -> None:
    [path] = outcome.files
    assert path == outcome.answer["path"]
    assert path.startswith(f"<folder>/agents/{AGENT}/tests/{AGENT}_")
    assert json.loads(outcome.files[path]) == json.loads(outcome.answer["text"])
    assert outcome.answer["command"] == f"adk test <folder>/agents/{AGENT}"
    assert outcome.exports["<finished>"] == ["adk-test"]


def _check_timeline(outcome: Outcome) -> None:
    assert outcome.answer["text"] == "", "a timeline may be long"
    assert len(outcome.files["<folder>/all.jsonl"].splitlines()) > 12
    assert outcome.exports["<finished>"] == ["jsonl"]


def _check_report(outcome: Outcome) -> None:
    assert outcome.files["<folder>/report.md"] == outcome.answer["text"]
    assert "What is 2+2?" in outcome.answer["text"]
    assert outcome.exports["<finished>"] == ["markdown"]


def _check_reports(outcome: Outcome) -> None:
    assert list(outcome.files) == ["<folder>/report.md"]
    assert outcome.exports["<finished>"] == ["markdown", "markdown"]


def _check_existing_file(outcome: Outcome) -> None:
    _check_refusal("ExportRefused", "<folder>/report.md exists already")(outcome)
    assert outcome.files == {"<folder>/report.md": "mine"}


def _check_refusal(error: str, words: str, formats: Sequence[str] = ()) -> Check:
    def check(outcome: Outcome) -> None:
        assert outcome.refusal is not None
        assert outcome.refusal[0] == error
        assert words in outcome.refusal[1]
        assert [each for formats in outcome.exports.values() for each in formats] == list(formats)

    return check


def _check_cases(count: int, recorded: int) -> Check:
    def check(outcome: Outcome) -> None:
        assert len(json.loads(outcome.files[EVAL_SET])["eval_cases"]) == count
        assert outcome.exports["<finished>"] == ["evalset"] * recorded

    return check


def _check_criteria(outcome: Outcome) -> None:
    assert outcome.answer["criteria_path"] == "<folder>/test_config.json"
    assert outcome.answer["command"].endswith("--config_file_path <folder>/test_config.json")
    criteria = json.loads(outcome.files["<folder>/test_config.json"])["criteria"]
    assert criteria["tool_trajectory_avg_score"]["match_type"] == "IN_ORDER"


def _check_finished_part(outcome: Outcome) -> None:
    assert "user turn 2 ('And 4+4?') was left out" in outcome.answer["left_out"][0]
    assert len(json.loads(outcome.answer["text"])["conversation"]) == 1


def _check_secret(count: int) -> Check:
    def check(outcome: Outcome) -> None:
        [text] = outcome.files.values()
        assert text.count(SECRET) == count

    return check


REPORT = {"format": "markdown", "path": "report.md"}
LINES = {"format": "jsonl", "path": "all.jsonl"}
FINISHED_PART = {"finished_only": True}

EXPORT_ROWS = [
    _export_row("a case of an EvalSet", [{}], _check_case),
    _export_row("a fixture for adk test", [{"format": "adk-test"}], _check_fixture),
    _export_row("a timeline", [LINES], _check_timeline),
    _export_row("a report", [REPORT], _check_report),
    _export_row("a report with secrets", [{**REPORT, "redact": False}], _check_secret(1), UNFINISHED),
    _export_row("a report without secrets", [REPORT], _check_secret(0), UNFINISHED),
    _export_row("a case with secrets", [FINISHED_PART], _check_secret(2), UNFINISHED),
    _export_row("a case without secrets", [{**FINISHED_PART, "redact": True}], _check_secret(0), UNFINISHED),
    _export_row("a timeline without secrets", [{**LINES, "redact": True}], _check_secret(0), UNFINISHED),
    _export_row("a case with criteria", [{"criteria": {"calls": "in-order"}}], _check_criteria),
    _export_row("the finished part", [FINISHED_PART], _check_finished_part, UNFINISHED),
    _export_row("a second case", [{}, {"again": True}], _check_cases(2, 2)),
    _export_row("a case in place of the first", [{}, {"replace": True}], _check_cases(1, 2)),
    _export_row(
        "a second case by mistake",
        [{}, {}],
        _check_refusal("AlreadyExported", f"was already exported to {EVAL_SET}", ["evalset"]),
    ),
    _export_row(
        "a second case in another file by mistake",
        [{}, {"path": "other.evalset.json"}],
        _check_refusal("AlreadyExported", f"was already exported to {EVAL_SET}", ["evalset"]),
    ),
    _export_row(
        "a second fixture by mistake",
        [{"format": "adk-test"}] * 2,
        _check_refusal("AlreadyExported", "was already exported", ["adk-test"]),
    ),
    _export_row(
        "a fixture that cannot be replayed",
        [{**FINISHED_PART, "format": "adk-test"}],
        _check_refusal("NotReplayable", "it started with a state (password)"),
        UNFINISHED,
    ),
    _export_row(
        "a fixture that cannot be replayed, by force",
        [{**FINISHED_PART, "format": "adk-test", "force": True}],
        _check_secret(1),
        UNFINISHED,
    ),
    _export_row(
        "an unfinished session",
        [{}],
        _check_refusal("SessionIncomplete", "the user query 'And 4+4?' has no final response"),
        UNFINISHED,
    ),
    _export_row("a report once more", [REPORT, REPORT], _check_reports),
    _export_row("a file that exists", [REPORT], _check_existing_file, existing="report.md"),
    _export_row("in place of a file that exists", [{**REPORT, "replace": True}], _check_report, existing="report.md"),
    _export_row(
        "nothing to replace", [{"replace": True}], _check_refusal("ExportRefused", "There is no earlier export")
    ),
    _export_row(
        "a fixture without secrets",
        [{"format": "adk-test", "redact": True}],
        _check_refusal("InvalidExportOption", "`redact` does not work with the format adk-test"),
    ),
    _export_row(
        "a report with criteria",
        [{**REPORT, "criteria": {"calls": "in-order"}}],
        _check_refusal("InvalidExportOption", "choose evalset"),
    ),
]


async def _export_outside_in_python(place: Place) -> Any:
    async with place.open_timeline() as timeline:
        request = ExportRequest(path="../stolen.evalset.json")
        session_id = place.session_ids[FINISHED]
        return await exports.export_session(timeline, session_id, request, _load_config(place), is_confined=True)


async def _export_outside_over_web(place: Place) -> Any:
    path = f"/sessions/{place.session_ids[FINISHED]}/export"
    return await place.request("POST", path, {"path": "../stolen.evalset.json"})


async def _export_beside_server(place: Place) -> Any:
    async with place.serve():
        return await place.run_command("export", place.session_ids[FINISHED], "--agent", place.agent_folder)


async def _preview_in_python(place: Place) -> Any:
    async with place.open_timeline() as timeline:
        return await exports.preview_export(
            timeline, place.session_ids[FINISHED], ExportRequest(), _load_config(place), is_confined=True
        )


async def _preview_over_web(place: Place) -> Any:
    return await place.request("POST", f"/sessions/{place.session_ids[FINISHED]}/export/preview", {})


def _check_preview(outcome: Outcome) -> None:
    assert (outcome.answer["path"], outcome.answer["folder"]) == (EVAL_SET, "<folder>")
    assert len(json.loads(outcome.answer["text"])["conversation"]) == 1
    assert (outcome.files, outcome.exports["<finished>"]) == ({}, [])


async def _render_in_python(place: Place) -> Any:
    async with place.open_timeline() as timeline:
        return await exports.render_export(timeline, place.session_ids[UNFINISHED], ExportRequest(format="markdown"))


async def _render_with_command(place: Place) -> Any:
    return (await place.run_command("export", place.session_ids[UNFINISHED], "--format", "markdown"))["text"]


def _check_rendered(outcome: Outcome) -> None:
    assert "And 4+4?" in outcome.answer
    assert (outcome.files, outcome.exports["<unfinished>"]) == ({}, [])


_WRITTEN: dict[str, Any] = {
    "format": "markdown",
    "path": "/somewhere/report.md",
    "eval_id": "report",
    "exported_at": 2.0,
}


async def _record_in_python(place: Place) -> Any:
    async with place.open_timeline() as timeline:
        return await exports.record_export(timeline, place.session_ids[FINISHED], WrittenExport(**_WRITTEN))


async def _record_over_web(place: Place) -> Any:
    return await place.request("POST", f"/sessions/{place.session_ids[FINISHED]}/exports", _WRITTEN)


def _check_recorded(outcome: Outcome) -> None:
    assert outcome.answer == {"session_id": "<finished>", "revision": 12}
    assert outcome.exports["<finished>"] == ["markdown"]


async def _list_formats_in_python(place: Place) -> Any:
    return [(each.name, each.label) for each in exports.list_export_formats()]


async def _list_formats_with_command(place: Place) -> Any:
    lines = CliRunner().invoke(adksim, ["export", "--help"]).stdout.split("Formats:")[1].splitlines()
    return [
        (name, rest.split(" (")[0].strip()) for name, _, rest in (line.strip().partition(" ") for line in lines) if name
    ]


async def _list_formats_over_web(place: Place) -> Any:
    return [(each["name"], each["label"]) for each in (await place.request("GET", "/server"))["export_formats"]]


def _check_formats(outcome: Outcome) -> None:
    assert [name for name, _ in outcome.answer] == list(EXPORT_FORMATS)


ROWS = [
    *EXPORT_ROWS,
    Row(
        operation="exports.export_session",
        case="a path outside of the folder",
        python=_export_outside_in_python,
        cli="A person at the terminal names any file; only the paths of requests are confined.",
        web=_export_outside_over_web,
        check=_check_refusal("ExportRefused", "is outside of <folder>"),
    ),
    Row(
        operation="exports.export_session",
        case="while a server has the database",
        python="A program in Python that opens a timeline has its database for itself.",
        cli=_export_beside_server,
        web=EXPORT_ROWS[0].web,
        check=_check_case,
    ),
    Row(
        operation="exports.preview_export",
        case="of a case",
        python=_preview_in_python,
        cli="The command has no preview: nothing is overwritten, and texts are printed without --out.",
        web=_preview_over_web,
        check=_check_preview,
    ),
    Row(
        operation="exports.render_export",
        case="a report of a session that goes on",
        python=_render_in_python,
        cli=_render_with_command,
        web="The browser shows the text in the preview, and has nothing to print to.",
        check=_check_rendered,
    ),
    Row(
        operation="exports.record_export",
        case="an export of another process",
        python=_record_in_python,
        cli="The command records what it writes; it asks the server that has the database to do so.",
        web=_record_over_web,
        check=_check_recorded,
    ),
    Row(
        operation="exports.list_export_formats",
        case="all of them",
        python=_list_formats_in_python,
        cli=_list_formats_with_command,
        web=_list_formats_over_web,
        check=_check_formats,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
