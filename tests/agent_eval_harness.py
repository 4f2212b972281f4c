"""Evaluates the agents of tests/agents with the real `adk eval`, each on its own recording and on mutants of it.

play the script -> recording -> EvalSet: the case and its mutants
                       |                      |
                       +--> `adk eval` of the agent, with SimulatorPlugin as the player of the recording

The recording has only the unmodified case, so every case of the EvalSet is answered in the same way, and a mutant must
fail. ADK's eval modules take seconds to import: one process evaluates all agents, with ADK's own command for each.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import traceback
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fork_server
from agent_scripts import AGENTS, EVAL_SET_FILE, NOWHERE, record_conversation
from google.adk.evaluation.eval_case import (
    EvalCase,
    IntermediateData,
    Invocation,
    get_all_tool_calls,
    get_all_tool_responses,
)
from google.adk.evaluation.eval_set import EvalSet
from google.genai import types

UNMODIFIED = "unmodified"
TRAJECTORY = "tool_trajectory_avg_score"
RESPONSE = "response_match_score"

RECORDING_VARIABLE = "AGENT_EVAL_RECORDING"
"""The environment variable with the file from which the evaluated agent is played."""

_ONE_AT_A_TIME = frozenset({"mcp_shelf"})
"""The agents whose cases must not run side by side, as ADK runs them: the first that ends closes the server of all."""

_AGENT = """\
import os
from pathlib import Path

from adk_agent_sim import SimulatorPlugin
from adk_agent_sim.adk.loading.agent_loader import load_app

_loaded = load_app(Path({folder!r}))
_player = SimulatorPlugin(player="replay:" + os.environ[{variable!r}], connect_timeout=0.1)
_others = [plugin for plugin in _loaded.plugins if not isinstance(plugin, SimulatorPlugin)]
app = _loaded.model_copy(update={{"plugins": [_player, *_others]}})
root_agent = app.root_agent
"""

_CASE = re.compile(
    r"^Eval Id: (?P<eval_id>\S+)\nOverall Eval Status: (?P<status>\w+)\n(?P<rest>.*?)(?=^\*{20}|\Z)", re.M | re.S
)
_PROBLEM = re.compile(r"Inference failed for eval case .*")
_METRIC = re.compile(r"^Metric: (?P<name>\w+), Status: (?P<status>\w+),", re.M)


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """What ADK found for one case."""

    passed: bool

    failed_metrics: frozenset[str]
    """The metrics that failed; empty if the run of the agent itself failed, because ADK then compares nothing."""


@dataclass(frozen=True, kw_only=True)
class EvalOutcome:
    """What `adk eval` found for one agent."""

    results: Mapping[str, CaseResult]
    """By eval id."""

    output: str
    """All that was printed."""

    def explain(self) -> str:
        """Return why cases could not be run, or else the end of what was printed."""
        return "\n".join(sorted(set(_PROBLEM.findall(self.output)))) or self.output[-3000:]


async def record_kind(kind: str, folder: Path) -> None:
    """Play an agent's script, and write the recording and the EvalSet with all mutants into a folder."""
    case = await record_conversation(kind, folder)
    cases = [case.model_copy(update={"eval_id": UNMODIFIED}), *build_mutants(case).values()]
    eval_set = EvalSet(eval_set_id=kind, eval_cases=cases)
    (folder / "mutants.evalset.json").write_text(eval_set.model_dump_json(exclude_none=True))


def build_mutants(case: EvalCase) -> dict[str, EvalCase]:
    """Return wrong versions of a case, by eval id; an agent that behaves as recorded must fail each of them."""
    calls = [get_all_tool_calls(invocation.intermediate_data) for invocation in case.conversation or ()]
    first = next(place for place, found in enumerate(calls) if found)
    last = max(place for place, found in enumerate(calls) if found)
    pair = next(
        (place, number)
        for place, found in enumerate(calls)
        for number in range(len(found) - 1)
        if _get_signature(found[number]) != _get_signature(found[number + 1])
    )
    with_args = max(
        (place, number) for place, found in enumerate(calls) for number, call in enumerate(found) if call.args
    )
    added = types.FunctionCall(name=calls[first][0].name, args=calls[first][0].args)
    place, number = pair
    swapped = [*calls[place][:number], calls[place][number + 1], calls[place][number], *calls[place][number + 2 :]]
    changes = {
        "renamed_call": (first, [_copy_call(calls[first][0], name="another_tool"), *calls[first][1:]]),
        "changed_argument": (with_args[0], _change_argument(calls[with_args[0]], with_args[1])),
        "removed_call": (last, calls[last][:-1]),
        "added_call": (first, [*calls[first], added]),
        "reordered_calls": (place, swapped),
    }
    mutants = {eval_id: _replace_calls(case, eval_id, *change) for eval_id, change in changes.items()}
    return {**mutants, "changed_word": _change_word(case, "changed_word")}


def write_agent_folder(folder: Path, kind: str) -> Path:
    """Write an agent for `adk eval` that is played from a recording, and return its folder."""
    agent = folder / kind
    agent.mkdir(parents=True)
    # All of it is in one module: ADK caches a second one, and would evaluate the first agent again and again.
    (agent / "__init__.py").write_text(_AGENT.format(folder=str(AGENTS / kind), variable=RECORDING_VARIABLE))
    return agent


