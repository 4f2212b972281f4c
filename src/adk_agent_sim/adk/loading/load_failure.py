"""Describes why an agent's code could not be loaded, and what its author can do about it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from adk_agent_sim.adk.adk_messages import is_invalid_agent_name, is_missing_root_agent, remove_load_prefix
from adk_agent_sim.adk.compat import unwrap_load_error
from adk_agent_sim.adk.loading.agent_loader import ModuleNameInUse
from adk_agent_sim.errors import AgentLoadFailed
from adk_agent_sim.text.surrogates import replace_lone_surrogates

_MAX_PROBLEM_CHARS = 600
_MAX_FRAMES = 8

_FIX = "Fix the code and try again."
_RENAME = "Rename the folder: it is imported as a module, whose name has letters, digits and underscores."


@dataclass(frozen=True, kw_only=True)
class LoadFailure:
    """Why an agent is not loaded."""

    problem: str
    """What happened, without a full stop."""

    advice: str
    """What to do about it, as sentences."""

    trace: str = ""
    """The lines of the folder's code that led there, the innermost one last; empty if there are none."""

    def build_error(self, name: str) -> AgentLoadFailed:
        """Return the error for whoever wants to play the agent."""
        return AgentLoadFailed(name, self.problem, self.advice)


def describe_load_failure(error: BaseException, root: Path) -> LoadFailure:
    """Describe what importing an agent of the folder `root` has raised."""
    error = unwrap_load_error(error)
    problem, advice = _explain(error)
    problem = replace_lone_surrogates(problem).strip().rstrip(".")
    if len(problem) > _MAX_PROBLEM_CHARS:
        problem = f"{problem[:_MAX_PROBLEM_CHARS]}\u2026"
    return LoadFailure(problem=problem, advice=advice, trace=_format_trace(error, root))


def describe_slow_load(frame: FrameType | None, root: Path, seconds: float) -> LoadFailure:
    """Describe a load that has not ended; `frame` is the innermost one of its thread."""
    frames = [(each.filename, each.lineno, each.line) for each in traceback.extract_stack(frame)] if frame else []
    return LoadFailure(
        problem=f"its code has been loading for {seconds:g} seconds and has not ended",
        advice="It waits at the last line below. The agent can be played as soon as it ends; if it never does, "
        "fix the code and start `adksim run` again.",
        trace=_format_frames(frames, root),
    )


def _explain(error: BaseException) -> tuple[str, str]:
    message = remove_load_prefix(str(error).split("\n\n", maxsplit=1)[0])
    if isinstance(error, SystemExit):
        shown = "" if error.code is None else repr(error.code)
        return (
            f"its code called sys.exit({shown}) while it was imported",
            'Remove the call, or put it under `if __name__ == "__main__":`.',
        )
    if isinstance(error, ModuleNameInUse):
        return message, "Rename the folder."
    if isinstance(error, ModuleNotFoundError):
        return message, f"Install the package that has it for {sys.executable}, or fix the import."
    if isinstance(error, KeyError) and _is_from_environment(error):
        return (
            f"the environment variable {error.args[0]!r} is not set",
            "Set it in the .env file of the agent's folder, or before you start `adksim run`.",
        )
    if is_invalid_agent_name(error):
        return "the name of its folder is not one of a module", _RENAME
    if is_missing_root_agent(error):
        return "it has no root_agent", "Define `root_agent` or `app` in its agent.py, or write a root_agent.yaml."
    return f"{type(error).__name__}: {message}" if message else type(error).__name__, _FIX


def _is_from_environment(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    # A missing variable is reported from inside of `os`, which may be a file or frozen into Python.
    return bool(frames) and frames[-1].filename in (os.__file__, "<frozen os>")


def _format_trace(error: BaseException, root: Path) -> str:
    frames = [(each.filename, each.lineno, each.line) for each in traceback.extract_tb(error.__traceback__)]
    # A file that cannot be parsed was never run, so the traceback has no frame of it.
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno, error.text))
    return _format_frames(frames, root)


def _format_frames(frames: Iterable[tuple[str, int | None, str | None]], root: Path) -> str:
    own = [frame for frame in frames if Path(frame[0]).is_relative_to(root)]
    lines = [
        f"{Path(filename).relative_to(root)}, line {number}\n    {(line or '').strip()[:200]}".rstrip()
        for filename, number, line in own[-_MAX_FRAMES:]
    ]
    return replace_lone_surrogates("\n".join(lines))
