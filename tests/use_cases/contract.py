"""The contract of the use cases: an operation does the same for Python, for the command and for the web API.

    prepared data --copied for each caller--> Python, adksim, web API --> outcomes --> compared

A row is an operation and what each caller does. Its cells run for real, each on its own copy of the same database and
agent folder: Python on the timeline of the database, `adksim` in this process, the web API over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, chdir, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

import click
from agent_folders import forget_imports, write_agent
from api_client import ApiClient, serve_simulator
from click.testing import CliRunner
from pydantic import BaseModel

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.loading.agent_folder import AgentFolder
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.timeline import Timeline

AGENT = "calculator"
FINISHED, UNFINISHED = "finished", "unfinished"
"""The names of the recorded sessions: one with an answered message, and one in which a second message waits.

The second one was started with a state, which has a secret.
"""

SECRET = "canary-4711"  # noqa: S105 - invented

_AGENT_CODE = """
from google.adk.agents import LlmAgent


def add(a: int, b: int) -> int:
    '''Add two numbers.'''
    return a + b


root_agent = LlmAgent(name="{name}", model="gemini-2.5-flash", tools=[add])
"""
_TIME = re.compile(r"\b1\d{9}\.\d+")
"""A time in seconds since 1970."""

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


@dataclass(frozen=True)
class Place:
    """A caller's own copy of the prepared data."""

    folder: Path
    session_ids: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of the recorded sessions by name; the same in all copies."""

    @property
    def database(self) -> Path:
        return self.folder / "sessions.db"

    @property
    def agent_folder(self) -> Path:
        return self.folder / "agents" / AGENT

    @asynccontextmanager
    async def open_timeline(self) -> AsyncGenerator[Timeline]:
        """Open the timeline of the database, as a program in Python does."""
        async with open_store(self.database) as store:
            yield Timeline(store)

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator[ApiClient]:
        """Serve the agent and the database, as `adksim run AGENT_DIR --web` does."""
        simulator = AgentSimulator(folder=AgentFolder(self.folder / "agents"), database=self.database)
        async with serve_simulator(simulator) as client:
            yield client

    async def request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer of the web API; raise Refused."""
        async with self.serve() as client:
            return await send_request(client, method, path, body)

    async def run_command(self, *arguments: str | Path) -> Any:
        """Return what `adksim ... --json --db DATABASE` prints; raise Refused."""
        return await asyncio.to_thread(self._run_command, [*map(str, arguments), "--json", "--db", str(self.database)])

    async def run_command_on_files(self, *arguments: str | Path) -> Any:
        """Return what `adksim ... --json` prints of a command without a database; raise Refused."""
        return await asyncio.to_thread(self._run_command, [*map(str, arguments), "--json"])

    def _run_command(self, arguments: list[str]) -> Any:
        result = CliRunner().invoke(adksim, arguments, standalone_mode=False)
        if isinstance(result.exception, click.ClickException):
            cause = result.exception.__cause__ or result.exception
            raise Refused(type(cause).__name__, str(cause))
        # The code of a comparison or judgement says what the output says.
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return json.loads(result.stdout)


class Refused(Exception):
    """An operation was refused: the name of the error class, and its message."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(error, message)
        self.error = error
        self.message = message


async def send_request(client: ApiClient, method: str, path: str, body: Any = None) -> Any:
    """Return the answer of a server that runs; raise Refused."""
    answer = await client.client.request(method, f"/api{path}", json=body)
    value: Any = answer.json() if answer.content else None
    if answer.is_error:
        assert answer.status_code < 500, answer.text
        raise Refused(value["error"], value["message"])
    return value


Cell: TypeAlias = Callable[[Place], Awaitable[Any]] | str
"""What a caller does, and returns; or why this caller does not have the operation, in words."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """An operation, and how each caller asks for it."""

    operation: str
    """The function of the use cases, such as `exports.export_session`."""

    case: str
    """What is asked for, such as `a second time`."""

    python: Cell
    cli: Cell
    web: Cell

    check: Callable[[Outcome], None]
    """Asserts what is expected of the outcome, which the callers then share."""

    @property
    def cells(self) -> Mapping[str, Cell]:
        return {"python": self.python, "cli": self.cli, "web": self.web}

    def __str__(self) -> str:
        return f"{self.operation}: {self.case}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of an operation, without what differs between two copies: the folder, ids and times."""

    answer: Any
    refusal: tuple[str, str] | None
    events: Mapping[str, list[str]]
    """The kinds of the events of each session afterwards, in order; of new sessions too."""

    exports: Mapping[str, list[str]]
    """The formats that each session is recorded as exported in."""

    files: Mapping[str, str]
    """What is in the folder beside the database and the code of the agent."""


