"""Sessions of a server that was killed: lists, filters, the queue, names, notes, close and delete, for every caller."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest
from use_cases.contract import FINISHED, UNFINISHED, Cell, Outcome, Place, Row, run_row

from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases import sessions
from adk_agent_sim.use_cases.session_host import SessionHost

_NO_COMMAND = "no command changes sessions: `adksim sessions` lists them, and the browser changes them"
_WHOLE_IDS = "the browser app has whole ids, and opens sessions from lists"

_HOSTED = ("agent_key", "agent_revision", "stored_bytes")
"""What only a server knows of a session's agent, or is read only for the command."""

Operation: TypeAlias = Callable[[Timeline, SessionHost, Place], Any]


def _in_python(operate: Operation) -> Cell:
    async def run(place: Place) -> Any:
        host = await SessionHost.of_database(place.database)
        async with place.open_timeline() as timeline:
            return _drop_hosted(_to_json(await operate(timeline, host, place)))

    return run


def _with_command(*arguments: str) -> Cell:
    async def run(place: Place) -> Any:
        return _drop_hosted({"sessions": await place.run_command("sessions", *arguments), "next_cursor": None})

    return run


def _over_web(method: str, path: str, body: Any = None) -> Cell:
    async def run(place: Place) -> Any:
        return _drop_hosted(await place.request(method, path.format(**place.session_ids), body))

    return run


