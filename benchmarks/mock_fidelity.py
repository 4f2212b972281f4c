"""Measures how close mocks are to real tools, on recorded calls of the apps of ARE, without their code.

    python benchmarks/mock_fidelity.py [--quick]

The corpus has two sessions, in which half of the calls try what goes wrong. The first half of the calls of each tool is
what a mock may know, when they happen; the others are measured: whether the mock responds with an error where the tool
did and only there; of the responses without an error, the share with the right shape (the same fields and types), for
tools that declare their results and for others; and of those with ids, the share with the right ids. An id that a call
creates may be another one, if all later calls agree on it. The table is in docs/mocks.md; nothing here passes or fails.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from typing import Any, Protocol, cast

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from scenario_corpus import load_lines, load_manifest, load_sandbox, load_universe

from adk_agent_sim.environment.shadow_check import has_same_shape
from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.golden.recording import RecordedRun, RecordedToolCall, Recording, StreamKey
from adk_agent_sim.mocks.identifiers import IdRenaming, is_id_name, is_random, iter_leaves, pair_ids
from adk_agent_sim.mocks.mocked_call import KeyedDraws, ResourceOperation, ToolSpec
from adk_agent_sim.mocks.replay_mock import LiveCall, ReplayMock, build_replay_source
from adk_agent_sim.mocks.resource_store import ResourceStore, infer_role, list_created_nouns
from adk_agent_sim.mocks.schema_mock import get_schema_mock
from adk_agent_sim.mocks.stateful_mock import StatefulMock
from adk_agent_sim.timeline.canonical_json import encode_json, normalize_value
from adk_agent_sim.timeline.content_parts import unwrap_result, wrap_result

_SIMPLE_TYPES: Mapping[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "NoneType": {"type": "null"},
    "None": {"type": "null"},
    "dict": {"type": "object"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
}
_NEW_ID = re.compile(r"<NEW:\d+>")
_RECORDED_PREFIX, _LIVE_PREFIX = "aaaa", "bbbb"
"""How the ids begin that tools have made in the recorded session, and in this one."""

_CHANCE = "<RAND>"
"""What stands for a value that chance made."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A recorded call."""

    spec: ToolSpec
    args: dict[str, Any]
    is_writing: bool
    is_error: bool
    error: str
    response: Any


@dataclass
class Score:
    """What was counted for one mock."""

    answered: list[bool] = field(default_factory=list[bool])
    errors: list[bool] = field(default_factory=list[bool])
    declared_shapes: list[bool] = field(default_factory=list[bool])
    other_shapes: list[bool] = field(default_factory=list[bool])
    ids: list[bool] = field(default_factory=list[bool])
    seconds: float = 0.0

    def format_row(self, name: str) -> str:
        """Returns a row of the table."""
        counts = (self.answered, self.errors, self.declared_shapes, self.other_shapes, self.ids)
        return (
            f"| {name} | " + " | ".join(f"{sum(each) / max(len(each), 1):.0%} of {len(each)}" for each in counts) + " |"
        )


class Mock(Protocol):
    """A mock that is measured."""

    def learn(self, call: Call) -> None:
        """Learn a call of the first half."""
        ...

    def respond(self, call: Call, args: dict[str, Any]) -> tuple[Any, bool]:
        """Return the response to a call, and whether it is an error; raises MockImpossible if there is none."""
        ...


class _SchemaMocks:
    def learn(self, call: Call) -> None:
        pass

    def respond(self, call: Call, args: dict[str, Any]) -> tuple[Any, bool]:
        return get_schema_mock(call.spec).respond(args, _draw(call, args)).value, False


