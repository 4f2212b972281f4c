"""The files of eval cases that the server was started with, or has converted: reads, checks and edits no other file."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.errors import NotFound, SimulatorError
from adk_agent_sim.golden.case_fields import CaseField, list_fields
from adk_agent_sim.golden.case_rows import build_case_rows
from adk_agent_sim.golden.eval_file import EvalFile, OpenedCase
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.evals.api_models import (
    CaseCorrectionInput,
    CaseFieldInfo,
    EvalCaseDetail,
    EvalConversionResult,
    EvalEditResult,
    EvalFileInfo,
    EvalFileSummary,
)
from adk_agent_sim.server.evals.case_replays import CaseReplays, LoadedAgent
from adk_agent_sim.server.sessions import row_details
from adk_agent_sim.server.sessions.row_api_models import RowDetail
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.json_conversion import format_json_value
from adk_agent_sim.timeline.read_model.open_rows import end_open_row
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.strict_json import parse_json_object_input
from adk_agent_sim.use_cases.cases import (
    CaseCheckInfo,
    CheckedCase,
    EvalCaseInfo,
    compare_case,
    convert_cases,
    describe_case,
)
from adk_agent_sim.use_cases.record import Record

MAX_FIELD_CHARS = 100_000
"""How long a value may be to be corrected in the browser."""

_MAX_FIELDS = 1_000
_MAX_SUMMARY_CHARS = 300
_MAX_CHECKS = 1_000
_MAX_TIMELINES = 4
_MAX_DIFFERENCES = 200

_MAX_VALUE_CHARS = 20_000
"""How much of a value that differs is sent."""

_R = TypeVar("_R", bound=Record)


class EvalCatalog:
    """The files of this server by key."""

    def __init__(self, files: Sequence[EvalFile], app: App | None = None, ignored_paths: Sequence[str] = ()) -> None:
        """Serve files.

        Args:
            files: The files; no other file is read or written.
            app: The app on whose tools cases are replayed; None if they cannot be.
            ignored_paths: The values in results that may differ.
        """
        self._files: dict[str, OpenEvalFile] = {}
        self._keys: dict[Path, str] = {}
        replays = CaseReplays(LoadedAgent(app) if app is not None else None, ignored_paths)
        for file in files:
            self._open(file, replays)
        self.initial_count = len(self._files)
        """How many files the server was started with."""

    async def list_files(self) -> Sequence[OpenEvalFile]:
        """Return the files."""
        return list(self._files.values())

    async def get(self, key: str) -> OpenEvalFile:
        """Return a file; raise NotFound."""
        if key not in self._files:
            raise NotFound(f"There is no file {key[:100]!r} of eval cases on this server.")
        return self._files[key]

    async def convert(self, key: str) -> EvalConversionResult:
        """Write the cases of a file that can only be read to a new one beside it, which is one of these from now on.

        Raises:
            NotFound: There is no such file.
            ExportRefused: There is nothing to convert, or the new file cannot be written.
        """
        source = await self.get(key)
        converted = await asyncio.to_thread(convert_cases, source.file)
        opened = self._open(EvalFile(Path(converted.path), "evalset"), source.replays)
        return EvalConversionResult(key=opened.key, **dict(converted))

    def find_by_path(self, path: Path) -> OpenEvalFile | None:
        """Return the file at a path, if it is one of these."""
        key = self._keys.get(_resolve(path))
        return self._files[key] if key is not None else None

    def add_export(self, path: Path, agent_key: str) -> OpenEvalFile | None:
        """Return the file that a session of an agent was exported to; None if it is not one of these."""
        return self.find_by_path(path)

    def _open(self, file: EvalFile, replays: CaseReplays) -> OpenEvalFile:
        key = find_free_key(to_snake_case(file.path.name.partition(".")[0]) or "evals", self._files)
        self._files[key] = opened = OpenEvalFile(key, file, replays)
        self._keys.setdefault(_resolve(file.path), key)
        return opened


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))


class OpenEvalFile:
    """One file, and what was found out about its cases."""

    def __init__(self, key: str, file: EvalFile, replays: CaseReplays) -> None:
        self.key = key
        self.file = file
        self.replays = replays
        self._checks: OrderedDict[str, CheckedCase] = OrderedDict()
        """The last check of each content, by fingerprint."""
        self._described: dict[str, EvalCaseInfo] = {}
        """What is known of each content without a replay, by fingerprint."""
        self._timelines: OrderedDict[str, tuple[Sequence[Event], Sequence[TimelineRow]]] = OrderedDict()
        """The timelines that were read last, by fingerprint."""

    async def summarize(self) -> EvalFileSummary:
        """Return the file as the browser lists it; one that cannot be read now has a problem."""
        count, problem = 0, ""
        try:
            count = len((await asyncio.to_thread(self.file.read)).cases)
        except (SimulatorError, OSError) as error:
            problem = str(error)
        return EvalFileSummary(
            key=self.key, path=str(self.file.path), kind=self.file.kind, case_count=count, problem=problem
        )

    async def find_key_of(self, eval_id: str) -> str:
        """Return the key of the last case with an id; empty if there is none, or the file cannot be read now."""
        try:
            cases = (await asyncio.to_thread(self.file.read)).cases
        except (SimulatorError, OSError):
            return ""
        return next((case.key for case in reversed(cases) if case.eval_id == eval_id), "")

    async def describe(self) -> EvalFileInfo:
        """Return the file with its cases."""
        return await asyncio.to_thread(self._describe)

    def _describe(self) -> EvalFileInfo:
        content = self.file.read()
        editor = self.file.editor if content.is_editable else None
        current = {case.fingerprint for case in content.cases}
        # Contents that were edited away would otherwise stay in memory.
        self._described = {key: known for key, known in self._described.items() if key in current}
        return EvalFileInfo(
            key=self.key,
            path=str(self.file.path),
            kind=self.file.kind,
            version=content.version,
            is_editable=content.is_editable,
            has_agent=self.replays.has_agent,
            undo_label=editor.undo_label if editor else "",
            redo_label=editor.redo_label if editor else "",
            cases=[self._describe_case(case) for case in content.cases],
        )

    async def describe_case(self, case_key: str) -> EvalCaseDetail:
        """Return a case with its fields and its last check."""
        schemas = await self.replays.load_schemas()
        return await asyncio.to_thread(self._describe_detail, case_key, schemas)

    async def check(self, case_key: str) -> EvalCaseDetail:
        """Replay a case on the real tools, score the replay with ADK's metrics, and return the case with both."""
        case = await asyncio.to_thread(self.file.find_case, case_key)
        self._checks[case.fingerprint] = await self.replays.check(self.file, case)
        self._checks.move_to_end(case.fingerprint)
        while len(self._checks) > _MAX_CHECKS:
            self._checks.popitem(last=False)
        return await self.describe_case(case_key)

    async def compare(self, case_key: str, other_name: str, other: OpenedCase) -> CaseCheckInfo:
        """Score another recording of the same conversation with ADK's metrics."""
        case = await asyncio.to_thread(self.file.find_case, case_key)
        return _shorten_check(await asyncio.to_thread(compare_case, self.file, case, other, other_name))

    async def list_rows(self, case_key: str, start: int, count: int) -> list[TimelineRow]:
        """Return up to `count` rows of a case from index `start` on."""
        _, rows = await asyncio.to_thread(self._build_timeline, case_key)
        return [end_open_row(row) for row in rows[start : start + count]]

    async def get_row_detail(self, case_key: str, index: int, *, full: bool) -> RowDetail:
        """Return the values and files of a row; long values are cut unless `full`."""
        row, row_events = await self._load_row_events(case_key, index)
        url = f"/api/evals/{self.key}/cases/{case_key}/rows/{index}/media"
        return await row_details.build_row_detail(row, row_events, _read_no_block, url=url, full=full)

    async def get_media_file(self, case_key: str, index: int, file_index: int) -> row_details.MediaContent:
        """Return an image or file of a row."""
        _, row_events = await self._load_row_events(case_key, index)
        files = await row_details.load_media(row_events, _read_no_block)
        if not 0 <= file_index < len(files):
            raise NotFound(f"Row {index} has no file {file_index}.")
        return files[file_index]

    async def edit(self, act: Callable[[], str]) -> EvalEditResult:
        """Edit a case in a worker thread; `act` returns the key of the case after it."""
        case_key = await asyncio.to_thread(act)
        return EvalEditResult(file=await self.describe(), case_key=case_key)

    async def undo_or_redo(self, act: Callable[[], str]) -> EvalEditResult:
        """Undo or redo an edit in a worker thread; `act` returns what it was."""
        label = await asyncio.to_thread(act)
        return EvalEditResult(file=await self.describe(), case_key="", label=label)

    async def correct(self, case_key: str, correction: CaseCorrectionInput) -> EvalEditResult:
        """Replace values of a case."""
        new_key, is_copy = await asyncio.to_thread(self._correct, case_key, correction)
        return EvalEditResult(file=await self.describe(), case_key=new_key, is_copy=is_copy)

    def _correct(self, case_key: str, correction: CaseCorrectionInput) -> tuple[str, bool]:
        base = self.file.editor.find_opened(case_key, correction.fingerprint)
        kinds = {field.path: field.kind for field in list_fields(base)}
        values: dict[str, Json] = {
            each.path: each.value
            if kinds.get(each.path) == "text"
            else parse_json_object_input(each.value, "The value")
            for each in correction.values
        }
        return self.file.editor.correct(case_key, correction.fingerprint, values, keep_both=correction.keep_both)

    def _describe_case(self, case: OpenedCase) -> EvalCaseInfo:
        if case.fingerprint not in self._described:
            self._described[case.fingerprint] = describe_case(case, has_agent=self.replays.has_agent)
        known = self._checks.get(case.fingerprint)
        described = known.case if known else self._described[case.fingerprint]
        # The key is the one that the file has now: a check is kept for the content, wherever that stands.
        return described.model_copy(
            update={"key": case.key, "first_message": described.first_message[:_MAX_SUMMARY_CHARS]}
        )

    def _describe_detail(self, case_key: str, schemas: Mapping[str, Mapping[str, Any]]) -> EvalCaseDetail:
        content = self.file.read()
        case = self.file.find_case(case_key)
        if content.is_editable and case.content is not None:
            # A correction says which content it is about, which may not be in the file any more by then.
            self.file.editor.remember_content(case.fingerprint, case.content)
        described = self._describe_case(case)
        fields = [_build_field(field, schemas) for field in list_fields(case.content or {})]
        shown = [field for field in fields if len(field.value) <= MAX_FIELD_CHARS][:_MAX_FIELDS]
        known = self._checks.get(case.fingerprint)
        return EvalCaseDetail(
            case=described,
            row_count=0 if described.problem else len(self._build_timeline(case_key)[1]),
            fields=shown,
            omitted_field_count=len(fields) - len(shown),
            is_editable=content.is_editable,
            check=_shorten_check(known.check) if known and known.check else None,
        )

    def _build_timeline(self, case_key: str) -> tuple[Sequence[Event], Sequence[TimelineRow]]:
        case = self.file.find_case(case_key)
        known = self._timelines.get(case.fingerprint)
        if known is not None:
            return known
        try:
            events = case.build_events()
        except ValueError as error:
            raise NotFound(f"The case has no timeline: {error}.") from error
        built = (events, build_case_rows(events))
        self._timelines[case.fingerprint] = built
        while len(self._timelines) > _MAX_TIMELINES:
            self._timelines.popitem(last=False)
        return built

    async def _load_row_events(self, case_key: str, index: int) -> tuple[TimelineRow, Sequence[row_details.RowEvent]]:
        events, rows = await asyncio.to_thread(self._build_timeline, case_key)
        if not 0 <= index < len(rows):
            raise NotFound(f"There is no row {index}; the case has {len(rows)} rows.")
        return rows[index], [(events[source.seq - 1], source.part_index) for source in rows[index].sources]


