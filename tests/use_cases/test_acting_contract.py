"""Acting in a session: what it does, and what is refused, for Python and for the web API.

A case is written once, for a caller that acts. What a terminal session does is done by the simulation that Python uses.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import pytest
from agent_folders import write_agent
from api_client import ApiClient
from polling import pause, wait_until
from use_cases.contract import FINISHED, Cell, Outcome, Place, Refused, Row, run_row, send_request

from adk_agent_sim import Simulation
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.session_copy import transfer_session
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import ToolResponse
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases import messages, time_travel, turns
from adk_agent_sim.use_cases.time_travel import TimeTravelAction, TimeTravelPoint

_AGENT = "shop"
_CODE = """
import asyncio
import itertools

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import FunctionTool
from google.genai import types


class OwnModel(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=types.ModelContent("It costs 5."))


def pay(amount: int) -> str:
    '''Pay.'''
    return f"paid {{amount}}"


async def wait() -> str:
    '''Wait for ever.'''
    await asyncio.Event().wait()


_counts = itertools.count()


def count(callback_context, llm_request):
    callback_context.state["count"] = next(_counts)


root_agent = LlmAgent(
    name="{name}",
    model=OwnModel(model="own"),
    tools=[FunctionTool(pay, require_confirmation=True), wait],
    {callback}
)
"""
_TERMINAL = "A terminal session is played by the same simulation, and is not stored"


class _Caller(ABC):
    """Acts in one session; every method raises Refused, or another error of ours."""

    @abstractmethod
    async def send(self, text: str) -> None: ...

    @abstractmethod
    async def decide(self, *calls: tuple[str, Mapping[str, Any]], text: str = "", turn_id: str = "") -> None:
        """Decide a turn, by default the one that waits, and wait for what follows."""

    @abstractmethod
    async def get_turn_id(self) -> str: ...

    @abstractmethod
    async def decide_by_own_model(self, turn_id: str) -> None: ...

    @abstractmethod
    async def suggest(self, turn_id: str) -> Any: ...

    @abstractmethod
    async def get_decision(self, turn_id: str) -> Any: ...

    @abstractmethod
    async def consent(self, request_id: str, *, approve: bool) -> None: ...

    @abstractmethod
    async def find_request(self) -> str: ...

    @abstractmethod
    async def answer(self, request_id: str, value: Any) -> None: ...

    @abstractmethod
    async def respond_as_tool(self, request_id: str, result: Any) -> None: ...

    @abstractmethod
    async def cancel_call(self, call_id: str = "") -> None: ...

    @abstractmethod
    async def stop(self) -> None: ...

    @abstractmethod
    async def edit_state(self, changes: Mapping[str, Any]) -> None: ...

    @abstractmethod
    async def choose_real_player(self) -> None: ...

    @abstractmethod
    async def plan(self, action: TimeTravelAction, **point: Any) -> Any: ...

    @abstractmethod
    async def time_travel(self, action: TimeTravelAction, **point: Any) -> None: ...


class _PythonCaller(_Caller):
    """Acts as a program does: with a simulation, and with the use cases for what that has no method for."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.forks: list[Simulation] = []

    async def send(self, text: str) -> None:
        await self.sim.send(text)

    async def decide(self, *calls: tuple[str, Mapping[str, Any]], text: str = "", turn_id: str = "") -> None:
        parts: list[Any] = [{"function_call": {"name": name, "args": dict(args)}} for name, args in calls]
        parts += [{"text": text}] if text else []
        response = {"content": {"role": "model", "parts": parts}}
        turn_id = turn_id or await self.get_turn_id()
        if [name for name, _ in calls] == ["wait"]:
            await turns.decide_turn(self.sim.open_session(), turn_id, response)
        else:
            await self.sim.decide(turn_id, response)

    async def get_turn_id(self) -> str:
        return self.sim.pending()[0].turn_id

    async def decide_by_own_model(self, turn_id: str) -> None:
        await turns.decide_with_own_model(self.sim.open_session(), turn_id)
        await self.sim.next()

    async def suggest(self, turn_id: str) -> Any:
        return (await turns.suggest_decision(self.sim.open_session(), turn_id)).model_dump()

    async def get_decision(self, turn_id: str) -> Any:
        return (await turns.get_decision(self.sim.open_session(), turn_id)).model_dump()

    async def consent(self, request_id: str, *, approve: bool) -> None:
        await self.sim.answer_consent(request_id, approve=approve)

    async def find_request(self) -> str:
        summary = await self.sim.timeline.get_summary(self.sim.session_id)
        return next(iter(summary.pending))

    async def answer(self, request_id: str, value: Any) -> None:
        await self.sim.answer_request(request_id, value)

    async def respond_as_tool(self, request_id: str, result: Any) -> None:
        await self.sim.respond_as_tool(ToolResponse(self.sim.session_id, request_id, result))

    async def cancel_call(self, call_id: str = "") -> None:
        if not call_id:
            await wait_until(lambda: bool(self.sim.running()))
        await turns.cancel_call(self.sim.open_session(), call_id or self.sim.running()[0])
        await self.sim.next()

    async def stop(self) -> None:
        await messages.stop_run(self.sim.open_session())

    async def edit_state(self, changes: Mapping[str, Any]) -> None:
        await self.sim.set_state(changes)

    async def choose_real_player(self) -> None:
        self.sim.seat(model="real")
        await self.sim.next()

    async def plan(self, action: TimeTravelAction, **point: Any) -> Any:
        plan = await time_travel.plan_time_travel(self.sim.open_session(), action, TimeTravelPoint(**point))
        return plan.model_dump()

    async def time_travel(self, action: TimeTravelAction, **point: Any) -> None:
        if action == "fork":
            self.forks.append(await self.sim.fork(point.get("turn")))
        elif action == "go_back":
            session = self.sim.open_session()
            await time_travel.perform(session, action, TimeTravelPoint(**point))
            self.sim.agent_run = session.require_run(action)
        else:
            await (self.sim.undo() if action == "undo" else self.sim.redo())