class _StatefulMocks:
    """Responds to a known call as the tool did, as with `tracing` in ADK's config, and to others from the store."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self._mock = StatefulMock(ResourceStore(), list_created_nouns(tuple(specs)))
        self._known: dict[tuple[str, bytes], Call] = {}
        self._count = 0

    def learn(self, call: Call) -> None:
        self._known[_get_key(call, call.args)] = call
        role = infer_role(call.spec, call.args)
        if role is not None and not call.is_error:
            self._mock.restore(call.spec, role, call.args, call.response)

    def respond(self, call: Call, args: dict[str, Any]) -> tuple[Any, bool]:
        if (known := self._known.get(_get_key(call, args))) is not None:
            return known.response, known.is_error
        self._count += 1
        role = infer_role(call.spec, args)
        if role is None:
            return get_schema_mock(call.spec).respond(args, _draw(call, args)).value, False
        number = self._count if role.operation is ResourceOperation.CREATE else 0
        response = self._mock.respond(call.spec, role, args, _draw(call, args, number))
        return response.value, response.is_error


class _Replay:
    """Replays a recording; what it is given of it is decided when it is created."""

    def __init__(self, recorded: Sequence[Call]) -> None:
        self._mock = ReplayMock(build_replay_source("recorded", [_build_recording(recorded)]))

    def learn(self, call: Call) -> None:
        pass

    def respond(self, call: Call, args: dict[str, Any]) -> tuple[Any, bool]:
        replayed = self._mock.respond(object(), _to_live_call(call, args))
        return unwrap_result(replayed.response), replayed.call.is_error


class _ReplayBesideTools(_Replay):
    """Replays what reads from a recording of the session, while real tools write, and make other ids than recorded."""

    def __init__(self, recorded: Sequence[Call]) -> None:
        super().__init__(recorded)
        self._live_ids: dict[str, str] = {}
        """By recorded id, the one of this run: another one if a real tool made it, the same if it was replayed."""

    def learn(self, call: Call) -> None:
        if not call.is_writing:
            self.respond(call, call.args)
            return
        live = _to_live_call(call, self.make_live(call.args, is_made_here=False))
        response = _wrap(call, self.make_live(call.response, is_made_here=True))
        self._mock.observe(object(), live, response, is_error=call.is_error)

    def respond(self, call: Call, args: dict[str, Any]) -> tuple[Any, bool]:
        answer = super().respond(call, self.make_live(call.args, is_made_here=False))
        self.make_live(call.response, is_made_here=False)
        return answer

    def make_live(self, value: Any, *, is_made_here: bool) -> Any:
        """Return a recorded value with the ids of this run; those that are new were made by a real tool, or not."""

        def rename(found: re.Match[str]) -> str:
            return self._live_ids.setdefault(found[0], f"{_LIVE_PREFIX}{found[1]}" if is_made_here else found[0])

        return json.loads(re.sub(rf"{_RECORDED_PREFIX}([0-9a-f]{{28}})", rename, encode_json(value).decode()))


def _draw(call: Call, args: Mapping[str, Any], number: int = 0) -> KeyedDraws:
    return KeyedDraws(int(_hash(repr((*_get_key(call, args), number)))[:16], 16))


def _get_key(call: Call, args: Mapping[str, Any]) -> tuple[str, bytes]:
    return call.spec.name, encode_json(normalize_value(dict(args)))


def _to_live_call(call: Call, args: Mapping[str, Any]) -> LiveCall:
    return LiveCall(tool=call.spec.name, agent="", args=normalize_value(dict(args)), defaults={})


def _wrap(call: Call, response: Any) -> dict[str, Any]:
    return {"error": call.error} if call.is_error else wrap_result(response)


def _build_recording(calls: Sequence[Call]) -> Recording:
    recorded = [
        RecordedToolCall(
            key=StreamKey(),
            call_id=f"call-{number}",
            tool_name=call.spec.name,
            arguments=call.args,
            response=_wrap(call, call.response),
            actions={},
            error=call.error,
        )
        for number, call in enumerate(calls)
    ]
    run = RecordedRun(
        message=None, is_query=True, decisions=(), calls=recorded, texts=(), final_text=None, outcome=None
    )
    return Recording(name="recorded", app_name="", user_id="", state={}, runs=[run])


def load_sessions() -> list[list[Call]]:
    """Return the calls of agents in the two sessions of the corpus, without those whose response it has as a hash."""
    manifest, specs = load_manifest(), dict[tuple[str, str], ToolSpec]()
    rows = [row for row in load_lines("tool_calls.jsonl") if row["via"] == "agent" and "ret_sha256" not in row]
    classes = {
        "A": {each["name"]: each["class_name"] for each in load_universe()},
        "B": {each["name"]: each["class_name"] for each in load_sandbox()["apps"]},
    }
    sessions: dict[str, list[Call]] = {"A": [], "B": []}
    for row in rows:
        tool = manifest[classes[row["in"]][row["app"]]]["tools"][row["fn"]]
        key = (classes[row["in"]][row["app"]], f"{row['app']}__{row['fn']}")
        if key not in specs:
            specs[key] = _build_spec(key[1], tool)
        error = ": ".join(row["exc"]) if "exc" in row else ""
        sessions[row["in"]].append(
            Call(
                spec=specs[key],
                args=_name_ids(row["args"]),
                is_writing=tool["operation"] == "WRITE",
                is_error=bool(error),
                error=error,
                response=_name_ids(row.get("ret")),
            )
        )
    return list(sessions.values())


def _name_ids(value: Any) -> Any:
    """Return a value with ids such as tools make them, in place of the corpus' numbers for new ones."""
    text = encode_json(value).decode()
    return json.loads(_NEW_ID.sub(lambda found: f"{_RECORDED_PREFIX}{_hash(found[0])[4:]}", text))