async def _read_no_block(block_id: str) -> bytes:
    raise NotFound("A file of eval cases has no artifacts.")


def _build_field(field: CaseField, schemas: Mapping[str, Mapping[str, Any]]) -> CaseFieldInfo:
    """Return a field as a person corrects it; `schemas` are those of the arguments of tools, by name."""
    schema = schemas.get(field.tool_name) if field.is_arguments else None
    return CaseFieldInfo(
        path=field.path,
        turn=field.turn,
        label=field.label,
        kind=field.kind,
        value=field.value if field.kind == "text" else format_json_value(field.value),
        tool_name=field.tool_name,
        value_schema=None if schema is None else dict(schema),
    )


def _shorten_check(check: CaseCheckInfo) -> CaseCheckInfo:
    """Return what a check found with values that are cut: the browser shows what differs, not all of it."""
    differences = [_shorten(each, "recorded", "found") for each in check.differences[:_MAX_DIFFERENCES]]
    turns = [
        _shorten(turn, "expected_response", "actual_response").model_copy(
            update={"calls": [_shorten(call, "expected_arguments", "actual_arguments") for call in turn.calls]}
        )
        for turn in check.turns
    ]
    return check.model_copy(update={"differences": differences, "turns": turns})


def _shorten(record: _R, *names: str) -> _R:
    values: dict[str, str] = {name: getattr(record, name) for name in names}
    long = {name: f"{value[:_MAX_VALUE_CHARS]}…" for name, value in values.items() if len(value) > _MAX_VALUE_CHARS}
    return record.model_copy(update=long) if long else record
