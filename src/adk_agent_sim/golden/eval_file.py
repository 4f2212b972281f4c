"""A file of eval cases as it is shown: an EvalSet of any format, whose cases can be edited, or a session of ADK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from google.adk.evaluation.eval_case import EvalCase
from google.adk.sessions import Session as AdkSession
from pydantic import ValidationError

from adk_agent_sim.errors import EditRefused, ImportRefused, NotFound
from adk_agent_sim.golden.case_changes import CaseContent
from adk_agent_sim.golden.eval_set import parse_adk_file, summarize_error
from adk_agent_sim.golden.eval_set_editor import EvalSetEditor, StoredCase, read_limited
from adk_agent_sim.golden.importers import convert_adk_session_to_events, convert_eval_case_to_events
from adk_agent_sim.golden.recording import Recording, build_recording
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.timeline.content_parts import extract_visible_text
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.strict_json import decode_text

EvalFileKind: TypeAlias = Literal["evalset", "session"]

_FORMAT_LABEL = "an EvalSet or an ADK session"
_Signature: TypeAlias = "tuple[int, int, int]"


@dataclass(frozen=True, kw_only=True)
class OpenedCase:
    """A case of the file: of an EvalSet, or the session that the file is."""

    key: str
    eval_id: str
    fingerprint: str

    content: CaseContent | None
    """The case as it is in the file; None if it is a session."""

    eval_case: EvalCase | None
    """The case as ADK reads it; None if it is a session."""

    adk_session: AdkSession | None = None
    """The session that the file is; None if it is a case."""

    @property
    def app_name(self) -> str:
        """The app that it names; empty if it names none."""
        if self.adk_session is not None:
            return self.adk_session.app_name
        session_input = self.eval_case.session_input if self.eval_case is not None else None
        return session_input.app_name if session_input is not None else ""

    def build_events(self) -> list[Event]:
        """Return the case as a timeline; raise ValueError if it has no conversation that could be shown."""
        if self.adk_session is not None:
            return convert_adk_session_to_events(self.adk_session)
        if self.eval_case is None:
            raise ValueError("it is empty")
        return convert_eval_case_to_events(self.eval_case)

    def build_recording(self) -> Recording:
        """Return what can be replayed; raise ValueError as `build_events`."""
        return build_recording(self.build_events(), self.eval_id)


@dataclass(frozen=True, kw_only=True)
class CaseSummary:
    """What a table shows of a case."""

    app_name: str
    first_message: str
    turn_count: int
    call_count: int
    problem: str = ""
    """Why the case has no timeline; empty if it has one."""


def summarize_case(case: OpenedCase) -> CaseSummary:
    """Return what a table shows of a case."""
    try:
        recording = case.build_recording()
    except ValueError as error:
        return CaseSummary(app_name="", first_message="", turn_count=0, call_count=0, problem=str(error))
    return summarize_recording(case, recording)


def summarize_recording(case: OpenedCase, recording: Recording) -> CaseSummary:
    """Return what a table shows of a case with this recording."""
    queries = [run for run in recording.runs if run.is_query]
    return CaseSummary(
        app_name=case.app_name,
        first_message=extract_visible_text(queries[0].message) if queries else "",
        turn_count=len(queries),
        call_count=sum(len(run.calls) for run in recording.runs),
    )


@dataclass(frozen=True, kw_only=True)
class EvalFileContent:
    """The file at one moment."""

    version: str
    """Differs if the file does."""

    cases: Sequence[OpenedCase]
    is_editable: bool


class EvalFile:
    """One file; what was read is kept until the file changes."""

    def __init__(self, path: Path, kind: EvalFileKind | None = None) -> None:
        """Open the file.

        Args:
            path: The file.
            kind: What it is, so that it is not read before its content is wanted; by default its content tells.

        Raises:
            ImportRefused: There is no such file, or it is something else.
        """
        self.path = path
        self.kind: EvalFileKind = kind or _detect_kind(path)
        self._editor = EvalSetEditor(path) if self.kind == "evalset" else None
        self._last: tuple[_Signature, EvalFileContent] | None = None

    @property
    def editor(self) -> EvalSetEditor:
        """The editor of its cases; raises EditRefused if it is a session."""
        if self._editor is None:
            raise EditRefused(
                f"{self.path} is a session of ADK, which is shown but not changed. Convert it to an EvalSet to edit it."
            )
        return self._editor

    def read(self) -> EvalFileContent:
        """Return the content of the file now; raise NotAnEvalSet or ImportRefused if it is something else."""
        signature = _get_signature(self.path)
        if self._last is not None and self._last[0] == signature:
            return self._last[1]
        content = self._read_cases()
        # A file that changed while it was read gets a signature that no file has.
        self._last = (signature, content) if signature == _get_signature(self.path) else None
        return content

    def find_case(self, key: str) -> OpenedCase:
        """Return a case by its key; raise NotFound."""
        case = next((each for each in self.read().cases if each.key == key), None)
        if case is None:
            raise NotFound("The case was renamed or removed in the meantime. Reload the list.")
        return case

    def _read_cases(self) -> EvalFileContent:
        if self._editor is None:
            return self._read_session()
        content = self._editor.read()
        # ADK's models of cases are slow to build, and an edit changes one case.
        known = {case.fingerprint: case.eval_case for case in self._last[1].cases} if self._last else {}
        cases = [_open_case(stored, known.get(stored.fingerprint)) for stored in content.cases]
        return EvalFileContent(version=content.version, cases=cases, is_editable=content.is_editable)

    def _read_session(self) -> EvalFileContent:
        data = read_limited(self.path)
        try:
            session = parse_adk_file(decode_text(data), AdkSession)
        except ValueError as error:
            raise ImportRefused(str(self.path), _FORMAT_LABEL, summarize_error(error)) from error
        version = sha256(data).hexdigest()[:32]
        case = OpenedCase(
            key="session", eval_id=session.id, fingerprint=version, content=None, eval_case=None, adk_session=session
        )
        return EvalFileContent(version=version, cases=[case], is_editable=False)


def _open_case(stored: StoredCase, known: EvalCase | None) -> OpenedCase:
    try:
        eval_case = known or EvalCase.model_validate(stored.content)
    except ValidationError:  # the whole file was valid, so this cannot be; the case is still listed
        eval_case = None
    return OpenedCase(
        key=stored.key,
        eval_id=stored.eval_id,
        fingerprint=stored.fingerprint,
        content=stored.content,
        eval_case=eval_case,
    )


def _detect_kind(path: Path) -> EvalFileKind:
    if not path.exists():
        raise ImportRefused(str(path), _FORMAT_LABEL, "there is no such file")
    read_limited(path)
    kind = detect_trace_kind(path)
    if kind == "evalset" or kind == "session":
        return kind
    raise ImportRefused(str(path), _FORMAT_LABEL, "it is neither of them")


def _get_signature(path: Path) -> _Signature:
    try:
        stat = path.stat()
    except FileNotFoundError:
        raise NotFound(f"{path} no longer exists. Restore it, then reload.") from None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
