"""What an agent in a world is told, and how what it says reaches the user."""

from __future__ import annotations

from typing import Any

import pytest
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from scripted_model import call_response, text_response
from world_runs import (
    SEND_A,
    SEND_B,
    TELL_USER,
    WAIT,
    build_mail_arrival,
    build_two_turns,
    create_run,
    create_scripted_agent,
    get_model,
)

from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.run_result import RunEnd

TELL = (TELL_USER, {"content": "Done."})


def _list_texts(request: LlmRequest) -> list[str]:
    return [part.text for content in request.contents for part in content.parts or [] if part.text]


def _get_text(event: AdkEvent) -> str:
    assert event.content is not None
    return "".join(part.text or "" for part in event.content.parts or [])


def _list_messages(run: Any) -> list[str]:
    log = run.world.event_log()
    return [each.arguments["content"] for each in log if each.function == "send_message_to_user"]


async def test_final_texts_are_messages_to_the_user_and_begin_the_next_turn() -> None:
    agent = create_scripted_agent(
        call_response(SEND_A), text_response("Sent one."), call_response(SEND_B), text_response("Sent two.")
    )
    run = create_run(agent, build_two_turns())
    result = await run.run()
    assert result.passed, result.reason
    assert (result.ended, result.message_count, result.step_count) == (RunEnd.COMPLETED, 2, 4)
    assert _list_messages(run) == ["Sent one.", "Sent two."]
    assert run.agent_run is not None
    assert [_get_text(each) for each in run.agent_run.events if each.author == "user"] == ["First", "Second"]


async def test_a_message_that_the_agent_sends_itself_ends_its_turn_and_is_not_sent_twice() -> None:
    agent = create_scripted_agent(
        call_response(SEND_A), call_response(TELL), call_response(SEND_B), call_response(TELL)
    )
    run = create_run(agent, build_two_turns())
    result = await run.run()
    assert result.passed, result.reason
    assert _list_messages(run) == ["Done.", "Done."]
    # The model is not asked again for the result of the message.
    assert result.step_count == 4


async def test_a_text_beside_a_message_that_was_sent_is_not_sent_again() -> None:
    agent = create_scripted_agent(
        call_response(SEND_A, TELL), call_response(SEND_B), text_response("Sent two."), text_response("unused")
    )
    run = create_run(agent, build_two_turns())
    assert (await run.run()).passed
    assert _list_messages(run) == ["Done.", "Sent two."]


async def test_notifications_are_events_of_the_environment_in_every_later_request() -> None:
    agent = create_scripted_agent(
        call_response((WAIT, {"timeout": 60})), call_response(SEND_A), text_response("Sent."), text_response("unused")
    )
    run = create_run(agent, build_mail_arrival())
    result = await run.run()
    assert result.passed, result.reason
    assert run.agent_run is not None
    stored = [each for each in run.agent_run.events if each.author == "environment"]
    assert len(stored) == 1
    text = _get_text(stored[0])
    assert text.startswith("[1970-01-01 00:16:50] Notification: EmailClientV2")
    requests = get_model(agent).requests
    assert [text in _list_texts(each) for each in requests] == [False, True, True]
    # The notification stands where it happened, not quoted, and nothing of the turn is lost.
    shown = [part.text or "call" for content in requests[2].contents for part in content.parts or []]
    assert shown == [
        "Wait", "call", "call", text, "call", "call",
    ]  # fmt: skip


async def test_an_agent_that_sees_only_its_turn_sees_all_of_it() -> None:
    agent = create_scripted_agent(
        call_response((WAIT, {"timeout": 60})),
        call_response(SEND_A),
        text_response("Sent."),
        include_contents="none",
    )
    assert (await create_run(agent, build_mail_arrival()).run()).passed
    last = get_model(agent).requests[-1].contents
    assert [(part.text or "call").partition("]")[0] for content in last for part in content.parts or []] == [
        "Wait", "call", "call", "[1970-01-01 00:16:50", "call", "call",
    ]  # fmt: skip


async def test_an_agent_that_has_sent_all_messages_is_done_and_not_started_again() -> None:
    agent = create_scripted_agent(text_response("I will wait."), text_response("unused"))
    run = create_run(agent, build_mail_arrival())
    result = await run.run()
    # One message is all that the scenario expects, so the run is over, and the mail arrives unnoticed.
    assert (result.passed, result.ended, _list_messages(run)) == (False, RunEnd.COMPLETED, ["I will wait."])
    assert [each.event_id for each in run.world.event_log() if each.kind == "ENV"] == ["mail"]


@pytest.mark.parametrize(("answer", "sent"), [("Sent.", ["Sent."]), ("OK", []), ("ok.", []), ("", [])])
async def test_what_an_agent_says_after_a_notification_is_a_message_unless_it_has_nothing_to_tell(
    answer: str, sent: list[str]
) -> None:
    agent = create_scripted_agent(text_response(""), call_response(SEND_A), text_response(answer), text_response(""))
    run = create_run(agent, build_mail_arrival())
    result = await run.run()
    assert (result.passed, _list_messages(run)) == (bool(sent), sent)
    assert run.agent_run is not None
    started = [_get_text(each) for each in run.agent_run.events if each.author == "user"]
    assert started[1].endswith("if there is nothing to tell, answer only OK.)")


async def test_a_rejected_turn_keeps_later_turns_from_beginning() -> None:
    agent = create_scripted_agent(text_response("Done."))
    run = create_run(agent, build_two_turns())
    result = await run.run()
    assert (result.passed, result.ended, result.step_count) == (False, RunEnd.TURN_REJECTED, 1)
    assert result.reason.startswith(
        "Turn 1: the number of calls differs: EmailClientV2__send_email (expected 1, got 0)"
    )
    assert [each.event_id for each in run.world.event_log() if each.kind == "USER"] == ["ask"]


async def test_a_rejected_turn_does_not_end_a_run_that_is_to_go_on() -> None:
    agent = create_scripted_agent(text_response("Done."), text_response("Done too."))
    run = create_run(agent, build_two_turns(), WorldRunOptions(stop_on_rejection=False))
    result = await run.run()
    assert (result.passed, result.ended, result.step_count) == (False, RunEnd.COMPLETED, 2)
    assert result.reason.startswith("Turn 1: the number of calls differs")
    assert _list_messages(run) == ["Done.", "Done too."]
