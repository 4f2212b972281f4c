from __future__ import annotations

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import Gemini, LlmCapabilities
from scripted_model import ScriptedModel, text_response

from adk_agent_sim.adk.seats.model_seat import ModelSeat, SeatOwner, install_seat


def _seat(agent: LlmAgent) -> ModelSeat:
    install_seat(agent, SeatOwner())
    assert isinstance(agent.model, ModelSeat)
    return agent.model


class _Able(ScriptedModel):
    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities(output_schema_and_tools=True)


def test_it_reports_the_name_and_capabilities_of_the_model_it_stands_for() -> None:
    model = _Able(script=[text_response("x")], model="able-1")
    seat = _seat(LlmAgent(name="a", model=model))

    assert seat.model == "able-1"
    assert seat.capabilities.output_schema_and_tools
    assert seat.get_own_model() is model


def test_it_is_put_in_once() -> None:
    agent = LlmAgent(name="a", model="gemini-2.5-flash")
    first = _seat(agent)

    assert _seat(agent) is first


def test_a_named_model_is_resolved_by_adk_only_when_needed() -> None:
    seat = _seat(LlmAgent(name="a", model="gemini-2.5-flash"))

    assert seat.model == "gemini-2.5-flash"
    assert type(seat.get_own_model()).__name__ == "Gemini"
    assert not seat.capabilities.output_schema_and_tools


def test_a_model_that_cannot_be_resolved_here_has_the_default_capabilities() -> None:
    seat = _seat(LlmAgent(name="a", model="no-such-model"))

    assert seat.capabilities == LlmCapabilities()
    with pytest.raises(ValueError, match="no-such-model"):
        seat.get_own_model()


@pytest.mark.parametrize("parent_first", [True, False])
def test_an_agent_without_a_model_has_its_parents(parent_first: bool) -> None:
    model = ScriptedModel(script=[text_response("x")], model="parent-1")
    child = LlmAgent(name="child")
    parent = LlmAgent(name="parent", model=model, sub_agents=[child])
    for agent in (parent, child) if parent_first else (child, parent):
        _seat(agent)

    seat = _seat(child)
    assert seat.model == "parent-1"
    assert seat.get_own_model() is model


def test_an_agent_without_any_model_has_adks_default() -> None:
    seat = _seat(LlmAgent(name="orphan"))

    assert seat.model == seat.get_own_model().model != ""


def test_adk_sees_a_model_of_the_same_kind() -> None:
    """ADK decides by the class whether a model pairs calls and results by id."""
    seat = _seat(LlmAgent(name="a", model=Gemini(model="gemini-2.5-flash", use_interactions_api=True)))

    assert isinstance(seat, Gemini)
    assert seat.use_interactions_api