def _hash(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _build_spec(name: str, tool: Mapping[str, Any]) -> ToolSpec:
    properties = {each["name"]: _read_type(each["type"]) or {} for each in tool["args"]}
    results = _read_type(tool["returns"] or "")
    return ToolSpec(
        name=name,
        parameters={"type": "object", "properties": properties},
        results=results if results != {"type": "object"} else None,
        results_origin="return annotation" if results else "",
    )


def _read_type(text: str) -> dict[str, Any] | None:
    """Return the schema of an annotation; None if it names a class, whose fields nobody knows."""
    known = [_SIMPLE_TYPES.get(each.split("[str, Any]")[0].strip()) for each in text.split(" | ")]
    found = [each for each in known if each is not None]
    if len(found) < len(known):
        return None
    return found[0] if len(found) == 1 else {"anyOf": found}


def split_calls(calls: Sequence[Call]) -> list[tuple[Call, bool]]:
    """Return the calls in order, each with whether it belongs to the first half of the calls of its tool."""
    totals, counts = Counter(call.spec.name for call in calls), Counter[str]()
    found: list[tuple[Call, bool]] = []
    for call in calls:
        counts[call.spec.name] += 1
        found.append((call, counts[call.spec.name] <= totals[call.spec.name] // 2))
    return found


def measure(mock: Mock, calls: Sequence[Call], score: Score) -> None:
    """Let a mock learn the first half of the calls of each tool, and answer the others."""
    seen: set[Any] = set()
    renaming = IdRenaming()
    for call, is_given in split_calls(calls):
        if is_given or (isinstance(mock, _ReplayBesideTools) and call.is_writing):
            mock.learn(call)
        else:
            _measure_call(mock, call, score, renaming, seen)
        seen |= _list_ids(call.args) | _list_ids(call.response)


def _measure_call(mock: Mock, call: Call, score: Score, renaming: IdRenaming, seen: Set[Any]) -> None:
    start = time.perf_counter()
    try:
        value, is_error = mock.respond(call, renaming.rename_to_live(call.args))
    except MockImpossible:
        value, is_error = None, None
    score.seconds += time.perf_counter() - start
    score.answered.append(is_error is not None)
    score.errors.append(is_error == call.is_error)
    if call.is_error:
        return
    is_renamed = isinstance(mock, _ReplayBesideTools)
    expected = mock.make_live(call.response, is_made_here=False) if is_renamed else call.response
    value, expected = _strip_chance(value, expected)
    shapes = score.declared_shapes if call.spec.results is not None else score.other_shapes
    shapes.append(is_error is False and has_same_shape(value, expected))
    if wanted := _list_ids(expected):
        if call.is_writing and is_error is False:
            renaming.bind([(own, other) for own, other in _pair(value, expected) if other not in seen])
        score.ids.append(is_error is False and _list_ids(renaming.rename_to_recorded(value)) == wanted)


def _pair(value: Any, expected: Any) -> Sequence[tuple[Any, Any]]:
    return pair_ids(wrap_result(value), wrap_result(expected))


def _strip_chance(value: Any, expected: Any) -> tuple[Any, Any]:
    """Return two values without the fields that chance decided."""
    if not isinstance(expected, dict):
        return value, expected
    fields = cast("dict[str, Any]", expected)
    left_out = {key for key, inner in fields.items() if inner == _CHANCE}
    return _omit(value, left_out), _omit(fields, left_out)


def _omit(value: Any, names: Set[str]) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in cast("dict[str, Any]", value).items() if key not in names}


def _list_ids(value: Any) -> set[Any]:
    """Return the ids in a value: what a field with the name of an id has, or what looks as if it were generated."""
    return {
        leaf.value
        for leaf in iter_leaves(value)
        if isinstance(leaf.value, str | int)
        and not isinstance(leaf.value, bool)
        and (is_id_name(leaf.name) or is_random(leaf.value))
    }


def build_table(*, limit: int | None = None) -> tuple[list[str], dict[str, Score]]:
    """Return the table as lines of Markdown, and the scores by mock."""
    scores: dict[str, Score] = {}
    for session in load_sessions():
        calls = session[:limit]
        mocks: dict[str, Mock] = {
            "`schema`": _SchemaMocks(),
            "`stateful`, given the first half": _StatefulMocks([call.spec for call in calls]),
            "`replay` of the first half": _Replay([call for call, is_given in split_calls(calls) if is_given]),
            "`replay` of the session, beside real tools that write, and make other ids": _ReplayBesideTools(calls),
        }
        for name, mock in mocks.items():
            measure(mock, calls, scores.setdefault(name, Score()))
    columns = "answered | an error or none, rightly | right shape, declared | right shape, not declared | right ids"
    head = [f"| mock | {columns} |", "|---|---|---|---|---|---|"]
    return [*head, *(score.format_row(name) for name, score in scores.items())], scores


def main(*, quick: bool) -> None:
    """Print the table, and what a response took."""
    lines, scores = build_table(limit=40 if quick else None)
    print("\n".join(lines))
    for name, score in scores.items():
        print(f"{name}: {score.seconds / max(len(score.answered), 1) * 1e6:.0f} us a call")


if __name__ == "__main__":
    main(quick=arguments.read(__doc__).quick)
