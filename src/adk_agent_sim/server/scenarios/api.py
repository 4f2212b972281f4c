"""The endpoints about scenarios and their worlds; present only if the server was started with scenarios."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from adk_agent_sim.scenario.players.checked_scenario import ScenarioCheck
from adk_agent_sim.server.scenarios.api_models import (
    AnnotationInfo,
    AnnotationPatch,
    EventDetail,
    ScenarioFindings,
    ScenarioInfo,
    ScenarioSummary,
    WorldRunInfo,
)
from adk_agent_sim.server.scenarios.scenario_catalog import OpenScenario, ScenarioCatalog
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.responses import json_response
from adk_agent_sim.timeline.strict_json import dump_json


def _get_scenarios(request: Request) -> ScenarioCatalog:
    return request.app.state.scenarios


def _get_open_scenario(request: Request, key: str) -> OpenScenario:
    return _get_scenarios(request)[key]


def _hides_answer(request: Request, key: str, answer: bool = False) -> bool:
    """Whether what is expected of the agent is left out: a person is playing, and nobody has asked for the answer."""
    return not answer and _get_open_scenario(request, key).is_played_by_person(request.app.state.services.worlds)


ScenariosDependency = Annotated[ScenarioCatalog, Depends(_get_scenarios)]
ScenarioDependency = Annotated[OpenScenario, Depends(_get_open_scenario)]
HidesAnswerDependency = Annotated[bool, Depends(_hides_answer)]

scenario_api = create_router("/api/scenarios")


@scenario_api.get("", response_model=list[ScenarioSummary])
async def list_scenarios(scenarios: ScenariosDependency) -> Response:
    """Return the scenarios that the server was started with."""
    return json_response(scenarios.list_summaries())


@scenario_api.get("/{key}", response_model=ScenarioInfo)
async def get_scenario(scenario: ScenarioDependency, hides_answer: HidesAnswerDependency) -> Response:
    """Return a scenario as in its file; while a person plays it, without what is expected unless `answer` is true."""
    return json_response(await asyncio.to_thread(partial(scenario.describe, hides_answer=hides_answer)))


@scenario_api.get("/{key}/findings", response_model=ScenarioFindings)
async def get_scenario_findings(scenario: ScenarioDependency, hides_answer: HidesAnswerDependency) -> Response:
    """Return the problems that the linter finds in a scenario."""
    return json_response(await asyncio.to_thread(partial(scenario.find_problems, hides_answer=hides_answer)))


@scenario_api.post("/{key}/check", response_model=ScenarioCheck)
async def check_scenario(scenario: ScenarioDependency, hides_answer: HidesAnswerDependency) -> Response:
    """Check whether a scenario is solvable, not trivially passed and deterministic."""
    return json_response(await scenario.check(hides_answer=hides_answer))


@scenario_api.post("/{key}/runs", response_model=WorldRunInfo)
async def start_world_run(request: Request, scenario: ScenarioDependency) -> Response:
    """Let a person play the agent in the scenario's world; the run is judged when it ends."""
    session_id = await scenario.start_run(request.app.state.services.worlds)
    return json_response(WorldRunInfo(session_id=session_id))


@scenario_api.get("/{key}/events/{index}", response_model=EventDetail)
async def get_scenario_event(scenario: ScenarioDependency, hides_answer: HidesAnswerDependency, index: int) -> Response:
    """Return the details of an event."""
    return json_response(scenario.get_event_detail(index, hides_answer=hides_answer))


@scenario_api.patch("/{key}/annotation", response_model=AnnotationInfo)
async def annotate_scenario(scenario: ScenarioDependency, patch: AnnotationPatch) -> Response:
    """Write a reviewer's annotation into the scenario's file."""
    return json_response(await scenario.annotate(patch))


@scenario_api.get("/{key}/state", response_model=dict[str, Any])
async def get_app_state(scenario: ScenarioDependency, app: str) -> Response:
    """Return the state of an app in the scenario's file."""
    return Response(dump_json(scenario.get_app_state(app)), media_type="application/json")