async def run_row(row: Row, prepared: Place, folder: Path) -> None:
    """Run the cells of a row, each on a copy of the prepared data, and compare their outcomes."""
    outcomes: dict[str, Outcome] = {}
    for caller, cell in row.cells.items():
        if not isinstance(cell, str):
            outcomes[caller] = await _run_cell(cell, copy_data(prepared, folder / caller))
    assert outcomes, "a row without any cell proves nothing"
    first = next(iter(outcomes.values()))
    row.check(first)
    for caller, outcome in outcomes.items():
        assert (caller, outcome) == (caller, first)


async def _run_cell(cell: Callable[[Place], Awaitable[Any]], place: Place) -> Outcome:
    answer: Any = None
    refusal = None
    with forget_imports(), chdir(place.folder):
        try:
            answer = await cell(place)
        except Refused as refused:
            refusal = (refused.error, refused.message)
        except SimulatorError as error:
            refusal = (type(error).__name__, str(error))
    if isinstance(answer, BaseModel):
        answer = answer.model_dump(mode="json")
    async with place.open_timeline() as timeline:
        summaries = {
            each.session.session_id: each for each in sorted(await timeline.list_summaries(), key=lambda s: s.cursor)
        }
        events = {
            session_id: [type(event.payload).__name__ for event in await timeline.read_events(session_id)]
            for session_id in summaries
        }
    normalize = _Normalizer(place)
    return Outcome(
        answer=normalize(answer),
        refusal=normalize(refusal),
        events=normalize(events),
        exports=normalize({key: [entry.format for entry in each.exports] for key, each in summaries.items()}),
        files=normalize(_read_files(place)),
    )


class _Normalizer:
    """Replaces what differs between two copies: the folder, times, and ids in the order in which they appear."""

    def __init__(self, place: Place) -> None:
        self._folder = str(place.folder)
        self._ids = {session_id: f"<{name}>" for name, session_id in place.session_ids.items()}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return _TIME.sub("1000000000.0", _UUID.sub(self._name_id, value.replace(self._folder, "<folder>")))
        if isinstance(value, Mapping):
            mapping = cast("Mapping[str, Any]", value)
            return {self(key): self(each) for key, each in mapping.items() if not key.endswith("_at")}
        if isinstance(value, list):
            return [self(each) for each in cast("list[Any]", value)]
        if isinstance(value, tuple):
            return tuple(self(each) for each in cast("tuple[Any, ...]", value))
        return value

    def _name_id(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"<id {len(self._ids)}>")


def _read_files(place: Place) -> dict[str, str]:
    """Return the files that were written, by path."""
    paths = [path for path in sorted(place.folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    ignored = re.compile(r"sessions\.db|\.lock$|__init__\.py$|agent\.py$")
    return {str(path): path.read_text(encoding="utf-8") for path in paths if not ignored.search(path.name)}


async def prepare_data(folder: Path) -> Place:
    """Record two sessions of an agent on a server, which is then killed."""
    live = Place(folder / "live")
    write_agent(live.folder / "agents", AGENT, _AGENT_CODE)
    prepared = Place(folder / "prepared")
    with forget_imports():
        async with live.serve() as client:
            session_ids = {name: await _record_session(client, name) for name in (FINISHED, UNFINISHED)}
            prepared.folder.mkdir()
            # A backup while the server runs: the copy has no event of its end.
            with closing(sqlite3.connect(live.database)) as source, closing(sqlite3.connect(prepared.database)) as copy:
                source.backup(copy)
            prepared.database.chmod(0o600)
    write_agent(prepared.folder / "agents", AGENT, _AGENT_CODE)
    return Place(prepared.folder, session_ids)


async def _record_session(client: ApiClient, name: str) -> str:
    state = {"password": SECRET} if name == UNFINISHED else {}
    session_id = (await client.post("/sessions", {"agent_key": AGENT, "state": json.dumps(state)}))["session_id"]
    await client.send_message(session_id, "What is 2+2?")
    await client.call_tools(session_id, ("add", {"a": 2, "b": 2}))
    await client.respond(session_id, "4")
    await client.wait_for_status(session_id, "done")
    if name == UNFINISHED:
        await client.send_message(session_id, "And 4+4?")
        await client.wait_for_turn(session_id)
    return session_id


def copy_data(prepared: Place, folder: Path) -> Place:
    """Copy the prepared data to a folder that does not exist."""
    copied = Place(folder, prepared.session_ids)
    write_agent(copied.folder / "agents", AGENT, _AGENT_CODE)
    with closing(sqlite3.connect(prepared.database)) as source, closing(sqlite3.connect(copied.database)) as copy:
        source.backup(copy)
    copied.database.chmod(0o600)
    return copied