class _WebCaller(_Caller):
    """Acts as a browser does."""

    def __init__(self, client: ApiClient, session_id: str) -> None:
        self.client = client
        self.session_id = session_id

    async def _request(self, method: str, path: str, body: Any = None) -> Any:
        return await send_request(self.client, method, f"/sessions/{self.session_id}{path}", body)

    async def _settle(self) -> None:
        await self.client.wait_for_status(self.session_id, "waiting", "done", "failed", "stopped")

    async def send(self, text: str) -> None:
        await self._request("POST", "/messages", {"text": text})
        await self._settle()

    async def decide(self, *calls: tuple[str, Mapping[str, Any]], text: str = "", turn_id: str = "") -> None:
        listed = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
        path = f"/turns/{turn_id or await self.get_turn_id()}/decision"
        await self._request("POST", path, {"decision_id": str(uuid4()), "calls": listed, "text": text or None})
        if [name for name, _ in calls] != ["wait"]:
            await self._settle()

    async def get_turn_id(self) -> str:
        return await self.client.wait_for_turn(self.session_id)

    async def decide_by_own_model(self, turn_id: str) -> None:
        await self._request("POST", f"/turns/{turn_id}/own-model")
        await self._settle()

    async def suggest(self, turn_id: str) -> Any:
        return await self._request("POST", f"/turns/{turn_id}/suggestion")

    async def get_decision(self, turn_id: str) -> Any:
        return await self._request("GET", f"/turns/{turn_id}/decision")

    async def consent(self, request_id: str, *, approve: bool) -> None:
        await self._request("POST", "/consent", {"question_id": request_id, "approve": approve})
        await self._settle()

    async def find_request(self) -> str:
        return (await self._request("GET", ""))["pending"][0]["request_id"]

    async def answer(self, request_id: str, value: Any) -> None:
        await self._request("POST", f"/requests/{request_id}/answer", {"value": json.dumps(value)})

    async def respond_as_tool(self, request_id: str, result: Any) -> None:
        body = {"decision_id": str(uuid4()), "result": json.dumps(result)}
        await self._request("POST", f"/tool-calls/{request_id}/response", body)

    async def cancel_call(self, call_id: str = "") -> None:
        async def cancel() -> bool:
            """Cancel the call whose row is there; returns False while the call does not run yet."""
            calls = [row["call_id"] for row in await self.client.get_rows(self.session_id) if row["call_id"]]
            path = f"/api/sessions/{self.session_id}/calls"
            return bool(calls) and (await self.client.client.post(f"{path}/{calls[-1]}/cancel")).is_success

        if call_id:
            await self._request("POST", f"/calls/{call_id}/cancel")
        while not call_id and not await cancel():
            await pause()
        await self._settle()

    async def stop(self) -> None:
        await self._request("POST", "/stop")

    async def edit_state(self, changes: Mapping[str, Any]) -> None:
        await self._request("POST", "/state", {"changes": json.dumps(changes)})

    async def choose_real_player(self) -> None:
        await self._request("PUT", "/player", {"player": "real"})
        await self.client.wait_for_status(self.session_id, "done")

    async def plan(self, action: TimeTravelAction, **point: Any) -> Any:
        return await self._request("POST", "/time-travel/plan", {"action": action, **point})

    async def time_travel(self, action: TimeTravelAction, **point: Any) -> None:
        await self._request("POST", "/time-travel", {"action": action, **point})


