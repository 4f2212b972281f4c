"""The mock `replay`: responds with what the same calls got in a recording.

call --> equal arguments? -------------------------------> the recorded response
              |                                                  ^
              no --> equal with the ids of this run renamed? ----+---> renamed back
              |                                                  |
              no --> equal if ids from the same field of the same tool's responses are partners? exactly one call?

Several recordings can be in a file: those that have no such call are ruled out by the first call that one of them has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.golden.recording import RecordedToolCall, Recording
from adk_agent_sim.mocks.identifiers import IdOrigins, IdPairs, IdRenaming, pair_ids, unify_arguments
from adk_agent_sim.mocks.tool_results import is_error_response
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, is_refused_call, is_request_call
from adk_agent_sim.timeline.json_equality import equals_value, is_same_value


# Calls are compared by identity: two of them may be equal in all that they have.
@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ReplayableCall:
    """A recorded call of a tool, and what the model got for it."""

    reference: str
    """Identifies it among the calls of all recordings of a session, such as `golden.evalset.json, refund: call 2`."""

    tool: str
    agent: str
    """The calling agent; empty if the source does not name it."""

    args: Mapping[str, Json]
    """The arguments in their normal form."""

    response: Mapping[str, Json]
    error: str
    """The exception that the tool raised, as `Type: message`; empty if it returned."""

    is_error: bool
    """Whether the response reports an error."""

    inner_calls: Sequence[str] = ()
    """The references of the calls that agents made inside of this call."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class RecordedCallLog:
    """The calls of one recording, in order."""

    name: str
    """The eval id, or the id of the session."""

    calls: Sequence[ReplayableCall]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ReplaySource:
    """All recordings of a file."""

    label: str
    """The file, as the rules name it."""

    logs: Sequence[RecordedCallLog]


def build_replay_source(label: str, recordings: Sequence[Recording]) -> ReplaySource:
    """Return the calls of recordings.

    Args:
        label: The file, as the rules name it.
        recordings: What the file contains.
    """
    is_single = len(recordings) == 1
    return ReplaySource(
        label=label,
        logs=[
            RecordedCallLog(name=each.name, calls=_build_calls(label if is_single else f"{label}, {each.name}", each))
            for each in recordings
        ],
    )


def _build_calls(label: str, recording: Recording) -> list[ReplayableCall]:
    found = [call for call in _iter_answered_calls(recording) if call.tool_name not in CONTROL_TOOLS]
    references = [f"{label}: call {number}" for number in range(1, len(found) + 1)]
    inner: dict[str, list[tuple[str, str]]] = {}
    for call, reference in zip(found, references, strict=True):
        if call.key.path is not None and call.key.path.parent_call_id:
            inner.setdefault(call.key.path.parent_call_id, []).append((call.call_id, reference))
    return [
        ReplayableCall(
            reference=reference,
            tool=call.tool_name,
            agent=call.key.agent_name,
            args=normalize_value(dict(call.arguments)),
            response=call.response or {},
            error=call.error,
            is_error=bool(call.error) or is_error_response(call.response),
            inner_calls=list(_iter_inner_calls(inner, call.call_id)),
        )
        for call, reference in zip(found, references, strict=True)
    ]


def _iter_inner_calls(inner: Mapping[str, Sequence[tuple[str, str]]], call_id: str) -> Iterator[str]:
    for inner_id, reference in inner.get(call_id, ()) if call_id else ():
        yield reference
        # Without the calls above it, because ids that are used twice could form a circle.
        yield from _iter_inner_calls({key: value for key, value in inner.items() if key != call_id}, inner_id)


def _iter_answered_calls(recording: Recording) -> Iterator[RecordedToolCall]:
    """Yield the calls whose tools ran; one that waited for consent is in two runs, of which the last has the result."""
    calls = [call for run in recording.runs for call in run.calls]
    last = {call.call_id: call for call in calls if call.response is not None}
    for call in calls:
        is_last = not call.call_id or last.get(call.call_id) is call
        if call.response is None or not is_last or is_request_call(call.tool_name) or is_refused_call(call.response):
            continue
        yield call


_MAX_SHOWN = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveCall:
    """A call of this run."""

    tool: str
    agent: str
    args: Mapping[str, Json]
    """The arguments in their normal form, completed with the tool's defaults."""

    defaults: Mapping[str, Json]
    """The defaults of the tool's arguments, which complete recorded arguments too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayedResponse:
    """The response to a call."""

    call: ReplayableCall
    response: Mapping[str, Json]
    """The recorded response, with the ids of this run."""

    is_renamed: bool
    """Whether ids had to be renamed to find the call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Match:
    call: ReplayableCall
    pairs: IdPairs
    is_renamed: bool


