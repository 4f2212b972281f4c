"""Records runs in a small world as a timeline does: an email arrives, and the agent answers in two turns."""

from __future__ import annotations

from typing import Any

from timeline_builders import text_decision, user_content
from world_builders import build_reply_event, build_world_event, build_world_scenario, send_message_to_user

from adk_agent_sim.adk.worlds import world_recorder
from adk_agent_sim.scenario import Judge, World
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, ToolFinished, ToolStarted, UserSpoke
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.session_events import AgentJoined
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.verdict import Verdict
from adk_agent_sim.timeline.world_events import VerdictReached

SCENARIO = build_world_scenario(
    build_world_event("u", "USER", delay=0),
    build_world_event("mail", "ENV", ("u",), "Emails__create_and_add_email", delay=5, sender="c@example.org"),
    build_world_event("a", "AGENT", ("mail",), "Emails__send_email", recipients=["a@example.org"], subject="Hi"),
    build_reply_event("m", "a"),
    build_world_event("v", "USER", ("m",), delay=2),
    build_world_event("b", "AGENT", ("v",), "Emails__send_email", recipients=["b@example.org"]),
    build_reply_event("n", "b"),
)


class RecordedWorldRun:
    """A run of the scenario, with everything that its timeline says."""

    def __init__(self, judge: Judge, *, second: str = "b@example.org") -> None:
        """Run the scenario; the second email goes to `second`."""
        self.payloads: list[Payload] = [
            AgentJoined(app_name="desk", user_id="user", adk_session_id="1", state={}),
        ]
        self.judge = judge
        self.world = World(SCENARIO, turn_condition=judge.watch_turns(self._record_turn))
        self._seen = 0
        self._calls = 0
        self.payloads.append(world_recorder.build_world_start(self.world))
        self.world.tick()
        self.world.advance(6)
        self._call(recipients=["a@example.org"], subject="Hi")
        self._answer()
        self.world.advance(6)
        self._call(recipients=[second])
        self._answer()
        self._record_events()

    def _call(self, **arguments: Any) -> None:
        self._record_events()
        self._calls += 1
        call_id = f"c{self._calls}"
        call = {"id": call_id, "name": "Emails__send_email", "args": arguments}
        self.payloads += [
            _emit({"function_call": call}),
            ToolStarted(call_id=call_id, tool_name="Emails__send_email", arguments=arguments),
        ]
        result = self.world.call("Emails", "send_email", arguments)
        self._record_events(call_id)
        self.payloads += [
            ToolFinished(call_id=call_id, result=to_json_value(result), duration_ms=1, ran_tool=True),
            _emit({"function_response": {"id": call_id, "name": "Emails__send_email", "response": {"result": result}}}),
        ]

    def _answer(self) -> None:
        send_message_to_user(self.world)
        self.payloads.append(AgentEvent(invocation_id="i", event=text_decision("Hello."), final=True))
        self._record_events()

    def _record_events(self, call_id: str = "") -> None:
        for each in self.world.event_log()[self._seen :]:
            if each.kind == "USER":
                self.payloads.append(UserSpoke(content=user_content("Please help.")))
            self.payloads.append(world_recorder.build_world_event(each, SCENARIO.start_time or 0, call_id=call_id))
            self._seen += 1

    def _record_turn(self, verdict: Verdict) -> None:
        self._record_events()
        self.payloads.append(VerdictReached(turn=1, passed=verdict.passed, verdict=to_json_value(verdict.to_json())))

    def build_verdict(self) -> VerdictReached:
        """Judge the whole run."""
        verdict = self.judge.judge(self.world)
        return VerdictReached(
            turn=0, passed=verdict.passed, reason=verdict.reason, verdict=to_json_value(verdict.to_json())
        )

    async def write(self, timeline: Timeline) -> str:
        """Write the run with its verdict to a new session, and return its id."""
        session_id = (await timeline.create_session("Emails")).session_id
        for payload in (*self.payloads, self.build_verdict()):
            await timeline.append(EventBatch(session_id, [payload]))
        return session_id


def build_timeline(payloads: list[Payload]) -> list[Event]:
    """Number payloads as the events of a session."""
    return [
        Event(event_id=f"e{number}", session_id="s", seq=number, timestamp=5_000.0, payload=payload)
        for number, payload in enumerate(payloads, start=1)
    ]


def _emit(part: dict[str, Any]) -> AgentEvent:
    return AgentEvent(invocation_id="i", event={"content": {"parts": [part], "role": "model"}}, final=False)
