"""Edits the cases of an EvalSet file: rename, duplicate, delete, move, correct, undo and redo.

    lock --> read --> apply one change --> still what was read? --> replace the file atomically
                                                   |
                               no: another writer, such as `adk web`: start over

Each edit is applied to the file as it is at that moment, so changes of other cases by other writers stay. An edit of a
case that another writer has changed is refused, and the file is unchanged.
"""

from __future__ import annotations

import json
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias, cast

from google.adk.evaluation.eval_set import EvalSet

from adk_agent_sim.errors import EditConflict, EditRefused, NotAnEvalSet, NotFound
from adk_agent_sim.golden.case_changes import (
    CaseChange,
    CaseContent,
    PlacedCase,
    apply_change,
    compute_fingerprint,
    get_placed_case,
    replace_case_id,
    replace_fields,
)
from adk_agent_sim.golden.eval_set import get_case_id, make_unique_id, parse_adk_file, summarize_error
from adk_agent_sim.golden.eval_set_files import parse_eval_cases
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.atomic_files import atomic_write, explain_write_errors, lock_folder, prepare_path
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import decode_text, parse_json

MAX_EVAL_FILE_BYTES = 64_000_000
"""How large a file may be to be opened."""

_MAX_ID_CHARS = 300
_MAX_UNDO = 200
_MAX_ATTEMPTS = 20
_MAX_OPENED = 50

_GONE = "The case was renamed or removed in the meantime. Reload the list."

_Plan: TypeAlias = "Callable[[Sequence[StoredCase], list[CaseContent]], CaseChange]"


class _FileChanged(Exception):
    """The file is no longer what was read; never leaves this module."""


@dataclass(frozen=True, kw_only=True)
class StoredCase:
    """A case as it is in the file."""

    key: str
    """Identifies the case in the file, also if another one has the same id."""

    eval_id: str
    content: CaseContent
    fingerprint: str
    """Differs if the content does: an edit says which content it is about."""


@dataclass(frozen=True, kw_only=True)
class EvalSetContent:
    """The content of the file at one moment."""

    cases: Sequence[StoredCase]
    version: str
    """Differs if the file does."""

    is_editable: bool
    """Whether it has the format that ADK writes now; older ones are only read."""

    text: str


