"""The files of eval cases that the server was started with, or has converted: reads, checks and edits no other file."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adk_agent_sim.adk.evals.case_badge import (
    CaseBadge,
    create_first_badge,
    create_unchecked_badge,
    find_recording_obstacle,
)
from adk_agent_sim.adk.evals.case_metrics import list_invocations, score_case
from adk_agent_sim.adk.evals.case_report import score_replay
from adk_agent_sim.adk.evals.eval_set_conversion import convert_beside
from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.errors import NotFound, SimulatorError
from adk_agent_sim.golden.case_fields import list_fields
from adk_agent_sim.golden.case_rows import build_case_rows
from adk_agent_sim.golden.eval_file import CaseSummary, EvalFile, OpenedCase, summarize_case, summarize_recording
from adk_agent_sim.golden.golden_trace_builder import to_snake_case
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.evals.api_models import (
    BadgeInfo,
    CaseCheckInfo,
    CaseCorrectionInput,
    EvalCaseDetail,
    EvalCaseInfo,
    EvalConversionResult,
    EvalEditResult,
    EvalFileInfo,
    EvalFileSummary,
)
from adk_agent_sim.server.evals.case_replays import CaseReplays, LoadedAgent
from adk_agent_sim.server.evals.eval_views import build_check_info, build_field_info
from adk_agent_sim.server.sessions import row_details
from adk_agent_sim.server.sessions.row_api_models import Row, RowDetail, to_api_row
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.json_input import parse_json_object_input
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

MAX_FIELD_CHARS = 100_000
"""How long a value may be to be corrected in the browser."""

_MAX_FIELDS = 1_000
_MAX_SUMMARY_CHARS = 300
_MAX_CHECKS = 1_000
_MAX_TIMELINES = 4


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
        converted = await asyncio.to_thread(convert_beside, source.file)
        opened = self._open(EvalFile(converted.path, "evalset"), source.replays)
        return EvalConversionResult(
            key=opened.key,
            path=str(converted.path),
            case_count=converted.case_count,
            omitted_turn_count=converted.omitted_turn_count,
        )

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
        self._checks: OrderedDict[str, tuple[CaseBadge, CaseCheckInfo]] = OrderedDict()
        """The last check of each content, by fingerprint."""
        self._summaries: dict[str, tuple[CaseSummary, CaseBadge]] = {}
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
        self._summaries = {key: known for key, known in self._summaries.items() if key in current}
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
        badge = await self.replays.check(case)
        try:
            scores, problem = score_replay(self.file, case, badge), ""
        except SimulatorError as error:
            scores, problem = None, str(error)
        self._remember(case, badge, build_check_info("a replay on the current tools", badge.replay, scores, problem))
        return await self.describe_case(case_key)

    async def compare(self, case_key: str, other_name: str, other: OpenedCase) -> CaseCheckInfo:
        """Score another recording of the same conversation with ADK's metrics."""
        case = await asyncio.to_thread(self.file.find_case, case_key)
        scores = await asyncio.to_thread(score_case, list_invocations(case), list_invocations(other), self.file.path)
        return build_check_info(other_name, None, scores, "")

    async def list_rows(self, case_key: str, start: int, count: int) -> list[Row]:
        """Return up to `count` rows of a case from index `start` on."""
        _, rows = await asyncio.to_thread(self._build_timeline, case_key)
        return [to_api_row(row, is_live=False) for row in rows[start : start + count]]

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
        summary, unchecked = self._summarize(case)
        known = self._checks.get(case.fingerprint)
        badge = known[0] if known else unchecked
        return EvalCaseInfo(
            key=case.key,
            eval_id=case.eval_id,
            fingerprint=case.fingerprint,
            app_name=summary.app_name,
            first_message=summary.first_message[:_MAX_SUMMARY_CHARS],
            turn_count=summary.turn_count,
            call_count=summary.call_count,
            badge=BadgeInfo(state=badge.state, reason=badge.reason),
            metrics=known[1].metrics if known else [],
        )

    def _summarize(self, case: OpenedCase) -> tuple[CaseSummary, CaseBadge]:
        if case.fingerprint not in self._summaries:
            self._summaries[case.fingerprint] = self._inspect(case)
        return self._summaries[case.fingerprint]

    def _inspect(self, case: OpenedCase) -> tuple[CaseSummary, CaseBadge]:
        has_agent = self.replays.has_agent
        try:
            recording = case.build_recording()
        except ValueError:
            return summarize_case(case), create_unchecked_badge(case, has_agent=has_agent)
        badge = create_first_badge(find_recording_obstacle(recording), has_agent=has_agent)
        return summarize_recording(case, recording), badge

    def _describe_detail(self, case_key: str, schemas: Mapping[str, Mapping[str, Any]]) -> EvalCaseDetail:
        content = self.file.read()
        case = self.file.find_case(case_key)
        if content.is_editable and case.content is not None:
            # A correction says which content it is about, which may not be in the file any more by then.
            self.file.editor.remember_content(case.fingerprint, case.content)
        problem = self._summarize(case)[0].problem
        fields = [build_field_info(field, schemas) for field in list_fields(case.content or {})]
        shown = [field for field in fields if len(field.value) <= MAX_FIELD_CHARS][:_MAX_FIELDS]
        known = self._checks.get(case.fingerprint)
        return EvalCaseDetail(
            case=self._describe_case(case),
            row_count=0 if problem else len(self._build_timeline(case_key)[1]),
            fields=shown,
            omitted_field_count=len(fields) - len(shown),
            is_editable=content.is_editable,
            problem=problem,
            check=known[1] if known else None,
        )

    def _remember(self, case: OpenedCase, badge: CaseBadge, check: CaseCheckInfo) -> None:
        # Without the replay itself, whose events would stay in memory.
        light = CaseBadge(state=badge.state, reason=badge.reason)
        self._checks[case.fingerprint] = (light, check)
        self._checks.move_to_end(case.fingerprint)
        while len(self._checks) > _MAX_CHECKS:
            self._checks.popitem(last=False)

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
