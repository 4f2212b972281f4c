"""Checks the actions of a rule: those that are never reached, have no effect, or name an unknown exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories, Raise
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest


def check_actions(
    key_path: KeyPath, actions: Sequence[AnyAction], exceptions: ExceptionFactories
) -> Iterator[RuleFinding]:
    """Yield the problems of a list of actions.

    Args:
        key_path: The position of the list in the file.
        actions: The actions.
        exceptions: The exceptions that `raise` may name.
    """
    for index, action in enumerate(actions):
        if action.is_terminal and index < len(actions) - 1:
            yield RuleFinding(
                code="unreachable-action",
                key_path=(*key_path, index + 1),
                message=f"it is never reached: `{action.key}` raises before it",
                advice=f"Move it before `{action.key}`, or remove it",
            )
        if (replacing := _find_replacing(action, actions[index + 1 :])) is not None:
            effect = "raises" if replacing.is_terminal else "replaces the result"
            yield RuleFinding(
                code="useless-action",
                key_path=(*key_path, index),
                message=f"it has no effect: `{replacing.key}` after it {effect}",
                advice=f"Remove it, or remove `{replacing.key}`",
                severity="warning",
            )
        if isinstance(action, Raise) and action.error.type not in exceptions:
            yield RuleFinding(
                code="unknown-exception",
                key_path=(*key_path, index, "raise"),
                message=f"the exception {action.error.type!r} is not registered",
                advice=suggest_closest(
                    action.error.type, exceptions, "Register it in Python with exceptions={...}, or use one of"
                ),
            )


def _find_replacing(action: Action, later: Sequence[Action]) -> Action | None:
    """Return the later action that discards the result of an action which does nothing else than make one."""
    if not action.only_makes_result:
        return None
    return next((each for each in later if each.replaces_result or each.is_terminal), None)