class EvalSetEditor:
    """Edits one file; the edits of one editor can be undone and redone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._undoable: list[CaseChange] = []
        self._redoable: list[CaseChange] = []
        self._opened: OrderedDict[str, CaseContent] = OrderedDict()
        """The contents that were opened last, by fingerprint: what a correction is based on."""
        # The server edits in threads, and what can be undone must change together with the file.
        self._lock = Lock()

    @property
    def undo_label(self) -> str:
        """What `undo` takes back; empty if there is nothing."""
        return self._undoable[-1].label if self._undoable else ""

    @property
    def redo_label(self) -> str:
        """What `redo` does again; empty if there is nothing."""
        return self._redoable[-1].label if self._redoable else ""

    def read(self) -> EvalSetContent:
        """Return the content of the file now; raise NotAnEvalSet if it is something else."""
        return _parse_file(self.path, read_limited(self.path))

    def open_case(self, key: str) -> StoredCase:
        """Return a case as it is now; a correction may be based on it even if others change it meanwhile."""
        case = next((each for each in self.read().cases if each.key == key), None)
        if case is None:
            raise NotFound(_GONE)
        self.remember_content(case.fingerprint, case.content)
        return case

    def remember_content(self, fingerprint: str, content: CaseContent) -> None:
        """Keep a content that somebody looks at, because a correction may be based on it."""
        self._opened[fingerprint] = content
        self._opened.move_to_end(fingerprint)
        while len(self._opened) > _MAX_OPENED:
            self._opened.popitem(last=False)

    def find_opened(self, key: str, fingerprint: str) -> CaseContent:
        """Return the content that a correction is based on: as it was opened, or as it is now."""
        known = self._opened.get(fingerprint)
        return self.open_case(key).content if known is None else known

    def rename(self, key: str, eval_id: str) -> str:
        """Give a case another id; returns its new key."""
        wanted = eval_id.strip()
        if not wanted or len(wanted) > _MAX_ID_CHARS or not wanted.isprintable():
            raise EditRefused(f"An id has 1 to {_MAX_ID_CHARS} printable characters. Choose another one.")

        def plan(stored: Sequence[StoredCase], cases: list[CaseContent]) -> CaseChange:
            placed = _find_placed(stored, cases, key)
            after = PlacedCase(
                content=replace_case_id(placed.content, wanted), index=placed.index, previous_id=placed.previous_id
            )
            return CaseChange(label=f"rename {placed.eval_id}", before=placed, after=after)

        return self._edit(plan)

    def duplicate(self, key: str) -> str:
        """Add a copy of a case after it; returns the key of the copy."""

        def plan(stored: Sequence[StoredCase], cases: list[CaseContent]) -> CaseChange:
            placed = _find_placed(stored, cases, key)
            copy = replace_case_id(placed.content, make_unique_id(placed.eval_id, [each.eval_id for each in stored]))
            after = PlacedCase(content=copy, index=placed.index + 1, previous_id=placed.eval_id)
            return CaseChange(label=f"duplicate {placed.eval_id}", before=None, after=after)

        return self._edit(plan)

    def delete(self, key: str, fingerprint: str) -> str:
        """Remove a case, unless it is no longer as it was when `fingerprint` was read."""

        def plan(stored: Sequence[StoredCase], cases: list[CaseContent]) -> CaseChange:
            placed = _find_placed(stored, cases, key, fingerprint)
            return CaseChange(label=f"delete {placed.eval_id}", before=placed, after=None)

        return self._edit(plan)

    def move(self, key: str, after_key: str | None) -> str:
        """Move a case behind another one, or to the beginning; returns its key."""

        def plan(stored: Sequence[StoredCase], cases: list[CaseContent]) -> CaseChange:
            placed = _find_placed(stored, cases, key)
            previous = None if after_key is None else _find_placed(stored, cases, after_key)
            # The case is taken out before it is inserted, which moves those behind it forward by one.
            index = 0 if previous is None else previous.index + (previous.index < placed.index)
            after = PlacedCase(
                content=placed.content, index=index, previous_id=None if previous is None else previous.eval_id
            )
            return CaseChange(label=f"move {placed.eval_id}", before=placed, after=after)

        return self._edit(plan)

    def correct(
        self, key: str, fingerprint: str, values: Mapping[str, Json], *, keep_both: bool = False
    ) -> tuple[str, bool]:
        """Replace values of a case.

        Args:
            key: The case.
            fingerprint: The content that the values are about.
            values: The new values by the path of their field, as in `case_fields.list_fields`.
            keep_both: Whether the values go to a copy if the case was changed by another writer since.

        Returns:
            The key of the corrected case, and whether it is a copy.

        Raises:
            EditConflict: The case was changed since, and `keep_both` is false.
        """
        is_copy = False

        def plan(stored: Sequence[StoredCase], cases: list[CaseContent]) -> CaseChange:
            nonlocal is_copy
            # Decided again in each attempt, because the file may have changed since the last one.
            is_copy = keep_both and all(each.fingerprint != fingerprint for each in stored if each.key == key)
            placed = _find_placed(stored, cases, key, None if is_copy else fingerprint)
            # The paths of the values belong to the content that the person has looked at.
            content = replace_fields(self._opened.get(fingerprint, placed.content), values)
            label = f"correct {placed.eval_id}"
            if is_copy:
                copy = PlacedCase(content=content, index=placed.index + 1, previous_id=placed.eval_id)
                return CaseChange(label=label, before=None, after=copy)
            after = PlacedCase(content=content, index=placed.index, previous_id=placed.previous_id)
            return CaseChange(label=label, before=placed, after=after)

        return self._edit(plan), is_copy

    def undo(self) -> str:
        """Take the last edit back; returns what it was."""
        return self._step_back(self._undoable, self._redoable, "undo")

    def redo(self) -> str:
        """Make the last edit that was undone again; returns what it was."""
        return self._step_back(self._redoable, self._undoable, "redo")

    def _step_back(self, source: list[CaseChange], target: list[CaseChange], word: str) -> str:
        with self._lock:
            if not source:
                raise EditRefused(f"There is nothing to {word}.")
            change = source[-1]
            try:
                applied, _ = self._write(lambda _stored, _cases: change.invert())
            except EditRefused:
                # It can no longer be undone, which must not keep the edits before it from being undone.
                source.pop()
                raise
            source.pop()
            target.append(applied)
            return change.label

    def _edit(self, plan: _Plan) -> str:
        """Make a change and remember it; returns the key of the case after it, empty if it was removed."""
        with self._lock:
            applied, stored = self._write(plan)
            self._undoable = [*self._undoable, applied][-_MAX_UNDO:]
            self._redoable = []
        return stored[applied.after.index].key if applied.after else ""

    def _write(self, plan: _Plan) -> tuple[CaseChange, Sequence[StoredCase]]:
        with explain_write_errors(self.path):
            path = prepare_path(self.path)
            for _ in range(_MAX_ATTEMPTS):
                try:
                    with lock_folder(path.parent):
                        return _write_once(path, plan)
                except _FileChanged:
                    continue
        raise EditRefused(f"{self.path} is being changed by another program all the time. Try again later.")


def _write_once(path: Path, plan: _Plan) -> tuple[CaseChange, Sequence[StoredCase]]:
    read = read_limited(path)
    current = _parse_file(path, read)
    if not current.is_editable:
        raise EditRefused(
            f"{path} has a format of ADK before 1.0, which is shown but not changed. Convert it to edit it."
        )
    content = cast("dict[str, Any]", parse_json(current.text))
    before: list[CaseContent] = content["eval_cases"]
    cases, applied = apply_change(before, plan(current.cases, before))
    content["eval_cases"] = cases
    text = _format_like(current.text, content)
    try:
        parse_adk_file(text, EvalSet)
    except ValueError as error:
        raise EditRefused(
            f"ADK could not read the case like that, so {path} is unchanged: {summarize_error(error)}. Fix the value."
        ) from error
    with atomic_write(path, keep_mode=True) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        # Other programs do not know our lock. What they wrote since we read the file must not be overwritten.
        if read_limited(path) != read:
            raise _FileChanged
    return applied, store_cases(cases)


def store_cases(cases: Sequence[CaseContent]) -> list[StoredCase]:
    """Return the cases of a file with their keys and fingerprints."""
    seen: Counter[str] = Counter()
    stored: list[StoredCase] = []
    for content in cases:
        eval_id = get_case_id(content)
        key = sha256(f"{seen[eval_id]}:{eval_id}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        seen[eval_id] += 1
        stored.append(StoredCase(key=key, eval_id=eval_id, content=content, fingerprint=compute_fingerprint(content)))
    return stored


def read_limited(path: Path) -> bytes:
    """Return the content of a file of cases; raise NotAnEvalSet if it is a folder or too large, NotFound if gone."""
    if path.is_dir():
        raise NotAnEvalSet(str(path), "it is a folder")
    try:
        with path.open("rb") as file:
            # One byte more than allowed tells that a file is too large, without reading all of it.
            data = file.read(MAX_EVAL_FILE_BYTES + 1)
    except FileNotFoundError:
        raise NotFound(f"{path} no longer exists. Restore it, then reload.") from None
    if len(data) > MAX_EVAL_FILE_BYTES:
        raise NotAnEvalSet(str(path), f"it is larger than {MAX_EVAL_FILE_BYTES // 1_000_000} MB")
    return data


def _parse_file(path: Path, data: bytes) -> EvalSetContent:
    try:
        text = decode_text(data)
        content = parse_json(text)
        is_editable = not isinstance(content, list)
        if is_editable:
            parse_adk_file(text, EvalSet)
            cases = cast("list[CaseContent]", content["eval_cases"])
        else:
            cases = _convert_old_cases(path, text)
    except ValueError as error:
        raise NotAnEvalSet(str(path), summarize_error(error)) from error
    version = sha256(data).hexdigest()[:32]
    return EvalSetContent(cases=store_cases(cases), version=version, is_editable=is_editable, text=text)


def _convert_old_cases(path: Path, text: str) -> list[CaseContent]:
    return [
        case.model_dump(mode="json", exclude_none=True) for case in parse_eval_cases(text, path.name.partition(".")[0])
    ]


def _format_like(text: str, content: Json) -> str:
    """Return the content as JSON with the indentation of the text that it replaces."""
    line = text.partition("\n")[2].partition("\n")[0]
    spaces = line[: len(line) - len(line.lstrip())]
    # A file that escapes other letters stays like that, so that a diff shows the edit only.
    is_ascii = text.isascii() and "\\u" in text
    indent = spaces or (2 if "\n" in text.strip() else None)
    written = json.dumps(content, indent=indent, ensure_ascii=is_ascii)
    return replace_lone_surrogates(written + ("\n" if text.endswith("\n") else ""))


def _find_placed(
    stored: Sequence[StoredCase], cases: Sequence[CaseContent], key: str, fingerprint: str | None = None
) -> PlacedCase:
    """Return the case with a key; raise EditConflict if it does not have the expected content any more."""
    index = next((place for place, each in enumerate(stored) if each.key == key), None)
    if index is None:
        raise NotFound(_GONE)
    if fingerprint is not None and stored[index].fingerprint != fingerprint:
        raise EditConflict(
            stored[index].eval_id,
            "was changed by another writer since you opened it",
            "Reload it, or keep yours as a copy.",
        )
    return get_placed_case(cases, index)