def evaluate_kinds(folder: Path, kinds: Sequence[str]) -> dict[str, EvalOutcome]:
    """Run `adk eval` on the recordings `folder/KIND/`, in one process."""
    config = {"criteria": {TRAJECTORY: 1.0, RESPONSE: 1.0}}
    (folder / "eval_config.json").write_text(json.dumps(config))
    for kind in kinds:
        write_agent_folder(folder / "agents", kind)
    done = fork_server.run(
        [__file__, str(folder), *kinds],
        cwd=folder,
        environment={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "ADK_SIM_SERVER_URL": NOWHERE,
        },
    )
    printed = {kind: folder / f"{kind}.log" for kind in kinds}
    return {
        kind: parse_output(path.read_text() if path.exists() else done.stdout + done.stderr)
        for kind, path in printed.items()
    }


def parse_output(output: str) -> EvalOutcome:
    """Read the results of the cases from what `adk eval --print_detailed_results` prints."""
    results = {
        found["eval_id"]: CaseResult(
            passed=found["status"] == "PASSED",
            failed_metrics=frozenset(
                metric["name"] for metric in _METRIC.finditer(found["rest"]) if metric["status"] == "FAILED"
            ),
        )
        for found in _CASE.finditer(output)
    }
    return EvalOutcome(results=results, output=output)


def _get_signature(call: types.FunctionCall) -> tuple[str | None, Any]:
    return call.name, call.args


def _copy_call(call: types.FunctionCall, **update: Any) -> types.FunctionCall:
    return call.model_copy(update=update)


def _change_argument(calls: Sequence[types.FunctionCall], number: int) -> list[types.FunctionCall]:
    args = dict(calls[number].args or {})
    name, value = next(iter(args.items()))
    args[name] = value + 1 if isinstance(value, int | float) else f"another {value}"
    return [*calls[:number], _copy_call(calls[number], args=args), *calls[number + 1 :]]


def _replace_calls(case: EvalCase, eval_id: str, place: int, calls: Sequence[types.FunctionCall]) -> EvalCase:
    def change(invocation: Invocation) -> Invocation:
        responses = get_all_tool_responses(invocation.intermediate_data)
        data = IntermediateData(tool_uses=list(calls), tool_responses=responses)
        return invocation.model_copy(update={"intermediate_data": data})

    return _replace_invocation(case, eval_id, place, change(_list_invocations(case)[place]))


def _change_word(case: EvalCase, eval_id: str) -> EvalCase:
    invocations = _list_invocations(case)
    last = invocations[-1]
    text = "".join(part.text or "" for part in (last.final_response.parts if last.final_response else None) or ())
    content = types.Content(role="model", parts=[types.Part(text=re.sub(r"[A-Za-z]{3,}", "zebra", text, count=1))])
    return _replace_invocation(case, eval_id, len(invocations) - 1, last.model_copy(update={"final_response": content}))


def _replace_invocation(case: EvalCase, eval_id: str, place: int, invocation: Invocation) -> EvalCase:
    invocations = _list_invocations(case)
    conversation = [*invocations[:place], invocation, *invocations[place + 1 :]]
    return case.model_copy(update={"eval_id": eval_id, "conversation": conversation})


def _list_invocations(case: EvalCase) -> list[Invocation]:
    assert case.conversation
    return case.conversation


@contextlib.contextmanager
def print_to_file(path: Path) -> Generator[None]:
    """Print to a file; ADK's logger keeps the stream that it found first, so the file takes the stream's place."""
    streams = (sys.stdout, sys.stderr)
    saved = [os.dup(stream.fileno()) for stream in streams]
    with path.open("wb") as file:
        for stream in streams:
            os.dup2(file.fileno(), stream.fileno())
        try:
            yield
        finally:
            for stream, original in zip(streams, saved, strict=True):
                stream.flush()
                os.dup2(original, stream.fileno())
                os.close(original)


def main(folder: Path, kinds: Sequence[str]) -> None:
    """Run ADK's own command for each agent, with what it prints in `folder/KIND.log`."""
    from google.adk.cli.cli_tools_click import cli_eval

    options = ["--config_file_path", str(folder / "eval_config.json"), "--print_detailed_results"]
    for kind in kinds:
        os.environ[RECORDING_VARIABLE] = str(folder / kind / EVAL_SET_FILE)
        with print_to_file(folder / f"{kind}.log"):
            for selection in _list_selections(folder / kind / "mutants.evalset.json", kind):
                try:
                    cli_eval.main([str(folder / "agents" / kind), selection, *options])
                except SystemExit:
                    continue  # the command ends with its exit code, which says only whether all cases passed
                except Exception:  # noqa: BLE001 - the other agents are evaluated all the same
                    traceback.print_exc()


def _list_selections(eval_set: Path, kind: str) -> list[str]:
    """Return what to evaluate, one command for each."""
    if kind not in _ONE_AT_A_TIME:
        return [str(eval_set)]
    return [f"{eval_set}:{case.eval_id}" for case in EvalSet.model_validate_json(eval_set.read_text()).eval_cases]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
