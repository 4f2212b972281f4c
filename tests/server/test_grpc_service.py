"""The gRPC service, called over a real connection."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from typing import Any, cast
from uuid import UUID, uuid4

import grpc
import pytest
from grpc import StatusCode
from grpc_client import build_agent_turn, build_stub, serve_timeline
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from polling import MAX_WAIT_SECONDS, pause, wait_until
from stores import AnyStore
from timeline_builders import (
    ADD_DECLARATION,
    ask_turn,
    build_request_blocks,
    list_sessions,
    list_waiting_turns,
    text_decision,
    user_content,
)

from adk_agent_sim.errors import PortInUse
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import to_asked_message
from adk_agent_sim.server.grpc.agent_presence import AgentPresence
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import decode_json
from adk_agent_sim.timeline.events import (
    ArtifactSaved,
    Player,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.model_request import build_turn_asked
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
async def client(timeline: Timeline) -> AsyncIterator[Any]:
    async with serve_timeline(timeline, web_url=lambda session_id: f"http://here/{session_id}") as stub:
        yield stub


async def await_refusal(call: Awaitable[Any]) -> tuple[StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code(), error.value.details() or ""


async def create_session(client: Any, description: str = "") -> str:
    return (await client.CreateSession(v1.CreateSessionRequest(description=description))).session.id


def build_request(text: str = "hi") -> v1.GenerateContentRequest:
    return v1.GenerateContentRequest(
        model="m",
        contents=[v1.Content(role="user", parts=[v1.Part(text=text)])],
        tools=[v1.Tool(function_declarations=[v1.FunctionDeclaration(name="add")])],
    )


def build_response(text: str = "hello") -> v1.GenerateContentResponse:
    content = v1.Content(role="model", parts=[v1.Part(text=text)])
    return v1.GenerateContentResponse(candidates=[v1.Candidate(content=content)])


def build_submission(session_id: str, turn_id: str | None = None, **overrides: Any) -> v1.SubmitRequestRequest:
    fields: dict[str, Any] = {"agent_name": "math", "request": build_request(), **overrides}
    return v1.SubmitRequestRequest(session_id=session_id, turn_id=turn_id or str(uuid4()), **fields)


async def read_first_events(client: Any, count: int, **fields: Any) -> list[v1.SessionEvent]:
    call = client.Subscribe(v1.SubscribeRequest(**fields))
    events = [(await call.read()).event for _ in range(count)]
    call.cancel()
    return events


class TestSessions:
    @pytest.mark.req("003/proto-2", "003/session-1")
    async def test_a_session_has_an_id_a_time_a_description_and_a_page(self, client: Any) -> None:
        answer = await client.CreateSession(v1.CreateSessionRequest(description="refunds"))

        assert UUID(answer.session.id).version == 4
        assert answer.session.description == "refunds"
        assert answer.session.created_at.seconds > 0
        assert answer.web_url == f"http://here/{answer.session.id}"

    @pytest.mark.req("003/session-2")
    async def test_a_long_description_is_cut_not_refused(self, client: Any) -> None:
        answer = await client.CreateSession(v1.CreateSessionRequest(description="ü" * 600))

        assert answer.session.description == "ü" * 500

    @pytest.mark.req("003/session-1", "003/validation-layer")
    @pytest.mark.parametrize("session_id", ["mine", "6fa459ea-ee8a-11ca-894e-db77e160355e"])
    async def test_a_session_id_that_a_client_made_is_a_uuid_of_version_4(self, client: Any, session_id: str) -> None:
        code, details = await await_refusal(client.CreateSession(v1.CreateSessionRequest(session_id=session_id)))

        assert code is StatusCode.INVALID_ARGUMENT
        assert details == f"session_id must be a UUID of version 4, and is '{session_id}'."

    @pytest.mark.req("003/session-1")
    async def test_creating_a_session_again_returns_the_same_session(self, client: Any, timeline: Timeline) -> None:
        session_id = str(uuid4())
        answers = [
            await client.CreateSession(v1.CreateSessionRequest(session_id=session_id, description=str(number)))
            for number in range(2)
        ]

        assert answers[0] == answers[1]
        assert len(await list_sessions(timeline)) == 1

    async def test_pages_are_stable_while_sessions_are_added(self, client: Any) -> None:
        created = [await create_session(client, str(number)) for number in range(7)]
        listed: list[str] = []
        token = ""
        while True:
            page = await client.ListSessions(v1.ListSessionsRequest(page_size=3, page_token=token))
            listed += [session.id for session in page.sessions]
            await create_session(client, "added meanwhile")
            token = page.next_page_token
            if not token:
                break

        assert sorted(listed) == sorted(created)
        assert len(listed) == len(created)

    async def test_an_invalid_page_is_refused(self, client: Any) -> None:
        negative = await await_refusal(client.ListSessions(v1.ListSessionsRequest(page_size=-1)))
        unreadable = await await_refusal(client.ListSessions(v1.ListSessionsRequest(page_token="tomorrow")))  # noqa: S106

        assert negative == (StatusCode.INVALID_ARGUMENT, "page_size must not be negative, and is -1.")
        for token in (f"{2**63}:s", f"{10**19}:s", "9" * 30 + ":s", "1:" + "s" * 300, "1:\0", "-1:s"):
            code, details = await await_refusal(client.ListSessions(v1.ListSessionsRequest(page_token=token)))
            assert code is StatusCode.INVALID_ARGUMENT
            assert details.startswith("page_token must")
        assert unreadable[1].startswith("page_token must be the next_page_token of a response")

    @pytest.mark.req("003/session-3")
    @pytest.mark.parametrize("status", ["COMPLETED", "CANCELLED"])
    async def test_a_session_is_active_until_it_is_completed_or_cancelled(self, client: Any, status: str) -> None:
        session_id = await create_session(client)
        before = await client.GetSession(v1.GetSessionRequest(session_id=session_id))
        name = f"SESSION_STATUS_{status}"
        closing = v1.CloseSessionRequest(session_id=session_id, reason="enough", status=name)
        closed = await client.CloseSession(closing)
        again = await client.CloseSession(closing)
        after = await client.GetSession(v1.GetSessionRequest(session_id=session_id))

        assert v1.SessionStatus.Name(before.status) == "SESSION_STATUS_ACTIVE"
        assert (v1.SessionStatus.Name(after.status), after.last_seq) == (name, 1)
        assert closed == again
        code, details = await await_refusal(client.SubmitRequest(build_submission(session_id)))
        assert code is StatusCode.FAILED_PRECONDITION
        assert "is closed" in details

    @pytest.mark.req("003/session-3", "003/rule-3")
    async def test_a_session_is_not_closed_as_active(self, client: Any) -> None:
        closing = v1.CloseSessionRequest(session_id="s", status="SESSION_STATUS_ACTIVE")
        code, details = await await_refusal(client.CloseSession(closing))

        assert code is StatusCode.INVALID_ARGUMENT
        assert details.startswith("status must be")


class TestTurns:
    @pytest.mark.req("003/flow-3", "003/flow-4")
    async def test_a_request_waits_until_it_is_decided(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        asked = await client.SubmitRequest(turn)
        (waiting,) = await timeline.get_pending_turns(session_id)
        assert (waiting.event_id, waiting.seq, waiting.agent_name) == (asked.event_id, asked.seq, "math")
        whole = await timeline.read_request(waiting)
        assert whole.contents == [{"role": "user", "parts": [{"text": "hi"}]}]
        assert list(whole.declarations) == ["add"]
        assert whole.config["model"] == "m"

        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=turn.turn_id, response=build_response())
        decided = await client.SubmitDecision(decision)

        event = await timeline.wait_for_decision(session_id, turn.turn_id)
        assert (event.event_id, event.seq, event.player) == (decided.event_id, decided.seq, Player.HUMAN)
        assert isinstance(event.payload, TurnDecided)
        assert event.payload.response["content"]["parts"] == [{"text": "hello"}]
        assert not await timeline.get_pending_turns(session_id)

    @pytest.mark.req("003/rule-1")
    async def test_a_turn_submitted_again_is_the_same_turn(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)

        first = await client.SubmitRequest(turn)
        for request in (turn.request, build_request("something else")):
            again = await client.SubmitRequest(build_submission(session_id, turn.turn_id, request=request))
            assert again == first
        (event,) = await timeline.read_events(session_id)
        assert event.event_id == first.event_id

    @pytest.mark.req("003/rule-1")
    async def test_a_decision_sent_again_is_the_same_and_another_is_refused(self, client: Any) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        decision = v1.SubmitDecisionRequest(
            session_id=session_id, turn_id=turn.turn_id, response=build_response(), decision_id=str(uuid4())
        )

        assert await client.SubmitDecision(decision) == await client.SubmitDecision(decision)
        decision.decision_id = str(uuid4())
        code, details = await await_refusal(client.SubmitDecision(decision))
        assert code is StatusCode.ALREADY_EXISTS
        assert "can be decided only once" in details

    @pytest.mark.req("003/queue-4")
    async def test_another_turn_than_the_head_is_refused_and_the_head_is_named(self, client: Any) -> None:
        session_id = await create_session(client)
        head, second = (
            build_submission(session_id, agent_name="first"),
            build_submission(session_id, agent_name="second"),
        )
        await client.SubmitRequest(head)
        await client.SubmitRequest(second)

        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=second.turn_id, response=build_response())
        code, details = await await_refusal(client.SubmitDecision(decision))
        assert code is StatusCode.FAILED_PRECONDITION
        assert f"decide turn '{head.turn_id}' of agent 'first' first" in details

    @pytest.mark.req("003/event-2", "003/event-3", "003/event-4", "003/validation-layer")
    @pytest.mark.parametrize(
        ("fields", "problem"),
        [
            ({"turn_id": "t1"}, "turn_id must be a UUID of version 4, and is 't1'."),
            ({"turn_id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, "turn_id must be a UUID of version 4"),
            ({"agent_name": ""}, "agent_name must not be empty."),
            ({"agent_name": " \t\n"}, "agent_name must have a visible character, or be empty."),
            ({"agent_name": "\x00"}, "agent_name must not contain the character U+0000."),
            ({"agent_name": "\x01\x7f"}, "agent_name must have a visible character, or be empty."),
            ({"agent_name": "a" * 101}, "agent_name must have at most 100 characters, and has 101."),
            ({"request": None}, "request is missing: send `asked`, `request` or `exact_json`."),
            ({"exact_json": "[" * 100_000}, "exact_json must have at most 256 nesting levels, and has more."),
            ({"exact_json": '{"a":' * 300 + "1" + "}" * 300}, "exact_json must have at most 256 nesting levels"),
            ({"exact_json": '{"contents": [5]}'}, "exact_json.contents[0] must be an object, and is a number."),
            (
                {"exact_json": '{"config": {"tools": [{"function_declarations": [{"name": 1}]}]}}'},
                "exact_json.config.tools[0].function_declarations[0].name must be a string, and is a number.",
            ),
            ({"asked": v1.TurnAsked(tools=b"short")}, "asked.tools must be the id of a block: 32 hexadecimal digits."),
            ({"request": None, "exact_json": "[]"}, "exact_json must be an object, and is a list."),
            ({"request": None, "exact_json": "{"}, "exact_json must be JSON text in ASCII, and is not"),
        ],
    )
    async def test_an_invalid_request_is_refused_and_the_field_is_named(
        self, client: Any, fields: dict[str, Any], problem: str
    ) -> None:
        session_id = await create_session(client)
        code, details = await await_refusal(client.SubmitRequest(build_submission(session_id, **fields)))

        assert code is StatusCode.INVALID_ARGUMENT
        assert details.startswith(problem)

    @pytest.mark.parametrize(
        ("part", "data", "problem"),
        [
            ("tools", b"{}", "asked.tools must be a list, and is an object."),
            ("tools", b"\xff", "asked.tools must be JSON text"),
            ("tools", b'[{"function_declarations": [5]}]', "asked.tools[0].function_declarations[0] must be an object"),
            ("instruction", b"5", "asked.instruction must be a string, and is a number."),
            ("instruction", b'{"parts": [5]}', "asked.instruction.parts[0] must be a string or an object"),
            ("config", b"{}", "asked.config.config is missing."),
            ("config", b"[" * 100_000, "asked.config must have at most 256 nesting levels, and has more."),
            ("content", b"[]", "asked.content must be an object, and is a list."),
        ],
        ids=["tools", "bytes", "declaration", "instruction", "part", "config", "depth", "content"],
    )
    async def test_a_block_that_is_not_what_the_request_uses_it_for_is_refused(
        self, client: Any, timeline: Timeline, part: str, data: bytes, problem: str
    ) -> None:
        session_id = await create_session(client)
        parts = {"tools": b"[]", "instruction": b"null", "config": b'{"config":{}}', "content": b'{"parts":[]}'}
        await client.SubmitRequest(_build_submission_by_reference(session_id, parts))
        # In the second round the block is stored already: an artifact may have any bytes.
        saved = v1.SessionEvent(artifact_saved=v1.ArtifactSaved(filename="f", mime_type="text/plain", data=data))
        for events in ([], [saved]):
            await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=events))
            submission = _build_submission_by_reference(session_id, {**parts, part: data})
            if events:
                submission.ClearField("blocks")
            code, details = await await_refusal(client.SubmitRequest(submission))
            assert code is StatusCode.INVALID_ARGUMENT
            assert details.startswith(problem)

        assert len(await timeline.get_pending_turns(session_id)) == 1

    async def test_the_contents_of_a_long_conversation_are_checked_in_their_groups(
        self, client: Any, timeline: Timeline
    ) -> None:
        session_id = await create_session(client)
        request = build_request_blocks([user_content(str(number)) for number in range(300)])
        asked, blocks = build_turn_asked(request, "i", ())
        submission = build_submission(session_id, request=None, asked=to_asked_message(asked))
        missing = await await_refusal(client.SubmitRequest(submission))
        assert missing[0] is StatusCode.FAILED_PRECONDITION

        submission.blocks.extend(block.data for block in blocks)
        await client.SubmitRequest(submission)
        (pending,) = await timeline.get_pending_turns(session_id)
        assert len((await timeline.read_request(pending)).contents) == 300

        invalid = replace(request, contents=[*request.contents[:5], Block.from_data(b"5"), *request.contents[6:]])
        asked, blocks = build_turn_asked(invalid, "i", {block.block_id for block in blocks})
        submission = build_submission(session_id, request=None, asked=to_asked_message(asked))
        submission.blocks.extend(block.data for block in blocks)
        refusal = await await_refusal(client.SubmitRequest(submission))
        assert refusal == (StatusCode.INVALID_ARGUMENT, "asked.content must be an object, and is a number.")

    @pytest.mark.req("003/event-3")
    async def test_an_agent_name_of_100_characters_is_accepted(self, client: Any) -> None:
        session_id = await create_session(client)

        assert (await client.SubmitRequest(build_submission(session_id, agent_name="ä" * 100))).seq == 1

    @pytest.mark.req("003/event-1")
    async def test_an_unknown_session_is_not_found(self, client: Any) -> None:
        nowhere = str(uuid4())
        for call in (
            client.SubmitRequest(build_submission(nowhere)),
            client.SubmitDecision(
                v1.SubmitDecisionRequest(session_id=nowhere, turn_id=str(uuid4()), response=build_response())
            ),
            client.GetSession(v1.GetSessionRequest(session_id=nowhere)),
            client.CloseSession(v1.CloseSessionRequest(session_id=nowhere)),
            client.AppendEvents(v1.AppendEventsRequest(session_id=nowhere, events=[_build_user_event("hi")])),
            client.ReadBlocks(v1.ReadBlocksRequest(session_id=nowhere)),
            client.Subscribe(v1.SubscribeRequest(session_id=nowhere)).read(),
        ):
            assert await await_refusal(call) == (
                StatusCode.NOT_FOUND,
                f"There is no session '{nowhere}' on this timeline.",
            )

    @pytest.mark.parametrize(
        ("session_id", "problem"),
        [
            ("", "session_id must not be empty."),
            ("s" * 201, "session_id must have at most 200 characters, and has 201."),
            ("s\0", "session_id must not contain the character U+0000."),
        ],
        ids=["empty", "long", "zero"],
    )
    async def test_what_cannot_be_a_session_id_is_refused(self, client: Any, session_id: str, problem: str) -> None:
        for call in (
            client.SubmitRequest(build_submission(session_id)),
            client.SubmitDecision(v1.SubmitDecisionRequest(session_id=session_id, turn_id=str(uuid4()))),
            client.GetSession(v1.GetSessionRequest(session_id=session_id)),
            client.CloseSession(v1.CloseSessionRequest(session_id=session_id)),
            client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=[_build_user_event("hi")])),
            client.ReadBlocks(v1.ReadBlocksRequest(session_id=session_id)),
            client.Subscribe(v1.SubscribeRequest(session_id=session_id)).read(),
        ):
            assert await await_refusal(call) == (StatusCode.INVALID_ARGUMENT, problem)

    @pytest.mark.parametrize(
        ("fields", "problem"),
        [
            ({"exact_json": "null"}, "exact_json must be an object, and is null."),
            ({"exact_json": '{"content": []}'}, "exact_json.content must be an object, and is a list."),
            ({"exact_json": "[" * 100_000}, "exact_json must have at most 256 nesting levels, and has more."),
            ({"exact_json": "{}", "duration_ms": math.nan}, "duration_ms must be a finite number of at least 0"),
            ({"response": build_response(), "duration_ms": -1}, "duration_ms must be a finite number of at least 0"),
        ],
    )
    async def test_an_invalid_decision_is_refused_and_the_turn_still_waits(
        self, client: Any, timeline: Timeline, fields: dict[str, Any], problem: str
    ) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=turn.turn_id, **fields)
        code, details = await await_refusal(client.SubmitDecision(decision))

        assert code is StatusCode.INVALID_ARGUMENT
        assert details.startswith(problem)
        assert len(await timeline.get_pending_turns(session_id)) == 1

    @pytest.mark.req("003/rule-4")
    async def test_a_decision_needs_a_candidate_that_says_something(self, client: Any) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=turn.turn_id)
        none = await await_refusal(client.SubmitDecision(decision))
        decision.response.CopyFrom(build_response(""))
        silent = await await_refusal(client.SubmitDecision(decision))

        assert none == (StatusCode.INVALID_ARGUMENT, "response.candidates must have at least one element.")
        assert silent[0] is StatusCode.INVALID_ARGUMENT
        assert silent[1].startswith("The decision is empty")

    async def test_a_tool_that_is_not_offered_is_refused_unless_overridden(self, client: Any) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        call = v1.Part(function_call=v1.FunctionCall(name="sub"))
        decision = v1.SubmitDecisionRequest(
            session_id=session_id,
            turn_id=turn.turn_id,
            response=v1.GenerateContentResponse(candidates=[v1.Candidate(content=v1.Content(parts=[call]))]),
        )
        code, details = await await_refusal(client.SubmitDecision(decision))
        decision.force = True

        assert code is StatusCode.INVALID_ARGUMENT
        assert "the tools are: add" in details
        assert (await client.SubmitDecision(decision)).seq == 2

    async def test_the_exact_text_wins_where_it_is_sent(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        call = '{"function_call":{"args":{"n":9007199254740993,"x":5.0}}}'
        exact = f'{{"model":"m","contents":[{{"parts":[{call}]}}],"config":{{}}}}'
        turn = build_submission(session_id, exact_json=exact)
        await client.SubmitRequest(turn)
        answer = '{"content":{"parts":[{"text":"\\ud800"}]}}'
        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=turn.turn_id, exact_json=answer)
        await client.SubmitDecision(decision)

        asked, decided = await timeline.read_events(session_id)
        (content,) = (await timeline.read_request(asked)).contents
        assert repr(content["parts"][0]["function_call"]["args"]) == "{'n': 9007199254740993, 'x': 5.0}"
        assert isinstance(decided.payload, TurnDecided)
        assert decided.payload.response == decode_json(answer.encode())
        stored = await read_first_events(client, 2, session_id=session_id, all_kinds=True)
        assert decode_json(stored[0].exact_json.encode())["contents"] == decode_json(exact.encode())["contents"]
        assert stored[1].exact_json == answer


def _build_submission_by_reference(session_id: str, parts: dict[str, bytes]) -> v1.SubmitRequestRequest:
    ids = {part: bytes.fromhex(Block.from_data(data).block_id) for part, data in parts.items()}
    asked = v1.TurnAsked(
        contents=[ids["content"]], tools=ids["tools"], instruction=ids["instruction"], config=ids["config"]
    )
    return build_submission(session_id, request=None, asked=asked, blocks=list(parts.values()))


def _build_user_event(text: str, event_id: str = "") -> v1.SessionEvent:
    content = f'{{"parts":[{{"text":"{text}"}}],"role":"user"}}'
    return v1.SessionEvent(event_id=event_id, user_spoke=v1.UserSpoke(content_json=content))


class TestFacts:
    @pytest.mark.req("003/event-2", "003/event-3")
    async def test_an_appended_event_needs_no_turn_and_no_agent(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        event = _build_user_event("hi")
        assert (event.turn_id, event.agent_name) == ("", "")
        await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=[event]))

        (stored,) = await timeline.read_events(session_id)
        assert isinstance(stored.payload, UserSpoke)

    async def test_events_are_appended_once_however_often_they_are_sent(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        started = v1.ToolStarted(call_id="c", tool_name="add", arguments_json='{"a":1}')
        appended = v1.AppendEventsRequest(
            session_id=session_id,
            events=[
                _build_user_event("hi", str(uuid4())),
                v1.SessionEvent(event_id=str(uuid4()), tool_started=started, agent_name="math", player="PLAYER_REAL"),
            ],
        )
        answers = [await client.AppendEvents(appended) for _ in range(2)]

        assert [answer.last_seq for answer in answers] == [2, 2]
        assert list(answers[0].event_ids) == [event.event_id for event in appended.events]
        spoke, tool = await timeline.read_events(session_id)
        assert spoke.payload == UserSpoke(content=user_content("hi"))
        assert tool.payload == ToolStarted(call_id="c", tool_name="add", arguments={"a": 1})
        assert (tool.agent_name, tool.player) == ("math", Player.REAL)

    async def test_a_batch_with_an_event_that_was_sent_before_appends_the_others(
        self, client: Any, timeline: Timeline
    ) -> None:
        session_id = await create_session(client)
        events = [_build_user_event(str(number), str(uuid4())) for number in range(4)]
        for batch in (events[:2], [events[2], events[0], events[3], events[3]]):
            answer = await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=batch))

        assert answer.last_seq == 4
        assert [event.event_id for event in await timeline.read_events(session_id)] == [e.event_id for e in events]

    async def test_an_event_of_another_session_is_refused_and_named(self, client: Any, timeline: Timeline) -> None:
        first, second = await create_session(client), await create_session(client)
        event = _build_user_event("hi", str(uuid4()))
        await client.AppendEvents(v1.AppendEventsRequest(session_id=first, events=[event]))
        batch = v1.AppendEventsRequest(session_id=second, events=[_build_user_event("new"), event])
        code, details = await await_refusal(client.AppendEvents(batch))

        assert code is StatusCode.ALREADY_EXISTS
        assert details.startswith(f"Event '{event.event_id}' already exists in session '{first}'.")
        assert not await timeline.read_events(second)

    async def test_an_artifact_brings_its_bytes(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        saved = v1.ArtifactSaved(filename="f", version=0, mime_type="text/plain", data=b"\x00bytes")
        event = v1.SessionEvent(artifact_saved=saved)
        await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=[event]))

        (kept,) = await timeline.read_events(session_id)
        assert isinstance(kept.payload, ArtifactSaved)
        assert await timeline.read_block(session_id, kept.payload.block) == b"\x00bytes"
        wanted = v1.ReadBlocksRequest(session_id=session_id, block_ids=[bytes.fromhex(kept.payload.block)])
        assert list((await client.ReadBlocks(wanted)).blocks) == [b"\x00bytes"]
        wanted.block_ids.append(b"x" * 16)
        assert (await await_refusal(client.ReadBlocks(wanted)))[0] is StatusCode.FAILED_PRECONDITION

    @pytest.mark.req("003/event-4")
    @pytest.mark.parametrize(
        ("event", "problem"),
        [
            (v1.SessionEvent(), "events[0].payload is missing."),
            (v1.SessionEvent(llm_request=build_request()), "events[0].payload is llm_request"),
            (v1.SessionEvent(llm_response=build_response()), "events[0].payload is llm_response"),
            (v1.SessionEvent(closed=v1.Closed()), "events[0].payload is closed"),
            (
                v1.SessionEvent(user_spoke=v1.UserSpoke(content_json="{")),
                "events[0].user_spoke.content_json must be JSON text",
            ),
            (
                v1.SessionEvent(user_spoke=v1.UserSpoke(content_json="[1]")),
                "events[0].user_spoke.content must be an object, and is a list.",
            ),
            (
                v1.SessionEvent(user_spoke=v1.UserSpoke(content_json='{"parts": [{}, {}, {"text": 5}]}')),
                "events[0].user_spoke.content.parts[2].text must be a string, and is a number.",
            ),
            (
                v1.SessionEvent(user_spoke=v1.UserSpoke(content_json="[" * 100_000)),
                "events[0].user_spoke.content_json must have at most 256 nesting levels, and has more.",
            ),
            (
                v1.SessionEvent(agent_event=v1.AgentEvent(event_json="null")),
                "events[0].agent_event.event must be an object, and is null.",
            ),
            (
                v1.SessionEvent(
                    tool_finished=v1.ToolFinished(result_json="1", actions_json="{}", duration_ms=math.nan)
                ),
                "events[0].tool_finished.duration_ms must be a finite number of at least 0, and is nan.",
            ),
            (v1.SessionEvent(closed=v1.Closed(), texts_json="[]"), "events[0].payload is closed"),
            (v1.SessionEvent(turn_withdrawn=v1.TurnWithdrawn(), texts_json="[]"), "events[0] cannot be read"),
            (v1.SessionEvent(turn_withdrawn=v1.TurnWithdrawn(), agent_name=" "), "events[0].agent_name must have"),
            (v1.SessionEvent(turn_withdrawn=v1.TurnWithdrawn(), event_id="e" * 201), "events[0].event_id must have"),
            (v1.SessionEvent(run_ended=v1.RunEnded()), "events[0].run_ended.outcome must be done"),
        ],
    )
    async def test_an_event_that_clients_may_not_append_is_refused_and_nothing_is_added(
        self, client: Any, timeline: Timeline, event: v1.SessionEvent, problem: str
    ) -> None:
        session_id = await create_session(client)
        appended = v1.AppendEventsRequest(session_id=session_id, events=[event, _build_user_event("hi")])
        code, details = await await_refusal(client.AppendEvents(appended))

        assert code is StatusCode.INVALID_ARGUMENT
        assert details.startswith(problem)
        assert not await timeline.read_events(session_id)


class TestSubscriptions:
    async def test_history_then_its_end_then_what_happens(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("not for the first protocol"))]))
        call = client.Subscribe(v1.SubscribeRequest(session_id=session_id, client_id="c"))

        asked = (await call.read()).event
        assert (asked.turn_id, asked.seq, asked.agent_name) == (turn.turn_id, 1, "math")
        assert asked.llm_request == turn.request
        complete = (await call.read()).event
        assert (complete.WhichOneof("payload"), complete.history_complete.event_count) == ("history_complete", 1)
        assert complete.seq == 0

        await timeline.decide(TurnDecision(session_id, turn.turn_id, text_decision("hello")))
        decided = (await call.read()).event
        assert decided.llm_response == build_response()
        assert decided.turn_id == turn.turn_id
        await timeline.close_session(session_id, "enough")
        assert await call.read() is cast("Any", grpc.aio).EOF
        assert await call.code() is StatusCode.OK

    @pytest.mark.parametrize("fields", [{"all_kinds": True}, {"all_kinds": True, "as_stored": True}])
    async def test_a_subscriber_gets_the_agent_path_and_who_decided(self, client: Any, fields: dict[str, Any]) -> None:
        session_id = await create_session(client)
        path = v1.AgentPath(branch="all.left", parent_call_id="c1")
        turn = build_submission(session_id, agent_path=path)
        await client.SubmitRequest(turn)
        decision = v1.SubmitDecisionRequest(
            session_id=session_id, turn_id=turn.turn_id, response=build_response(), decided_by="Ada"
        )
        await client.SubmitDecision(decision)

        asked, decided = await read_first_events(client, 2, session_id=session_id, **fields)
        assert (asked.agent_path, decided.agent_path) == (path, path)
        assert (asked.decided_by, decided.decided_by) == ("", "Ada")

    async def test_what_a_client_of_the_first_protocol_does_has_no_agent_path(
        self, client: Any, timeline: Timeline
    ) -> None:
        session_id = await create_session(client)
        turn = build_submission(session_id)
        await client.SubmitRequest(turn)
        decision = v1.SubmitDecisionRequest(session_id=session_id, turn_id=turn.turn_id, response=build_response())
        await client.SubmitDecision(decision)
        await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=[_build_user_event("hi")]))

        events = await timeline.read_events(session_id)
        assert [event.agent_path for event in events] == [None, None, None]
        assert isinstance(events[1].payload, TurnDecided)
        assert events[1].payload.decided_by == ""
        sent = await read_first_events(client, 3, session_id=session_id, all_kinds=True)
        assert not any(message.HasField("agent_path") for message in sent)

    async def test_a_client_that_reconnects_resumes_after_the_last_event_it_has(
        self, client: Any, timeline: Timeline
    ) -> None:
        session_id = await create_session(client)
        for number in range(3):
            await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content(str(number)))]))

        events = await read_first_events(client, 2, session_id=session_id, after_seq=2, all_kinds=True)
        assert [event.seq for event in events] == [3, 0]
        (complete,) = await read_first_events(client, 1, session_id=session_id, after_seq=3, all_kinds=True)
        assert complete.history_complete.event_count == 0

    async def test_a_client_that_has_events_which_the_server_lacks_is_told_to_start_over(
        self, client: Any, timeline: Timeline
    ) -> None:
        session_id = await create_session(client)
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))
        for after_seq in (2, 2**63 - 1):
            refusal = await await_refusal(
                client.Subscribe(v1.SubscribeRequest(session_id=session_id, after_seq=after_seq)).read()
            )
            assert refusal[0] is StatusCode.OUT_OF_RANGE
            assert refusal[1].startswith(f"Session '{session_id}' has no event {after_seq}: its last one is 1.")
            assert refusal[1].endswith("Subscribe again from 0.")

    async def test_a_negative_seq_is_refused(self, client: Any) -> None:
        call = client.Subscribe(v1.SubscribeRequest(session_id=await create_session(client), after_seq=-1))

        assert await await_refusal(call.read()) == (
            StatusCode.INVALID_ARGUMENT,
            "after_seq must not be negative, and is -1.",
        )

    async def test_an_agent_need_not_be_sent_its_own_requests(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        await ask_turn(timeline, session_id, "t1")
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("hi")))

        stored = {"session_id": session_id, "all_kinds": True, "as_stored": True}
        (asked, decided) = await read_first_events(client, 2, **stored)
        assert [asked.WhichOneof("payload"), decided.WhichOneof("payload")] == ["turn_asked", "turn_decided"]
        assert await read_first_events(client, 1, **stored, without_requests=True) == [decided]

    async def test_notes_are_sent_to_readers_but_not_to_agents(self, client: Any, timeline: Timeline) -> None:
        session_id = await create_session(client)
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))
        await timeline.note_row(session_id, 0, "why?")

        stored = {"session_id": session_id, "all_kinds": True, "as_stored": True}
        spoke, noted = await read_first_events(client, 2, **stored)
        assert (noted.noted.row_index, noted.noted.about_seq, noted.noted.text) == (0, spoke.seq, "why?")
        first, complete = await read_first_events(client, 2, **stored, without_requests=True)
        assert first == spoke
        assert complete.history_complete.event_count == 1

    async def test_a_stopping_server_ends_streams_with_a_reason(self, timeline: Timeline) -> None:
        session_id = (await timeline.create_session()).session_id
        async with serve_grpc(timeline, access=None) as server:
            channel = grpc.aio.insecure_channel(server.address)
            call = build_stub(channel).Subscribe(v1.SubscribeRequest(session_id=session_id))
            await call.read()
            ended = asyncio.create_task(await_refusal(call.read()))
            await asyncio.wait({ended}, timeout=0.05)
        async with channel:
            status = await ended
        assert status == (
            StatusCode.UNAVAILABLE,
            "The server is shutting down; reconnect to continue.",
        )


class TestPresence:
    async def test_a_turn_without_its_agents_stream_is_abandoned_and_revives(self, timeline: Timeline) -> None:
        async with serve_timeline(timeline, abandon_after=0.05) as client:
            session_id, turn_id = await create_session(client), str(uuid4())
            turn = build_agent_turn(session_id, turn_id, "agent")
            call = client.Subscribe(v1.SubscribeRequest(session_id=session_id, client_id="agent"))
            await call.read()
            await client.SubmitRequest(turn)
            await asyncio.wait({asyncio.ensure_future(call.read())}, timeout=0.2)
            assert [asked.turn_id for asked in timeline.peek_pending_turns(session_id)] == [turn_id]

            call.cancel()
            await wait_until(lambda: not timeline.peek_pending_turns(session_id))
            assert (await timeline.list_summaries())[0].status is SessionStatus.ABANDONED
        async with serve_timeline(timeline) as client:
            await client.SubmitRequest(turn)
            assert [asked.turn_id for asked in timeline.peek_pending_turns(session_id)] == [turn_id]
        async with serve_timeline(timeline, abandon_after=0.05):
            await wait_until(lambda: not timeline.peek_pending_turns(session_id))

        kinds = [type(event.payload) for event in await timeline.read_events(session_id)]
        assert kinds == [TurnAsked, TurnWithdrawn, TurnRevived, TurnWithdrawn]

    async def test_turns_of_an_agent_that_reconnects_and_disconnects_at_once_are_abandoned(
        self, timeline: Timeline
    ) -> None:
        async with serve_timeline(timeline) as client:
            session_id, turn_id = await create_session(client), str(uuid4())
            await client.SubmitRequest(build_agent_turn(session_id, turn_id, "agent"))
        presence = AgentPresence(timeline, abandon_after=0.05)
        await presence.start()
        await asyncio.to_thread(int)
        async with presence.track_stream(session_id, "agent"):
            pass
        await wait_until(lambda: not timeline.peek_pending_turns(session_id))
        await presence.close()

    async def test_turns_of_clients_of_the_first_protocol_wait_forever(self, timeline: Timeline) -> None:
        async with serve_timeline(timeline, abandon_after=0.0) as client:
            session_id = await create_session(client)
            await client.SubmitRequest(build_submission(session_id))
            call = client.Subscribe(v1.SubscribeRequest(session_id=session_id, client_id="c"))
            await call.read()
            call.cancel()
            await asyncio.wait({asyncio.ensure_future(create_session(client))})
            assert len(await list_waiting_turns(timeline)) == 1

    async def test_a_restarted_server_expects_agents_whose_turns_wait(self, store: AnyStore) -> None:
        timeline = Timeline(store)
        async with serve_timeline(timeline) as client:
            session_id = await create_session(client)
            await client.SubmitRequest(build_agent_turn(session_id, str(uuid4()), "agent"))
            await client.SubmitRequest(build_submission(session_id))

        again = Timeline(store)
        async with serve_timeline(again, abandon_after=0.01):
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                while len(waiting := await again.get_pending_turns(session_id)) > 1:
                    await pause()
            (left,) = waiting
            assert isinstance(left.payload, TurnAsked)
            assert left.payload.client_id == ""


class TestServer:
    async def test_health_and_reflection_are_served(self, timeline: Timeline) -> None:
        async with serve_grpc(timeline, access=None) as server, grpc.aio.insecure_channel(server.address) as channel:
            for service in ("", "adksim.v1.SimulatorService"):
                check = cast("Any", health_pb2).HealthCheckRequest(service=service)
                assert (await cast("Any", health_pb2_grpc).HealthStub(channel).Check(check)).status == 1
            stream = cast("Any", reflection_pb2_grpc).ServerReflectionStub(channel).ServerReflectionInfo()
            await stream.write(cast("Any", reflection_pb2).ServerReflectionRequest(list_services=""))
            named = {one.name for one in (await stream.read()).list_services_response.service}
            assert "adksim.v1.SimulatorService" in named
            stream.cancel()

    async def test_a_port_in_use_is_reported(self, timeline: Timeline) -> None:
        async with serve_grpc(timeline, access=None) as server:
            with pytest.raises(PortInUse, match=f"127.0.0.1:{server.port}.*--grpc-port"):
                async with serve_grpc(timeline, access=None, port=server.port):
                    pass

    async def test_a_request_of_many_megabytes_is_accepted(self, timeline: Timeline) -> None:
        async with serve_timeline(timeline) as client:
            session_id = await create_session(client)
            await client.SubmitRequest(build_submission(session_id, request=build_request("x" * 20_000_000)))
            asked, _ = await read_first_events(client, 2, session_id=session_id)
            assert len(asked.llm_request.contents[0].parts[0].text) == 20_000_000

    @pytest.mark.parametrize(
        "method",
        [
            "adksim.v1.SimulatorService/AppendEvents",
            "adksim.v1.SimulatorService/Subscribe",
            "grpc.health.v1.Health/Check",
            "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        ],
    )
    async def test_a_message_that_cannot_be_parsed_is_refused_with_one_line_in_the_log(
        self, timeline: Timeline, caplog: pytest.LogCaptureFixture, method: str
    ) -> None:
        async with serve_grpc(timeline, access=None) as server, grpc.aio.insecure_channel(server.address) as channel:
            call = cast("Any", channel).stream_stream(f"/{method}")(iter([b"\xff\xff\x01 no message"]))
            code, details = await await_refusal(call.read())

        assert code is StatusCode.INVALID_ARGUMENT
        assert details.startswith(f"The message to /{method} cannot be parsed.")
        # gRPC has one queue for all event loops; asyncio logs what it still delivers to those of earlier tests.
        (record,) = [record for record in caplog.records if record.name != "asyncio"]
        assert record.exc_info is None
        assert record.message == f"A client sent a message to /{method} that cannot be parsed; it was refused."

    async def test_an_unexpected_error_is_logged_and_its_text_not_sent(
        self, client: Any, timeline: Timeline, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fails(*_: object, **__: object) -> None:
            raise ZeroDivisionError("secret")

        monkeypatch.setattr(timeline, "list_summaries", fails)
        code, details = await await_refusal(client.ListSessions(v1.ListSessionsRequest()))
        assert (code, details) == (StatusCode.INTERNAL, "The server failed with ZeroDivisionError. See its log.")
        assert "secret" in caplog.text


async def test_a_stored_request_is_sent_in_full(client: Any, timeline: Timeline) -> None:
    session_id = await create_session(client)
    schema = {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "string"}}}
    await ask_turn(
        timeline,
        session_id,
        "t1",
        build_request_blocks([user_content("hi"), user_content("again")], response_schema=schema),
    )

    (asked,) = await read_first_events(client, 1, session_id=session_id, all_kinds=True)

    assert [content.parts[0].text for content in asked.llm_request.contents] == ["hi", "again"]
    assert asked.llm_request.system_instruction.parts[0].text == "Be kind."
    assert asked.llm_request.tools[0].function_declarations[0].name == "add"
    whole = decode_json(asked.exact_json.encode())
    assert list(whole["config"]["response_schema"]["properties"]) == ["b", "a"]
    assert whole["config"]["tools"] == [{"function_declarations": [ADD_DECLARATION]}]
