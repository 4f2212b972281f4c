"""Prints verdicts: green for what is as expected, red for what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_agent_sim.text.terminal_output import print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.timeline.verdict import Verdict


def print_verdict(verdict: Verdict, *, passed: bool | None = None) -> None:
    """Print a verdict.

    Args:
        verdict: The verdict of the judge.
        passed: Whether the run passed, if that is not what the judge says: a run that raised has failed.
    """
    from adk_agent_sim.timeline.verdict import render_verdict

    for line in render_verdict(verdict):
        shown = f"FAILED{line.removeprefix('PASSED')}" if passed is False and line.startswith("PASSED  ") else line
        print_line(style(shown, fg=colour) if (colour := _pick_colour(shown)) else shown)


def _pick_colour(line: str) -> str | None:
    if line.startswith(("PASSED", "FAILED")):
        return "green" if line.startswith("PASSED") else "red"
    text = line.strip()
    if text.startswith(("- ", "~ ")):
        return "red"
    return "green" if text.startswith("+ ") else None
