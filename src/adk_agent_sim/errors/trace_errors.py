"""Errors about exporting a session and importing a file."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors.base import SimulatorError


class ExportRefused(SimulatorError):
    """The session cannot be exported; nothing was written."""


class InvalidExportOption(ExportRefused):
    """An option does not work with the format that is exported to; nothing was read or written."""


class AlreadyExported(ExportRefused):
    """The session was already exported; exporting it again would add it a second time."""

    def __init__(self, path: str, eval_id: str) -> None:
        super().__init__(
            f"The session was already exported to {path} as {eval_id!r}. Exporting it again would duplicate it: "
            "`again` writes it once more, `replace` writes it in its place."
        )
        self.eval_id = eval_id


class SessionIncomplete(ExportRefused):
    """The session is not complete, so it cannot be a golden trace yet."""

    def __init__(self, session_id: str, missing: Sequence[str], *, finished_turn_count: int = 0) -> None:
        turns = "user turn before that is" if finished_turn_count == 1 else "user turns before that are"
        hint = (
            f" The {finished_turn_count} {turns} finished: export with finished_only=True, or with --finished-only."
            if finished_turn_count
            else ""
        )
        super().__init__(f"Session {session_id!r} cannot be exported yet: {'; '.join(missing)}.{hint}")
        self.missing = tuple(missing)


class NotReplayable(ExportRefused):
    """`adk test` cannot replay the session."""

    def __init__(self, session_id: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"Session {session_id!r} cannot be replayed by `adk test`: {'; '.join(reasons)}. "
            "Export it as an EvalSet, or pass force=True to write the fixture anyway."
        )
        self.reasons = tuple(reasons)


class NotAnEvalSet(ExportRefused):
    """The target file exists and is not an EvalSet; it was not changed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} is not an EvalSet and was not changed: {reason}. Choose another path, or fix the file."
        )
        self.path = path


class InvalidCriteria(ExportRefused):
    """The criteria for `adk eval` are none, or the file that holds them is something else."""


class ImportRefused(SimulatorError):
    """The file cannot be imported as a timeline."""

    def __init__(self, path: str, expected: str, reason: str) -> None:
        super().__init__(f"{path} cannot be opened as {expected}: {reason}.")
        self.path = path
        self.reason = reason


class EditRefused(SimulatorError):
    """A case of an EvalSet cannot be changed like that; the file is unchanged."""


class EditConflict(EditRefused):
    """Another writer has changed or removed the case since it was read; the file is unchanged."""

    def __init__(self, eval_id: str, what: str, advice: str) -> None:
        super().__init__(f"The case {eval_id[:100]!r} {what}, so nothing was changed. {advice}")
        self.eval_id = eval_id
