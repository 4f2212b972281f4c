"""Changes of one case in an EvalSet's list of cases, which are applied to the list as it is at that moment.

A change says what the case was before and is after. Its inverse undoes it, and both are refused where another writer
has changed the same case, so that nobody's edit is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from adk_agent_sim.errors import EditConflict, EditRefused
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
