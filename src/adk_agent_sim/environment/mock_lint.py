"""Checks the mocks of a rule: results for which no response can be generated, and models that cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.mock_response import DEFAULT_MODEL, Mock
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding
from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.mocks.schema_mock import get_schema_mock


@dataclass(frozen=True, kw_only=True)
class ModelProblem:
    """Why a model that rules name cannot be asked."""

    message: str
    advice: str

    is_unknown: bool
    """Whether there is no such model; otherwise it lacks credentials, which other machines may have."""


ModelCheck: TypeAlias = Callable[[str], ModelProblem | None]
"""Returns what is wrong with the model of a name; None if it can be asked, or if that cannot be known."""


def check_models(key_path: KeyPath, actions: Sequence[AnyAction], find_problem: ModelCheck) -> Iterator[RuleFinding]:
    """Yield the models of a rule that cannot be asked. Recorded answers need none.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
        find_problem: Finds what is wrong with a model.
    """
    for index, action in enumerate(actions):
        if not isinstance(action, Mock) or action.mock != "llm" or action.answers is not None:
            continue
        position = (*key_path, index, "model") if action.model else (*key_path, index)
        problem = find_problem(action.model or DEFAULT_MODEL)
        if problem is not None and problem.is_unknown:
            yield RuleFinding(code="unknown-model", key_path=position, message=problem.message, advice=problem.advice)
        elif problem is not None:
            yield RuleFinding(
                code="missing-credentials",
                key_path=position,
                message=problem.message,
                advice=problem.advice,
                severity="warning",
            )


def check_recordings(key_path: KeyPath, actions: Sequence[AnyAction]) -> Iterator[RuleFinding]:
    """Yield the recordings of a rule that were not read.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
    """
    for index, action in enumerate(actions):
        if isinstance(action, Mock) and action.recording_problem:
            yield RuleFinding(
                code="bad-recording",
                key_path=(*key_path, index, "from"),
                message=f"the recording cannot be replayed: {action.recording_problem}",
                advice="Name an EvalSet, a session, a timeline or a cassette, by a path relative to the rules file",
            )


def check_mocks(key_path: KeyPath, actions: Sequence[AnyAction], specs: Iterable[ToolSpec]) -> Iterator[RuleFinding]:
    """Yield the tools of a rule that its mock cannot answer.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
        specs: The tools that the rule matches.
    """
    generating = [isinstance(action, Mock) and action.mock in ("schema", "stateful") for action in actions]
    positions = [index for index, is_generating in enumerate(generating) if is_generating]
    for spec in specs if positions else ():
        try:
            get_schema_mock(spec)
        except MockImpossible as error:
            yield RuleFinding(
                code="mock-impossible",
                key_path=(*key_path, positions[0]),
                message=f"the result of {spec.name} cannot be generated: {error}",
                advice="Write `respond` with a value for this tool, in a rule before this one",
            )
