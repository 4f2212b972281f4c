"""ADK still says what adk_messages.py recognizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.cli.utils.agent_loader import AgentLoader
from google.adk.events import Event
from google.adk.models import LLMRegistry
from google.adk.runners import InMemoryRunner
from google.genai import types
from scripted_model import ScriptedModel, text_response

from adk_agent_sim.adk import adk_messages
from adk_agent_sim.adk.compat import unwrap_load_error
from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR


def _write_agent(folder: Path, name: str, code: str) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (folder / name / "agent.py").write_text(code, encoding="utf-8")


def _load(folder: Path, name: str) -> BaseException:
    with pytest.raises(Exception, match=r"\S") as failed:
        AgentLoader(str(folder)).load_agent(name)
    return failed.value


def test_a_value_error_of_an_agents_code_is_unwrapped(tmp_path: Path) -> None:
    _write_agent(tmp_path, "broken_value", "raise ValueError('no such unit')")

    error = _load(tmp_path, "broken_value")

    assert type(error) is not ValueError
    assert type(unwrap_load_error(error)) is ValueError
    assert str(unwrap_load_error(error)) == "no such unit"
    assert unwrap_load_error(own := KeyError("x")) is own


def test_the_beginning_of_a_message_about_a_failed_load_is_removed(tmp_path: Path) -> None:
    _write_agent(tmp_path, "broken_import", "import no_such_package")

    message = str(_load(tmp_path, "broken_import"))

    assert message.startswith("Fail to load")
    assert adk_messages.remove_load_prefix(message) == "No module named 'no_such_package'"


def test_a_folder_whose_name_is_none_of_a_module_and_one_without_an_agent_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "my-agent").mkdir()
    _write_agent(tmp_path, "empty_agent", "")
    bad_name, no_agent = _load(tmp_path, "my-agent"), _load(tmp_path, "empty_agent")

    assert adk_messages.is_invalid_agent_name(bad_name)
    assert adk_messages.is_missing_root_agent(no_agent)
    assert not adk_messages.is_invalid_agent_name(no_agent)
    assert not adk_messages.is_missing_root_agent(bad_name)


def test_the_advice_about_an_unknown_model_is_without_its_name() -> None:
    with pytest.raises(ValueError, match="no/such") as unknown:
        LLMRegistry.resolve("no/such")

    advice = adk_messages.remove_unknown_model_prefix(str(unknown.value), "no/such")

    assert len(advice) < len(" ".join(str(unknown.value).split()))
    assert not advice.startswith("Model no/such")


async def _run(agent: LlmAgent, *events: Event) -> None:
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    for event in events:
        await runner.session_service.append_event(session, event)
    message = types.Content(role="user", parts=[types.Part(text="Hello")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass


async def test_a_missing_variable_is_found_with_its_agent() -> None:
    agent = LlmAgent(name="guide", model=ScriptedModel(script=[text_response("Hi")]), instruction="Be {mood}.")

    with pytest.raises(KeyError) as failed:
        await _run(agent)

    assert adk_messages.find_missing_variable(failed.value) == ("mood", "guide")
    assert adk_messages.find_missing_variable(KeyError("mood")) is None


@pytest.mark.parametrize("text", ["The mail has arrived.", "Two\nlines <<< here"])
async def test_what_the_environment_said_is_found_in_what_adk_makes_of_it(text: str) -> None:
    model = ScriptedModel(script=[text_response("Hi")])
    said = Event(author=ENVIRONMENT_AUTHOR, content=types.Content(role="user", parts=[types.Part(text=text)]))

    await _run(LlmAgent(name="guide", model=model), said)

    parts: list[Any] = [part for content in model.requests[0].contents for part in content.parts or ()]
    (quoted,) = (part.text for part in parts if adk_messages.is_quoted_notification(part.text or ""))
    assert quoted != text
    assert adk_messages.extract_quoted_notification(quoted) == text