class _AmbiguousMatch(Exception):
    """Several recorded calls can be meant."""

    def __init__(self, calls: Sequence[ReplayableCall]) -> None:
        super().__init__()
        self.calls = calls


class ReplayMock:
    """Answers the calls of one session from the recordings of a file, each recorded call once."""

    def __init__(self, source: ReplaySource) -> None:
        self._source = source
        self._logs = [_LogReplay(log) for log in source.logs]
        self._answers: dict[object, ReplayedResponse | MockImpossible] = {}
        """What was found for each call of the session; keys are the calls themselves."""
        self._observed: set[object] = set()
        self.new_uses: list[str] = []
        """The references of the recorded calls that were used and not taken by `take_new_uses`."""

    def has_seen(self, key: object) -> bool:
        """Whether a call of the session was answered here, or observed."""
        return key in self._answers or key in self._observed

    def observe(self, key: object, call: LiveCall, response: Json, *, is_error: bool) -> None:
        """Learn from a call that something else answered: which ids of this run stand for which recorded ones."""
        self._observed.add(key)
        for log in self._logs:
            self._add_uses(log.observe(call, response, is_error=is_error))

    def respond(self, key: object, call: LiveCall) -> ReplayedResponse:
        """Return the response to a call; asked again for the same call, the same one.

        Args:
            key: Identifies the call in the session.
            call: The call.

        Raises:
            MockImpossible: No recorded call is meant, or it is not certain which.
        """
        answer = self._answers.get(key)
        if answer is None:
            try:
                answer = self._find_response(call)
            except MockImpossible as error:
                answer = error
            self._answers[key] = answer
        if isinstance(answer, MockImpossible):
            # The same exception is raised for each repeated question, and would collect a longer traceback every time.
            raise answer.with_traceback(None)
        return answer

    def take_new_uses(self) -> list[str]:
        """Return the references of the recorded calls that were used since the last time."""
        new, self.new_uses = self.new_uses, []
        return new

    def _add_uses(self, calls: Sequence[ReplayableCall]) -> None:
        for call in calls:
            self.new_uses += [call.reference, *call.inner_calls]

    def _find_response(self, call: LiveCall) -> ReplayedResponse:
        try:
            found = [(log, match) for log in self._logs if (match := log.find_match(call)) is not None]
        except _AmbiguousMatch as ambiguous:
            raise MockImpossible("", self._explain_ambiguity(ambiguous.calls)) from None
        if not found:
            raise MockImpossible("", self._explain_no_match(call))
        responses = [log.build_response(match) for log, match in found]
        first = responses[0]
        if not all(_is_same_response(first, each) for each in responses):
            raise MockImpossible("", self._explain_ambiguity([match.call for _, match in found]))
        self._logs = [log for log, _ in found]
        for log, match in found:
            self._add_uses(log.use(match, call, first.response))
        return first

    def _explain_ambiguity(self, calls: Sequence[ReplayableCall]) -> str:
        listed = " and ".join(f"{each.reference} ({_format(each.args)})" for each in calls[:2])
        advice = "; write `case:` to choose the recording" if len(self._source.logs) > 1 else ""
        return f"{listed} can both be meant, with different responses{advice}"

    def _explain_no_match(self, call: LiveCall) -> str:
        recorded = [each for log in self._logs for each in log.calls if each.tool == call.tool]
        if not recorded:
            return f"{self._source.label} has no response of {call.tool}"
        equal = [each for each in recorded if _to_key(each.args, call.defaults) == encode_json(call.args)]
        if equal:
            return f"{self._source.label} has {len(equal)} such calls, which were answered already"
        closest = min(recorded, key=lambda each: len(_list_differences(call, each)))
        differences = "; ".join(_list_differences(call, closest))
        return f"{self._source.label} has no such call; the closest is {closest.reference}: {differences}"