Case: TypeAlias = Callable[[_Caller], Awaitable[Any]]


def _write_agent(place: Place, *, counts: bool = False) -> None:
    code = _CODE.replace("{callback}", "before_model_callback=count," if counts else "")
    write_agent(place.folder / "agents", _AGENT, code)


def _in_python(case: Case, *, counts: bool = False) -> Cell:
    async def act(place: Place) -> Any:
        _write_agent(place, counts=counts)
        sim = Simulation(load_app(place.folder / "agents" / _AGENT))
        caller = _PythonCaller(sim)
        try:
            async with sim:
                return await case(caller)
        except SimulatorError as error:
            # What only says how Python overrides it is left out over the web.
            summary = getattr(error, "summary", "")
            raise Refused(type(error).__name__, f"{summary}." if summary else str(error)) from error
        finally:
            for each in (*caller.forks, sim):
                await each.close()
                await _keep(each, place)

    return act


async def _keep(sim: Simulation, place: Place) -> None:
    """Put the session of a simulation into the database, where that of a server is."""
    path = place.folder.parent / f"{sim.session_id}.jsonl"
    await sim.export_jsonl(path)
    memory = MemoryStore()
    session = await load_session(path, memory)
    async with open_store(place.database) as store:
        await transfer_session(memory, session, store)


def _over_web(case: Case, *, counts: bool = False) -> Cell:
    async def act(place: Place) -> Any:
        _write_agent(place, counts=counts)
        async with place.serve() as client:
            session_id = await client.start_session(_AGENT)
            # A session in which nothing happens is kept if it has a name.
            await client.client.patch(f"/api/sessions/{session_id}", json={"name": _AGENT})
            return await case(_WebCaller(client, session_id))

    return act


def _row(
    operation: str,
    case: str,
    act: Case,
    *,
    refused: str = "",
    events: str = "",
    answer: Any = None,
    counts: bool = False,
) -> Row:
    """Return a row, in which the session gets these events after it began, or the error has this class."""

    def check(outcome: Outcome) -> None:
        assert (outcome.refusal[0] if outcome.refusal else "") == refused, outcome.refusal
        if answer is not None:
            assert outcome.answer == answer
        played = [" ".join(kinds) for key, kinds in outcome.events.items() if key.startswith("<id ")]
        assert any(kinds.startswith(f"AgentJoined {events}".strip()) for kinds in played), played

    return Row(
        operation=operation,
        case=case,
        python=_in_python(act, counts=counts),
        cli=_TERMINAL,
        web=_over_web(act, counts=counts),
        check=check,
    )


_ASKED = "UserSpoke TurnAsked"
_ANSWERED = f"{_ASKED} TurnDecided AgentEvent RunEnded"


async def _start(caller: _Caller) -> None:
    pass


async def _send(caller: _Caller) -> None:
    await caller.send("Hello")


async def _send_nothing(caller: _Caller) -> None:
    await caller.send(" ")


async def _send_twice(caller: _Caller) -> None:
    await caller.send("Hello")
    await caller.send("Hello?")


async def _respond(caller: _Caller) -> str:
    await caller.send("Hello")
    turn_id = await caller.get_turn_id()
    await caller.decide(text="Hi")
    return turn_id


async def _decide_again(caller: _Caller) -> None:
    await caller.decide(text="Hi again", turn_id=await _respond(caller))


async def _decide_nothing(caller: _Caller) -> None:
    await caller.send("Hello")
    await caller.decide()


async def _decide_no_turn(caller: _Caller) -> None:
    await caller.decide(text="Hi", turn_id="nothing")


async def _call_with_wrong_arguments(caller: _Caller) -> None:
    await caller.send("Pay")
    await caller.decide(("pay", {"amount": "five"}))


async def _call_unknown_tool(caller: _Caller) -> None:
    await caller.send("Pay")
    await caller.decide(("steal", {}))


async def _ask_for_consent(caller: _Caller) -> str:
    await caller.send("Pay")
    await caller.decide(("pay", {"amount": 5}))
    return await caller.find_request()


