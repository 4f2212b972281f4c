"""Changes of one case in an EvalSet's list of cases, which are applied to the list as it is at that moment. Also the
fields that a person corrects in a case: texts, arguments, results and state, by their path.

A change says what the case was before and is after. Its inverse undoes it, and both are refused where another writer
has changed the same case, so that nobody's edit is lost.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal, TypeAlias, cast

from adk_agent_sim.errors import EditConflict, EditRefused, NotFound
from adk_agent_sim.golden.eval_set import get_case_id, make_unique_id
from adk_agent_sim.timeline.canonical_json import Json, encode_json, equals_value

CaseContent = dict[str, Json]
"""A case as it is in the file, with the fields that ADK does not know."""

_RELOAD = "Reload it, and make the change again if it is still needed."


def compute_fingerprint(content: Json) -> str:
    """Return a short text that differs if the content does."""
    return sha256(encode_json(content)).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class PlacedCase:
    """A case and its place in the list."""

    content: CaseContent
    index: int
    previous_id: str | None
    """The id of the case before it; None if it is the first."""

    @property
    def eval_id(self) -> str:
        """The id of the case."""
        return get_case_id(self.content)

    @property
    def place(self) -> tuple[int, str | None]:
        """Where the case is."""
        return self.index, self.previous_id


@dataclass(frozen=True, kw_only=True)
class CaseChange:
    """A change of one case: added if it was not there before, removed if it is not there after."""

    label: str
    """What the change does, such as `delete a`."""

    before: PlacedCase | None
    after: PlacedCase | None

    def invert(self) -> CaseChange:
        """Return the change that takes this one back."""
        return CaseChange(label=self.label, before=self.after, after=self.before)

    @property
    def keeps_content(self) -> bool:
        """Whether only the id or the place changes, so that it fits any content."""
        if self.before is None or self.after is None:
            return False
        return replace_case_id(self.before.content, "") == replace_case_id(self.after.content, "")


def get_placed_case(cases: Sequence[CaseContent], index: int) -> PlacedCase:
    """Return a case of the list with its place."""
    previous = get_case_id(cases[index - 1]) if index else None
    return PlacedCase(content=cases[index], index=index, previous_id=previous)


def replace_case_id(content: Mapping[str, Json], eval_id: str) -> CaseContent:
    """Return the case with another id, under the name that the file uses for it."""
    name = "eval_id" if "eval_id" in content else "evalId"
    return {**content, name: eval_id}


def apply_change(cases: Sequence[CaseContent], change: CaseChange) -> tuple[list[CaseContent], CaseChange]:
    """Return the list after a change, and the change as it was made: a new case gets an id that is not taken.

    Raises:
        EditConflict: Another writer has changed or removed the case.
        EditRefused: Another case has the new id.
    """
    changed = list(cases)
    before = None if change.before is None else _take_case(changed, change, change.before)
    if change.after is None:
        return changed, CaseChange(label=change.label, before=before, after=None)
    ids = [get_case_id(case) for case in changed]
    content = change.after.content
    if before is None:
        content = replace_case_id(content, make_unique_id(change.after.eval_id, ids))
    elif change.keeps_content:
        # A rename or a move keeps what other writers have changed in the content meanwhile.
        content = replace_case_id(before.content, change.after.eval_id)
    is_renamed = before is not None and before.eval_id != change.after.eval_id
    if is_renamed and change.after.eval_id in ids:
        raise EditRefused(f"Another case has the id {change.after.eval_id[:100]!r}. Choose another id.")
    # A case that is not moved stays where it is now, even if others have moved its neighbours.
    stays = before is not None and change.before is not None and change.before.place == change.after.place
    index = before.index if before is not None and stays else _find_place(ids, change.after)
    changed.insert(index, content)
    applied = CaseChange(label=change.label, before=before, after=get_placed_case(changed, index))
    return changed, applied


def _take_case(cases: list[CaseContent], change: CaseChange, expected: PlacedCase) -> PlacedCase:
    """Remove the case that a change is about from the list, and return it as it is now."""
    indexes = [index for index, case in enumerate(cases) if get_case_id(case) == expected.eval_id]
    if not indexes:
        raise EditConflict(expected.eval_id, "was renamed or removed by another writer", _RELOAD)
    # Several cases of a file may have one id: the one with the expected content is meant.
    same = [index for index in indexes if equals_value(cases[index], expected.content)]
    if not same and (len(indexes) > 1 or not change.keeps_content):
        raise EditConflict(expected.eval_id, "was changed by another writer", _RELOAD)
    index = (same or indexes)[0]
    placed = get_placed_case(cases, index)
    del cases[index]
    return placed


def _find_place(ids: Sequence[str], wanted: PlacedCase) -> int:
    """Return the index after the case that it follows; without that case, its old index."""
    if wanted.previous_id is None:
        return 0
    if wanted.previous_id in ids:
        return ids.index(wanted.previous_id) + 1
    return min(wanted.index, len(ids))


FieldKind: TypeAlias = Literal["text", "object"]
"""A text, or a JSON object."""

PathStep: TypeAlias = str | int


@dataclass(frozen=True, kw_only=True)
class CaseField:
    """A value of a case that can be corrected."""

    path: str
    """Where the value is in the case, such as `conversation/0/final_response/parts/0/text`."""

    turn: int
    """The user turn, from 1; 0 for the case as a whole."""

    label: str
    """What the value is, such as `arguments of add`."""

    kind: FieldKind
    value: Json
    tool_name: str = ""
    """The tool that the value is about; empty if none."""

    is_arguments: bool = False
    """Whether the value is the arguments of a call."""


def list_fields(content: Mapping[str, Json]) -> list[CaseField]:
    """Return the fields of a case in the order in which they are read."""
    case = _CaseNode(content)
    fields = list(_iter_objects(case, "session_input", "state", label="state at the start"))
    for number, turn in enumerate(case.get("conversation").iter_items(), start=1):
        fields += _iter_turn(turn, number)
    return fields


def replace_fields(content: CaseContent, values: Mapping[str, Json]) -> CaseContent:
    """Return a copy of a case with other values; everything else stays as it is.

    Raises:
        NotFound: The case has no such field.
        EditRefused: A value has the wrong type.
    """
    known = {field.path: field for field in list_fields(content)}
    changed = copy.deepcopy(content)
    for path, value in values.items():
        field = known.get(path)
        if field is None:
            raise NotFound(f"The case has no field {path[:200]!r} that can be corrected. Open the case again.")
        if not isinstance(value, str if field.kind == "text" else dict):
            expected = "a string" if field.kind == "text" else "a JSON object"
            raise EditRefused(f"The value of {field.label} must be {expected}.")
        _set_value(changed, path, value)
    return changed


def _set_value(content: CaseContent, path: str, value: Json) -> None:
    *steps, last = path.split("/")
    target: Json = content
    for step in steps:
        target = target[_to_index(target, step)]
    target[_to_index(target, last)] = value


def _to_index(target: Json, step: str) -> PathStep:
    return int(step) if isinstance(target, list) else step


class _CaseNode:
    """A value of the case and its path; a value that is missing or has another type has no items."""

    def __init__(self, value: Json, path: str = "") -> None:
        self.value: Json = value
        self.path = path

    def get(self, name: str) -> _CaseNode:
        """Return a field by its name in snake case; ADK also reads camel case."""
        fields = _as_dict(self.value) or {}
        head, *rest = name.split("_")
        found = name if name in fields else head + "".join(word.capitalize() for word in rest)
        return self._step(fields.get(found), found)

    def iter_items(self) -> Iterator[_CaseNode]:
        """Yield the items of a list."""
        value: Json = self.value
        items = cast("list[Json]", value) if isinstance(value, list) else []
        for index, item in enumerate(items):
            yield self._step(item, index)

    def _step(self, value: Json, step: PathStep) -> _CaseNode:
        return _CaseNode(value, f"{self.path}/{step}" if self.path else str(step))


def _iter_turn(turn: _CaseNode, number: int) -> Iterator[CaseField]:
    yield from _iter_parts(turn.get("user_content"), number, "user message")
    data = turn.get("intermediate_data")
    calls = list(data.get("tool_uses").iter_items())
    responses = list(data.get("tool_responses").iter_items())
    # The lists of calls and responses are in the same order, unless calls run side by side.
    for call in calls:
        yield from _iter_call(call, number)
        matching = [each for each in responses if each.get("id").value == call.get("id").value]
        for response in matching[:1]:
            responses.remove(response)
            yield from _iter_response(response, number)
    for response in responses:
        yield from _iter_response(response, number)
    for said in data.get("intermediate_responses").iter_items():
        author, *parts = said.iter_items()
        for each in parts:
            yield from _iter_texts(each, number, f"text of {author.value}")
    for event in data.get("invocation_events").iter_items():
        yield from _iter_parts(event.get("content"), number, f"text of {event.get('author').value}")
    yield from _iter_parts(turn.get("final_response"), number, "final response")


def _iter_parts(content: _CaseNode, turn: int, label: str) -> Iterator[CaseField]:
    for part in content.get("parts").iter_items():
        yield from _iter_call(part.get("function_call"), turn)
        yield from _iter_response(part.get("function_response"), turn)
        yield from _iter_text(part, turn, label)


def _iter_texts(parts: _CaseNode, turn: int, label: str) -> Iterator[CaseField]:
    for part in parts.iter_items():
        yield from _iter_text(part, turn, label)


def _iter_text(part: _CaseNode, turn: int, label: str) -> Iterator[CaseField]:
    text = part.get("text")
    if isinstance(text.value, str):
        yield CaseField(path=text.path, turn=turn, label=label, kind="text", value=text.value)


def _iter_call(call: _CaseNode, turn: int) -> Iterator[CaseField]:
    yield from (
        replace(field, is_arguments=True) for field in _iter_objects(call, "args", label="arguments of", turn=turn)
    )


def _iter_response(response: _CaseNode, turn: int) -> Iterator[CaseField]:
    yield from _iter_objects(response, "response", label="result of", turn=turn)


def _iter_objects(owner: _CaseNode, *names: str, label: str, turn: int = 0) -> Iterator[CaseField]:
    """Yield the object at a path below a node, if there is one."""
    node = owner
    for name in names:
        node = node.get(name)
    tool_name: Json = owner.get("name").value
    value = _as_dict(node.value)
    if value is not None:
        name = tool_name if isinstance(tool_name, str) else ""
        yield CaseField(
            path=node.path,
            turn=turn,
            label=f"{label} {name}".strip(),
            kind="object",
            value=value,
            tool_name=name,
        )


def _as_dict(value: Json) -> dict[str, Json] | None:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None