def _to_json(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _drop_hosted(value: Any) -> Any:
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        return {key: _drop_hosted(each) for key, each in mapping.items() if key not in _HOSTED}
    return [_drop_hosted(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _list(**wanted: Any) -> Cell:
    return _in_python(
        lambda timeline, host, _: sessions.list_sessions(timeline, SessionFilter(**wanted), 100, host=host)
    )


def _check_statuses(**statuses: str) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        shown = {each["session_id"]: each["status"] for each in outcome.answer["sessions"]}
        assert shown == {f"<{name}>": status for name, status in statuses.items()}
        assert [each["pending"] for each in outcome.answer["sessions"]] == [[]] * len(statuses)

    return check


def _check_refusal(error: str, text: str) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        assert outcome.refusal is not None
        assert outcome.refusal[0] == error
        assert text in outcome.refusal[1]

    return check


def _assert_equal(found: object, expected: object) -> None:
    assert found == expected


def _rename(name: str) -> Cell:
    return _in_python(lambda timeline, _, place: sessions.rename_session(timeline, place.session_ids[FINISHED], name))


def _note(index: int, text: str) -> Cell:
    return _in_python(lambda timeline, _, place: sessions.note_row(timeline, place.session_ids[FINISHED], index, text))


async def _rename_and_list_in_python(timeline: Timeline, host: SessionHost, place: Place) -> Any:
    await sessions.rename_session(timeline, place.session_ids[FINISHED], " Sums \n")
    return await sessions.list_sessions(timeline, SessionFilter(text="sums"), 100, host=host)


async def _delete_and_list_in_python(timeline: Timeline, host: SessionHost, place: Place) -> Any:
    await sessions.delete_session(timeline, place.session_ids[FINISHED], host=host)
    return await sessions.list_sessions(timeline, SessionFilter(), 100, host=host)


async def _find_in_python(timeline: Timeline, place: Place, name: str) -> Any:
    return {"session_id": (await sessions.find_session(timeline, name)).session_id}


def _find_with_command(name: str) -> Cell:
    async def run(place: Place) -> Any:
        return {"session_id": (await place.run_command("fork", name))["session_id"]}

    return run


def _change_and_list_over_web(method: str, path: str, body: Any, query: str) -> Cell:
    async def run(place: Place) -> Any:
        async with place.serve() as client:
            answer = await client.client.request(method, f"/api{path}".format(**place.session_ids), json=body)
            assert answer.is_success
            return _drop_hosted((await client.client.get(f"/api/sessions{query}")).json())

    return run


ROWS = [
    Row(
        operation="sessions.list_sessions",
        case="after the server was killed",
        python=_list(),
        cli=_with_command(),
        web=_over_web("GET", "/sessions"),
        check=_check_statuses(unfinished="interrupted", finished="closed"),
    ),
    *(
        Row(
            operation="sessions.list_sessions",
            case=f"those that are {status}",
            python=_list(statuses=[SessionStatus(status)]),
            cli=_with_command("--status", status),
            web=_over_web("GET", f"/sessions?status={status}"),
            check=_check_statuses(**found),
        )
        for status, found in (
            ("interrupted", {"unfinished": "interrupted"}),
            ("closed", {"finished": "closed"}),
            ("waiting", {}),
        )
    ),
    Row(
        operation="sessions.list_sessions",
        case="a search that finds nothing",
        python=_list(text="teapot"),
        cli=_with_command("--search", "teapot"),
        web=_over_web("GET", "/sessions?q=teapot"),
        check=_check_statuses(),
    ),
    Row(
        operation="sessions.describe_session",
        case="one that does not exist",
        python=_in_python(lambda timeline, host, _: sessions.describe_session(timeline, "no-such-id", host=host)),
        cli="no command shows one session: `adksim sessions --search` does",
        web=_over_web("GET", "/sessions/no-such-id"),
        check=_check_refusal("SessionNotFound", "no-such-id"),
    ),
    Row(
        operation="sessions.find_session",
        case="the newest one",
        python=_in_python(lambda timeline, _, place: _find_in_python(timeline, place, "last")),
        cli=_find_with_command("last"),
        web=_WHOLE_IDS,
        check=lambda outcome: _assert_equal(outcome.answer, {"session_id": f"<{UNFINISHED}>"}),
    ),
    Row(
        operation="sessions.find_session",
        case="one that does not exist",
        python=_in_python(lambda timeline, _, place: _find_in_python(timeline, place, "zzz")),
        cli=_find_with_command("zzz"),
        web=_WHOLE_IDS,
        check=_check_refusal("SessionNotFound", "zzz"),
    ),
    Row(
        operation="sessions.list_queue",
        case="after the server was killed",
        python="a program that has no agents cannot say which of the stored requests can still be answered",
        cli="the queue is for people who answer: no command lists it",
        web=_over_web("GET", "/queue"),
        check=lambda outcome: _assert_equal(outcome.answer, {"items": [], "next_cursor": None, "total": 0}),
    ),
    Row(
        operation="sessions.rename_session",
        case="and it is found by its new name",
        python=_in_python(_rename_and_list_in_python),
        cli=_NO_COMMAND,
        web=_change_and_list_over_web("PATCH", f"/sessions/{{{FINISHED}}}", {"name": " Sums \n"}, "?q=sums"),
        check=lambda outcome: _assert_equal([each["name"] for each in outcome.answer["sessions"]], ["Sums"]),
    ),
    Row(
        operation="sessions.rename_session",
        case="to nothing that can be seen",
        python=_rename("\u202e \n"),
        cli=_NO_COMMAND,
        web=_over_web("PATCH", f"/sessions/{{{FINISHED}}}", {"name": "\u202e \n"}),
        check=_check_refusal("MalformedValue", "it is empty"),
    ),
    Row(
        operation="sessions.rename_session",
        case="to a name that is too long",
        python=_rename("x" * 201),
        cli=_NO_COMMAND,
        web=_over_web("PATCH", f"/sessions/{{{FINISHED}}}", {"name": "x" * 201}),
        check=_check_refusal("MalformedValue", "more than 200 characters"),
    ),
    Row(
        operation="sessions.note_row",
        case="on the first row",
        python=_note(0, " why? "),
        cli=_NO_COMMAND,
        web=_over_web("POST", f"/sessions/{{{FINISHED}}}/rows/0/note", {"text": " why? "}),
        check=lambda outcome: _assert_equal(outcome.events[f"<{FINISHED}>"][-1], "Noted"),
    ),
    Row(
        operation="sessions.note_row",
        case="on a row that does not exist",
        python=_note(99, "why?"),
        cli=_NO_COMMAND,
        web=_over_web("POST", f"/sessions/{{{FINISHED}}}/rows/99/note", {"text": "why?"}),
        check=_check_refusal("NotFound", "There is no row 99"),
    ),
    Row(
        operation="sessions.close_session",
        case="of a server that was killed: it stays as it is",
        python=_in_python(
            lambda timeline, host, place: sessions.close_session(timeline, place.session_ids[UNFINISHED], host=host)
        ),
        cli=_NO_COMMAND,
        web=_over_web("POST", f"/sessions/{{{UNFINISHED}}}/close"),
        check=lambda outcome: _assert_equal("Closed" in outcome.events[f"<{UNFINISHED}>"], False),
    ),
    Row(
        operation="sessions.delete_session",
        case="and no list has it",
        python=_in_python(_delete_and_list_in_python),
        cli=_NO_COMMAND,
        web=_change_and_list_over_web("DELETE", f"/sessions/{{{FINISHED}}}", None, ""),
        check=_check_statuses(unfinished="interrupted"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