async def _approve(caller: _Caller) -> None:
    await caller.consent(await _ask_for_consent(caller), approve=True)


async def _deny(caller: _Caller) -> None:
    await caller.consent(await _ask_for_consent(caller), approve=False)


async def _approve_twice(caller: _Caller) -> None:
    request_id = await _ask_for_consent(caller)
    await caller.consent(request_id, approve=True)
    await caller.consent(request_id, approve=True)


async def _answer_no_request(caller: _Caller) -> None:
    await caller.answer("nothing", 5)


async def _respond_to_no_call(caller: _Caller) -> None:
    await caller.respond_as_tool("nothing", 5)


async def _cancel(caller: _Caller) -> None:
    await caller.send("Wait")
    await caller.decide(("wait", {}))
    await caller.cancel_call()


async def _cancel_no_call(caller: _Caller) -> None:
    await caller.cancel_call("nothing")


async def _stop(caller: _Caller) -> None:
    await caller.send("Hello")
    await caller.stop()


async def _stop_nothing(caller: _Caller) -> None:
    await caller.stop()


async def _edit_state(caller: _Caller) -> None:
    await caller.edit_state({"mood": "calm"})


async def _edit_nothing(caller: _Caller) -> None:
    await caller.edit_state({})


async def _suggest(caller: _Caller) -> Any:
    await caller.send("How much?")
    return await caller.suggest(await caller.get_turn_id())


async def _suggest_no_turn(caller: _Caller) -> Any:
    return await caller.suggest("nothing")


async def _decide_by_own_model(caller: _Caller) -> None:
    await caller.send("How much?")
    await caller.decide_by_own_model(await caller.get_turn_id())


async def _read_decision(caller: _Caller) -> Any:
    return await caller.get_decision(await _respond(caller))


async def _read_no_decision(caller: _Caller) -> Any:
    await caller.send("Hello")
    return await caller.get_decision(await caller.get_turn_id())


async def _choose_player(caller: _Caller) -> None:
    await caller.send("How much?")
    await caller.choose_real_player()


async def _undo(caller: _Caller) -> None:
    await _respond(caller)
    await caller.time_travel("undo")


async def _undo_and_redo(caller: _Caller) -> None:
    await _undo(caller)
    await caller.time_travel("redo")


async def _undo_nothing(caller: _Caller) -> None:
    await caller.time_travel("undo")


async def _redo_nothing(caller: _Caller) -> None:
    await caller.time_travel("redo")


async def _go_back_nowhere(caller: _Caller) -> None:
    await _respond(caller)
    await caller.time_travel("go_back")


async def _go_back(caller: _Caller) -> None:
    await _respond(caller)
    await caller.time_travel("go_back", turn=1)


async def _fork(caller: _Caller) -> None:
    await _respond(caller)
    await caller.time_travel("fork", turn=1)


async def _fork_between_runs(caller: _Caller) -> None:
    await _respond(caller)
    await caller.time_travel("fork")


async def _undo_what_diverges(caller: _Caller) -> None:
    await caller.send("Wait")
    await caller.decide(("wait", {}))
    await caller.cancel_call()
    await caller.decide(text="Done")
    await caller.time_travel("undo")


async def _plan(caller: _Caller) -> Any:
    await _respond(caller)
    plan = await caller.plan("undo")
    return {**plan, "turn_id": plan["turn_id"] != ""}


async def _plan_no_turn(caller: _Caller) -> Any:
    await _respond(caller)
    return await caller.plan("fork", turn=9)