class _LogReplay:
    """Replays one recording in one session."""

    def __init__(self, log: RecordedCallLog) -> None:
        self.calls = log.calls
        self._left: dict[str, dict[ReplayableCall, None]] = {}
        """The calls that were not used yet, by tool, in order."""
        for call in log.calls:
            self._left.setdefault(call.tool, {})[call] = None
        self._by_reference = {call.reference: call for call in log.calls}
        self._keys: dict[tuple[ReplayableCall, bool], bytes] = {}
        """The arguments of calls, without and with the defaults of their tools."""
        self._renaming = IdRenaming()
        self._live_origins, self._recorded_origins = IdOrigins(), IdOrigins()
        for call in log.calls:
            self._recorded_origins.add_call(call.tool, call.args, call.response)

    def find_match(self, call: LiveCall) -> _Match | None:
        """Return the recorded call that is meant; None if there is none.

        Raises:
            _AmbiguousMatch: Several can be meant.
        """
        candidates = self._list_candidates(call)
        literal = self._find_equal(candidates, call, call.args)
        renamed_args = self._renaming.rename_to_recorded(call.args)
        renamed = self._find_equal(candidates, call, renamed_args) if renamed_args != call.args else None
        if literal is not None and renamed is not None and not is_same_value(literal.response, renamed.response):
            raise _AmbiguousMatch([literal, renamed])
        found = renamed or literal
        if found is not None:
            return _Match(call=found, pairs=(), is_renamed=renamed is not None)
        return self._find_by_origin(candidates, call)

    def _find_by_origin(self, candidates: Sequence[ReplayableCall], call: LiveCall) -> _Match | None:
        matches: dict[bytes, _Match] = {}
        for each in candidates:
            recorded = {**call.defaults, **each.args}
            origins = (self._live_origins, self._recorded_origins)
            pairs = unify_arguments(call.args, normalize_value(recorded), self._renaming, *origins)
            if pairs is not None:
                matches.setdefault(encode_json(each.args), _Match(call=each, pairs=pairs, is_renamed=True))
        if len(matches) > 1:
            raise _AmbiguousMatch([each.call for each in matches.values()])
        return next(iter(matches.values()), None)

    def _list_candidates(self, call: LiveCall) -> list[ReplayableCall]:
        """Return the calls of the tool that are left: those of the same agent, if there are any."""
        found = list(self._left.get(call.tool, ()))
        return [each for each in found if each.agent == call.agent] or found

    def _find_equal(
        self, candidates: Sequence[ReplayableCall], call: LiveCall, args: Mapping[str, Json]
    ) -> ReplayableCall | None:
        """Return the first call with these arguments; equal calls get their responses in the recorded order."""
        wanted = encode_json(normalize_value(args))
        return next((each for each in candidates if self._get_key(each, call.defaults) == wanted), None)

    def _get_key(self, recorded: ReplayableCall, defaults: Mapping[str, Json]) -> bytes:
        # The defaults of a tool never change, so whether there are any identifies them.
        key = (recorded, bool(defaults))
        if key not in self._keys:
            self._keys[key] = _to_key(recorded.args, defaults)
        return self._keys[key]

    def build_response(self, match: _Match) -> ReplayedResponse:
        """Return the response of a recorded call with the ids of this run."""
        known = self._renaming
        if match.pairs:
            known = known.copy()
            known.bind(match.pairs)
        response = known.rename_to_live(match.call.response)
        return ReplayedResponse(call=match.call, response=response, is_renamed=match.is_renamed)

    def use(self, match: _Match, call: LiveCall, response: Json) -> list[ReplayableCall]:
        """Remember that a recorded call was used; returns it, with those that ran inside of it."""
        self._discard(match.call)
        self._renaming.bind(match.pairs)
        # An id that is given as it was recorded means itself from now on.
        self._renaming.bind(pair_ids(response, match.call.response))
        self._live_origins.add_call(call.tool, call.args, response)
        for inner in match.call.inner_calls:
            self._discard(self._by_reference[inner])
        return [match.call]

    def _discard(self, call: ReplayableCall) -> None:
        self._left[call.tool].pop(call, None)

    def observe(self, call: LiveCall, response: Json, *, is_error: bool) -> list[ReplayableCall]:
        """Learn from a call that something else answered; returns the recorded call in whose place it was."""
        try:
            match = self.find_match(call)
        except _AmbiguousMatch:
            match = None
        if match is None or match.call.is_error != is_error:
            self._live_origins.add_call(call.tool, call.args, response)
            return []
        return self.use(match, call, response)


def _is_same_response(left: ReplayedResponse, right: ReplayedResponse) -> bool:
    return is_same_value(left.response, right.response) and left.call.error == right.call.error


def _to_key(args: Mapping[str, Json], defaults: Mapping[str, Json]) -> bytes:
    return encode_json(normalize_value({**defaults, **args}) if defaults else args)


def _list_differences(call: LiveCall, recorded: ReplayableCall) -> list[str]:
    return list(_iter_differences(call.args, {**call.defaults, **recorded.args}))


def _iter_differences(live: Mapping[str, Json], recorded: Mapping[str, Json]) -> Iterator[str]:
    for name in sorted({*live, *recorded}):
        if name not in recorded:
            yield f"it has no argument {name}"
        elif name not in live:
            yield f"it has the argument {name}"
        elif not equals_value(normalize_value(live[name]), normalize_value(recorded[name])):
            yield f"{name} is {_format(live[name])}, not {_format(recorded[name])}"


def _format(value: Json) -> str:
    text = encode_json(value).decode()
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
