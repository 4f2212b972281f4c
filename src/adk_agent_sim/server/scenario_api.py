"""The part of the JSON API about scenarios; it is there when the server was given some."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from adk_agent_sim.server.answers import told
from adk_agent_sim.server.json_text import written
from adk_agent_sim.server.playground import Playground
from adk_agent_sim.server.scenario_shapes import (
    Acted,
    AnnotationPatch,
    AnnotationShape,
    Deed,
    EventDetail,
    ScenarioLine,
    ScenarioShape,
    WorldCall,
    WorldShape,
    WorldTime,
    WorldTool,
)
from adk_agent_sim.server.scenarios import OpenScenario, Scenarios
from adk_agent_sim.server.shapes import ProblemShape, Refusal


def _scenarios(request: Request) -> Scenarios:
    return request.app.state.scenarios


def _named(request: Request, key: str) -> OpenScenario:
    return _scenarios(request)[key]


All = Annotated[Scenarios, Depends(_scenarios)]
One = Annotated[OpenScenario, Depends(_named)]

scenario_api = APIRouter(prefix="/api/scenarios", responses={"default": {"model": Refusal}})


@scenario_api.get("", response_model=list[ScenarioLine])
async def list_scenarios(scenarios: All) -> Response:
    """The scenarios that were named when the server was started."""
    return told(scenarios.lines())


@scenario_api.get("/{key}", response_model=ScenarioShape)
async def get_scenario(scenario: One) -> Response:
    """A scenario as it stands in its file."""
    return told(await asyncio.to_thread(scenario.shape))


@scenario_api.get("/{key}/events/{place}", response_model=EventDetail)
async def get_event(scenario: One, place: int) -> Response:
    """Everything behind an event."""
    return told(scenario.event(place))


@scenario_api.patch("/{key}/annotation", response_model=AnnotationShape)
async def annotate(scenario: One, patch: AnnotationPatch) -> Response:
    """Write what a reviewer says into the scenario's file."""
    return told(await scenario.annotate(patch))


@scenario_api.get("/{key}/state", response_model=dict[str, Any])
async def get_app_state(scenario: One, app: str) -> Response:
    """The state of an app: in the world if somebody plays it, else in the file."""
    return Response(written(await scenario.state(app)), media_type="application/json")


@scenario_api.get("/{key}/world", response_model=WorldShape)
async def get_world(scenario: One) -> Response:
    """Where the world stands; it is made when it is first asked for."""
    return told(await scenario.play(Playground.shape))


@scenario_api.get("/{key}/world/tools", response_model=list[WorldTool])
async def get_tools(scenario: One) -> Response:
    """What can be called in the world."""
    return told(await scenario.play(Playground.tools))


@scenario_api.get("/{key}/world/deeds", response_model=list[Deed])
async def get_deeds(scenario: One) -> Response:
    """What was done in the world, oldest first."""
    return told(await scenario.play(Playground.deeds))


@scenario_api.post("/{key}/world/check", response_model=list[ProblemShape])
async def check_world_call(scenario: One, call: WorldCall) -> Response:
    """What is wrong with a call as it stands; nothing happens by it."""
    return told(await scenario.play(lambda playground: playground.problems(call)))


@scenario_api.post("/{key}/world/calls", response_model=Acted)
async def call_tool(scenario: One, call: WorldCall) -> Response:
    """Call a tool in the world."""
    return told(await scenario.play(lambda playground: playground.call(call)))


@scenario_api.post("/{key}/world/time", response_model=Acted)
async def pass_time(scenario: One, order: WorldTime) -> Response:
    """Let time pass in the world, or take something back."""
    return told(await scenario.play(lambda playground: playground.time(order)))