ROWS = [
    _row("messages.start_session", "a session", _start),
    _row("messages.send_message", "a text", _send, events=_ASKED),
    _row("messages.send_message", "nothing", _send_nothing, refused="InvalidTransition"),
    _row("messages.send_message", "while a turn waits", _send_twice, refused="InvalidTransition", events=_ASKED),
    _row("messages.stop_run", "a run", _stop, events=f"{_ASKED} TurnWithdrawn RunEnded"),
    _row("messages.stop_run", "nothing", _stop_nothing, refused="InvalidTransition"),
    _row("messages.answer_consent", "yes", _approve),
    _row("messages.answer_consent", "no", _deny),
    _row("messages.answer_consent", "a second time", _approve_twice, refused="NotFound"),
    _row("messages.answer_request", "that nobody made", _answer_no_request, refused="NotFound"),
    _row("state.edit_state", "a key", _edit_state, events="AgentEvent"),
    _row("state.edit_state", "nothing", _edit_nothing, refused="InvalidTransition"),
    _row("turns.decide_turn", "a final response", _respond, events=_ANSWERED),
    _row("turns.decide_turn", "decided already", _decide_again, refused="TurnAlreadyDecided", events=_ANSWERED),
    _row("turns.decide_turn", "nothing", _decide_nothing, refused="EmptyDecision", events=_ASKED),
    _row("turns.decide_turn", "no such turn", _decide_no_turn, refused="TurnNotFound"),
    _row("turns.decide_turn", "wrong arguments", _call_with_wrong_arguments, refused="InvalidArguments"),
    _row("turns.decide_turn", "unknown tool", _call_unknown_tool, refused="ToolNotOffered"),
    _row(
        "turns.suggest_decision",
        "of the own model",
        _suggest,
        answer={"calls": [], "text": "It costs 5."},
        events=_ASKED,
    ),
    _row("turns.suggest_decision", "no such turn", _suggest_no_turn, refused="TurnNotFound"),
    _row("turns.decide_with_own_model", "a turn", _decide_by_own_model, events=_ANSWERED),
    _row("turns.get_decision", "a final response", _read_decision, answer={"calls": [], "text": "Hi"}),
    _row("turns.get_decision", "not decided", _read_no_decision, refused="NotFound", events=_ASKED),
    _row("turns.respond_as_tool", "no such call", _respond_to_no_call, refused="ToolRequestNotFound"),
    _row("turns.cancel_call", "a running call", _cancel),
    _row("turns.cancel_call", "no such call", _cancel_no_call, refused="NotFound"),
    _row("turns.choose_player", "the own model", _choose_player),
    _row(
        "time_travel.plan_time_travel",
        "an undo",
        _plan,
        answer={
            "turn_id": True,
            "agent_name": _AGENT,
            "copied_runs": 0,
            "replayed_turns": 0,
            "replayed_calls": 0,
            "callbacks": [],
        },
    ),
    _row("time_travel.plan_time_travel", "no such turn", _plan_no_turn, refused="ForkRefused"),
    _row("time_travel.perform", "undo", _undo, events=f"{_ANSWERED} Rewound"),
    _row("time_travel.perform", "undo and redo", _undo_and_redo, events=f"{_ANSWERED} Rewound TurnAsked Rewound"),
    _row("time_travel.perform", "undo nothing", _undo_nothing, refused="ForkRefused"),
    _row("time_travel.perform", "redo nothing", _redo_nothing, refused="ForkRefused"),
    _row("time_travel.perform", "go back", _go_back, events=f"{_ANSWERED} Rewound"),
    _row("time_travel.perform", "go back to no place", _go_back_nowhere, refused="ForkRefused"),
    _row("time_travel.perform", "fork", _fork),
    _row("time_travel.perform", "fork between two runs", _fork_between_runs),
    _row("time_travel.perform", "diverged", _undo_what_diverges, refused="ReplayDiverged", counts=True),
]


async def _read_stored(place: Place) -> tuple[MemoryStore, str]:
    memory, session_id = MemoryStore(), place.session_ids[FINISHED]
    async with open_store(place.database) as store:
        await transfer_session(store, await Timeline(store).get_session(session_id), memory)
    return memory, session_id


def _fork_stored(turn: int) -> Row:
    """Return the row of a fork of a stored session, in which another response is given."""

    async def in_python(place: Place) -> None:
        memory, session_id = await _read_stored(place)
        forked = await Simulation.fork_stored(load_app(place.agent_folder), memory, session_id, turn, response="5")
        await forked.next()
        await forked.close()
        await _keep(forked, place)

    async def with_command(place: Place) -> None:
        options = ["--turn", str(turn), "--agent", place.agent_folder, "--response", "5"]
        await place.run_command("fork", place.session_ids[FINISHED], *options)

    async def over_web(place: Place) -> None:
        async with place.serve() as client:
            path = f"/sessions/{place.session_ids[FINISHED]}/time-travel"
            forked = await send_request(client, "POST", path, {"action": "fork", "turn": turn})
            await client.respond(forked["session_id"], "5")
            await client.wait_for_status(forked["session_id"], "done")

    def check(outcome: Outcome) -> None:
        assert (outcome.refusal is None) == (turn == 1)
        assert len(outcome.events) == (3 if turn == 1 else 2)

    return Row(
        operation="time_travel.perform",
        case=f"fork a stored session at turn {turn}",
        python=in_python,
        cli=with_command,
        web=over_web,
        check=check,
    )


ROWS.extend([_fork_stored(1), _fork_stored(9)])


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
