"""The criteria of `adk eval`: how they are written, merged and read, and that `adk eval` obeys them."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import fork_server
import pytest
from google.adk.evaluation.eval_config import EvalConfig, get_evaluation_criteria_or_default
from google.adk.evaluation.eval_metrics import RubricsBasedCriterion, ToolTrajectoryCriterion
from pydantic import BaseModel
from scripted_model import call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.errors import InvalidCriteria
from adk_agent_sim.golden.eval_criteria import (
    EvalCriteria,
    build_eval_command,
    parse_criteria,
    read_criteria,
    write_criteria,
)

_AGENT = """\
import json, pathlib
from scripted_model import ScriptedModel, replace_model
from adk_agent_sim.adk.demo.math_agent.agent import app as demo
script = json.loads(pathlib.Path(__file__).with_name("script.json").read_text())
app = replace_model(demo, ScriptedModel(script=script))
root_agent = app.root_agent
"""


def _read_config(folder: Path) -> EvalConfig:
    """Return the criteria as `adk eval` reads them."""
    return get_evaluation_criteria_or_default(str(folder / "test_config.json"))


def _read_fields(config: EvalConfig, metric: str) -> dict[str, Any]:
    criterion = config.criteria[metric]
    assert isinstance(criterion, BaseModel)
    return criterion.model_dump()


@pytest.mark.parametrize(
    ("word", "expected"), [("exact", "EXACT"), ("in-order", "IN_ORDER"), ("any-order", "ANY_ORDER")]
)
def test_adk_reads_how_calls_are_compared(tmp_path: Path, word: str, expected: str) -> None:
    write_criteria(tmp_path / "a.evalset.json", parse_criteria([word, "rouge=0.6"]))

    config = _read_config(tmp_path)
    criterion = ToolTrajectoryCriterion.model_validate(_read_fields(config, "tool_trajectory_avg_score"))
    assert (criterion.match_type.name, criterion.threshold) == (expected, 1.0)
    assert config.criteria["response_match_score"] == 0.6


def test_adk_reads_the_rubrics_and_their_judge(tmp_path: Path) -> None:
    words = ["rubric=It names the price.", "rubric=It is polite.", "tool-rubric=It looks before it orders."]
    write_criteria(tmp_path / "a.evalset.json", parse_criteria([*words, "judge=my-model", "rubric-score=0.5"]))

    config = _read_config(tmp_path)
    response = RubricsBasedCriterion.model_validate(_read_fields(config, "rubric_based_final_response_quality_v1"))
    tools = RubricsBasedCriterion.model_validate(_read_fields(config, "rubric_based_tool_use_quality_v1"))
    assert [rubric.rubric_content.text_property for rubric in response.rubrics] == [
        "It names the price.",
        "It is polite.",
    ]
    assert [rubric.rubric_content.text_property for rubric in tools.rubrics] == ["It looks before it orders."]
    assert response.judge_model_options.judge_model == tools.judge_model_options.judge_model == "my-model"
    assert response.threshold == 0.5


def test_what_else_the_file_has_is_preserved(tmp_path: Path) -> None:
    metrics = {"my_metric": {"code_config": {"name": "pkg.metric"}}}
    before = {"criteria": {"my_metric": 0.5, "response_match_score": 0.9}, "custom_metrics": metrics}
    (tmp_path / "test_config.json").write_text(json.dumps(before))

    write_criteria(tmp_path / "a.evalset.json", parse_criteria(["calls=off", "rouge=0.3"]))

    after = json.loads((tmp_path / "test_config.json").read_text())
    assert after == {"criteria": {"response_match_score": 0.3, "my_metric": 0.5}, "custom_metrics": metrics}
    assert set(_read_config(tmp_path).criteria) == {"response_match_score", "my_metric"}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["any-order", "rouge=off"],
        ["calls=off", "rubric=A = b.", "tool-rubric=c", "rubric-score=1", "judge=openai/x"],
    ],
)
def test_criteria_are_read_back_as_they_were_written(tmp_path: Path, words: list[str]) -> None:
    criteria = parse_criteria(words)
    write_criteria(tmp_path / "a.evalset.json", criteria)

    assert read_criteria(tmp_path / "a.evalset.json") == criteria


def test_the_defaults_are_those_of_adk(tmp_path: Path) -> None:
    by_default = get_evaluation_criteria_or_default(str(tmp_path / "none.json"))

    assert EvalCriteria().to_config() == {
        "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "EXACT"},
        "response_match_score": by_default.criteria["response_match_score"],
    }
    assert by_default.criteria["tool_trajectory_avg_score"] == 1.0


@pytest.mark.parametrize("word", ["fuzzy", "rouge=2", "rouge=high", "rubric=", "judge=", "calls=some", "exact=1"])
def test_a_word_that_is_no_criterion_is_refused_with_all_that_are(word: str) -> None:
    with pytest.raises(InvalidCriteria, match="Write exact, in-order, any-order"):
        parse_criteria([word])


async def test_a_file_that_is_no_config_is_not_changed_and_no_case_is_written(tmp_path: Path) -> None:
    (tmp_path / "test_config.json").write_text("[1")
    eval_set = tmp_path / "a.evalset.json"
    async with Simulation(math_app) as sim:
        await (await sim.send("Hello")).respond("Hi")
        with pytest.raises(InvalidCriteria, match="was not changed"):
            sim.export(eval_set, criteria=EvalCriteria())

    assert (tmp_path / "test_config.json").read_text() == "[1"
    assert not eval_set.exists()
    assert read_criteria(eval_set) is None


@pytest.mark.process
async def test_adk_eval_uses_the_criteria_with_the_suggested_command(tmp_path: Path) -> None:
    """The agent's model makes the calls in another order, with one more, and answers in other words."""
    eval_set = tmp_path / "golden.evalset.json"
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 2+2, and 3*3?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        turn = await turn.call("multiply", {"a": 3, "b": 3})
        await turn.respond("2+2 is 4, and 3*3 is 9.")
        sim.export(eval_set, criteria=parse_criteria(["any-order", "rouge=0.3"]))
    agent = tmp_path / "math_agent"
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(_AGENT)
    calls = [("multiply", {"a": 3, "b": 3}), ("add", {"a": 1, "b": 1}), ("add", {"a": 2, "b": 2})]
    script = [*(call_response(call) for call in calls), text_response("They are 4, and 9, of course, as you know.")]
    (agent / "script.json").write_text(json.dumps(script))

    assert _run_suggested_command(tmp_path, eval_set) == 0
    write_criteria(eval_set, parse_criteria(["in-order", "rouge=0.3"]))
    assert _run_suggested_command(tmp_path, eval_set) == 1


def _run_suggested_command(folder: Path, eval_set: Path) -> int:
    config = folder / "test_config.json"
    command = shlex.split(build_eval_command("adk", str(folder / "math_agent"), eval_set, config))
    done = fork_server.run(
        ["-m", "google.adk.cli", *command[1:]],
        cwd=folder,
        environment={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert "Tests passed" in done.stdout, done.stderr
    return done.returncode
