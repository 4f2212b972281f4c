"""Small scenarios with a user and an email app, and runs of scripted agents in them."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from scripted_model import ScriptedModel
from world_builders import build_reply_event, build_world_event, build_world_scenario

from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.scenario import ScenarioImportedFromJson

MAIL = "Emails__send_email"
TELL_USER = "AgentUserInterface__send_message_to_user"
WAIT = "SystemApp__wait_for_notification"

SEND_A: tuple[str, dict[str, Any]] = (MAIL, {"recipients": ["a@example.org"], "subject": "one"})
SEND_B = (MAIL, {"recipients": ["a@example.org"], "subject": "two"})


def build_two_turns(**definition: Any) -> ScenarioImportedFromJson:
    """Build a scenario in which the user asks for a mail, and after the answer for another one."""
    return build_world_scenario(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="First"),
        build_world_event("one", "AGENT", ("ask",), MAIL, recipients=["a@example.org"], subject="one"),
        build_reply_event("told", "one"),
        build_world_event(
            "again", "USER", ("told",), "AgentUserInterface__send_message_to_agent", delay=5, content="Second"
        ),
        build_world_event("two", "AGENT", ("again",), MAIL, recipients=["a@example.org"], subject="two"),
        build_reply_event("told again", "two"),
        **definition,
    )


def build_mail_arrival(**definition: Any) -> ScenarioImportedFromJson:
    """Build a scenario in which a mail arrives while the agent works."""
    return build_world_scenario(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="Wait"),
        build_world_event("mail", "ENV", ("ask",), delay=10),
        build_world_event("one", "AGENT", ("mail",), MAIL, recipients=["a@example.org"], subject="one"),
        build_reply_event("told", "one"),
        **definition,
    )


def create_scripted_agent(*script: dict[str, Any], **fields: Any) -> LlmAgent:
    """Return an agent whose model gives these answers."""
    return LlmAgent(name="assistant", model=ScriptedModel(script=list(script)), **fields)


def get_model(agent: LlmAgent) -> ScriptedModel:
    """Return the scripted model of an agent."""
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


def create_run(
    agent: Any, scenario: ScenarioImportedFromJson, options: WorldRunOptions | None = None, **fields: Any
) -> WorldRun:
    """Return a run of an agent with its own model."""
    return WorldRun(agent, scenario, options, **fields)
