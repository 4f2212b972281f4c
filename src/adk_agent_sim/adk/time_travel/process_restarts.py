"""Carries out, in an agent's process, a server's orders to restart its sessions; only the server writes the outcome.

    order --> restore the runs that are over, replay the last one --> has_arrived --> the server forks or rewinds
                                                                  <-- is_ready    --> the run continues, live

The `restart` function of the plugin creates the ADK session and starts the run; the seats give what was recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.loading.agent_tree import list_callbacks
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.replay_watch import watch_replays
from adk_agent_sim.adk.runs.session_storage import select_shared_state
from adk_agent_sim.adk.runs.state_editing import edit_state, open_process_storage, repeat_edit
from adk_agent_sim.adk.seats.seat_plugin import SessionKey
from adk_agent_sim.adk.time_travel.environment_restore import EnvironmentChoices, find_current_choices, read_choices
from adk_agent_sim.adk.time_travel.replay_link import ReplaceableLink
from adk_agent_sim.adk.time_travel.restart_input import (
    INCOMPLETE_SESSION,
    RestartFunction,
    SessionResume,
    describe_restart,
    run_restart,
)
from adk_agent_sim.adk.time_travel.run_replay import RunReplay
from adk_agent_sim.adk.time_travel.session_restore import (
    KnownEvents,
    load_recorded_artifacts,
    restore_session,
)
from adk_agent_sim.errors import ForkRefused, RunUndone, SimulatorError
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.strict_json import parse_json_object

if TYPE_CHECKING:
    from adk_agent_sim.adk.plugins.simulator_plugin import SimulatorPlugin

_log = get_logger(__name__)

_LOST = "The connection to the simulator server was lost, so the session was not restarted."
_NO_LOOP = (
    "The event loop in which the agent ran has ended, so its process cannot restart the session. "
    "Keep the process's loop running, or fork the stored session with `adksim fork --agent`."
)
_UNKNOWN = "The agent's process no longer has this session. Fork the stored one with `adksim fork --agent`."
_NOT_RUN = (
    "The `restart` function of the SimulatorPlugin did not run the message. "
    "Let it run every session that it gets: `restart=lambda session: session.run(runner)`."
)


@dataclass(kw_only=True)
class _OfferedSession:
    """A session of this process that can be restarted."""

    key: SessionKey
    recorded: RecordedSession
    loop: asyncio.AbstractEventLoop
    root: BaseNode | None = None

    @property
    def link(self) -> ReplaceableLink:
        return cast("ReplaceableLink", self.recorded.base_link)


class SessionRestarter:
    """Restarts sessions of one plugin."""

    def __init__(self, restart: RestartFunction, outbox: Outbox, plugin: SimulatorPlugin) -> None:
        self._restart = restart
        self._outbox = outbox
        self._plugin = plugin
        self._offered: dict[str, _OfferedSession] = {}
        self._answers: dict[str, asyncio.Future[str]] = {}
        """By the open orders, what the server says when the replay has arrived: empty to continue, else why not."""
        self._tasks: set[asyncio.Future[None]] = set()

    def offer(self, key: SessionKey, recorded: RecordedSession) -> None:
        """Offer to restart a session that was opened in this loop."""
        if not self._offered:
            self._outbox.serve_restarts(self._receive_order, self._abandon_orders)
        offered = _OfferedSession(key=key, recorded=recorded, loop=asyncio.get_running_loop())
        self._offered[recorded.session_id] = offered
        self._outbox.offer_restart(recorded.session_id)

    def add_app(self, recorded: RecordedSession, root: BaseNode | None) -> None:
        """Remember which agent runs in a session, and in which loop."""
        if offered := self._offered.get(recorded.session_id):
            offered.root, offered.loop = root, asyncio.get_running_loop()

    def withdraw(self, session_id: str) -> None:
        """Forget a session."""
        self._offered.pop(session_id, None)

    def _receive_order(self, order: v1.RestartOrder) -> None:
        """Handle an order, or the answer to a report; called in the thread of the outbox."""
        answer = self._answers.get(order.order_id)
        if answer is not None:
            _set_answer(answer, order.cancelled_because)
            return
        if order.is_ready or order.cancelled_because:
            return  # about an order that has ended
        offered = self._offered.get(order.session_id)
        if offered is None or offered.loop.is_closed() or not offered.loop.is_running():
            self._report(order, problem=_UNKNOWN if offered is None else _NO_LOOP)
            return
        asyncio.run_coroutine_threadsafe(self._carry_out(order, offered), offered.loop)

    def _abandon_orders(self) -> None:
        for answer in list(self._answers.values()):
            _set_answer(answer, _LOST)

    def _report(self, order: v1.RestartOrder, **values: Any) -> None:
        self._outbox.report_restart(v1.RestartReport(order_id=order.order_id, **values))

    async def _carry_out(self, order: v1.RestartOrder, offered: _OfferedSession) -> None:
        """Carry out an order and report how it ended, unless the server knows it already."""
        self._answers[order.order_id] = answer = asyncio.get_running_loop().create_future()
        try:
            if order.message_json:
                await self._resume(order, offered)
                return
            if order.state_json:
                await self._edit_state(order, offered)
                return
            completed, interrupted = await self._read_events(order)
            if order.only_plan:
                root = offered.root
                plugins = offered.recorded.app_plugins
                callbacks = list_callbacks(root, plugins, interrupted) if root and interrupted else []
                self._report(order, callbacks=callbacks, is_planned=True)
            elif not interrupted:
                await self._end_run(order, offered, answer)
            elif difference := await self._replay(order, offered, answer, completed, interrupted):
                self._report(order, difference=difference)
        except SimulatorError as error:
            self._report(order, problem=str(error))
        except Exception as error:  # noqa: BLE001 - process boundary: `restart` is anybody's code
            _log.warning("A session could not be restarted.", exc_info=error)
            self._report(order, problem=f"The agent's process failed to restart it: {type(error).__name__}: {error}")
        finally:
            del self._answers[order.order_id]

    async def _edit_state(self, order: v1.RestartOrder, offered: _OfferedSession) -> None:
        """Set keys of the session state, and report that when the timeline has the edit."""
        running = (offered.root or offered) if self._plugin.is_running(offered.key) else None
        storage = open_process_storage(offered.key, offered.recorded)
        await edit_state(storage, offered.recorded, parse_json_object(order.state_json), running=running)
        await self._outbox.flush_session(order.session_id)
        self._report(order, has_arrived=True)

    async def _resume(self, order: v1.RestartOrder, offered: _OfferedSession) -> None:
        """Continue a paused run with the user's answer, and report that when the timeline has the answer."""
        app_name, user_id, session_id = offered.key
        message = types.Content.model_validate_json(order.message_json)
        resume = SessionResume(
            app_name=app_name,
            user_id=user_id,
            session_id=session_id,
            state={},
            events=[],
            artifacts=[],
            message=message,
        )
        is_recorded = asyncio.Event()
        offered.recorded.on_user_message = is_recorded.set
        task = asyncio.ensure_future(run_restart(self._restart, resume))
        waiting = asyncio.ensure_future(is_recorded.wait())
        self._tasks.add(task)
        task.add_done_callback(self._end_resumed)
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            offered.recorded.on_user_message = _ignore
        if is_recorded.is_set():
            await self._outbox.flush_session(order.session_id)
            self._report(order, has_arrived=True)
        elif not task.cancelled() and (error := task.exception()) is not None:
            raise error
        else:
            raise ForkRefused(_NOT_RUN)

    def _end_resumed(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            # The error itself may repeat the user's answer, which may be a credential: the timeline has it, masked.
            _log.warning("The run of a session that was answered has failed: %s", type(error).__name__)

    async def _read_events(self, order: v1.RestartOrder) -> tuple[list[Event], list[Event]]:
        until_seq = max([*order.completed_seqs, *order.interrupted_seqs], default=0)
        events = {event.seq: event for event in await self._outbox.read_events(order.session_id, until_seq)}
        try:
            return [events[seq] for seq in order.completed_seqs], [events[seq] for seq in order.interrupted_seqs]
        except KeyError:
            raise ForkRefused(INCOMPLETE_SESSION) from None

    async def _end_run(self, order: v1.RestartOrder, offered: _OfferedSession, answer: asyncio.Future[str]) -> None:
        """Stop the run of a session that continues after its end: nothing runs."""
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ended.set_result(None)
        await self._arrive(order, offered, answer)
        self._replace(offered, ended)

    async def _replay(
        self,
        order: v1.RestartOrder,
        offered: _OfferedSession,
        answer: asyncio.Future[str],
        completed: Sequence[Event],
        interrupted: Sequence[Event],
    ) -> str:
        """Replay a run in a new ADK session, and let it continue; returns how it differs from what was recorded."""
        load_artifact = load_recorded_artifacts(self._outbox.read_block, order.session_id, [*completed, *interrupted])
        restored = await restore_session(completed, KnownEvents(), load_artifact)
        restart = describe_restart(completed, interrupted, restored)
        key = (restart.app_name, restart.user_id, restart.session_id)
        self._outbox.adopt_session(order.target_session_id)
        recorded = self._plugin.bind_restarted(key, order.target_session_id)
        recorded.shared_state = select_shared_state(restored.state)
        choices = _find_choices(order, offered, [*completed, *interrupted])
        link = cast("ReplaceableLink", recorded.base_link)

        async def arrive() -> None:
            try:
                await self._arrive(order, offered, answer)
            except BaseException:
                link.mute()  # the run fails now, and that is not recorded
                raise
            # After the calls of the replay: what they record about the environment is on the timeline already.
            choices.apply(recorded.app_plugins, recorded.adk_session)

        with watch_replays(on_wait=lambda waits_for: self._report(order, waits_for=waits_for)):
            replay = RunReplay(interrupted, load_artifact, arrive, is_lenient=order.is_lenient)
        # The storage is known when the run has begun.
        replay.repeat_edit = lambda edit: repeat_edit(open_process_storage(key, recorded), recorded, edit)
        recorded.replay = link.replay = replay
        task = asyncio.ensure_future(run_restart(self._restart, restart))
        waiting = asyncio.ensure_future(replay.wait())
        refused = asyncio.ensure_future(_wait_for_refusal(answer))
        try:
            await asyncio.wait({waiting, task, refused}, return_when=asyncio.FIRST_COMPLETED)
            difference = _explain_end(waiting, task, refused)
            if not difference:
                await self._continue(order, offered, key, recorded, task)
            return difference
        finally:
            waiting.cancel()
            refused.cancel()
            if task not in self._tasks:
                link.mute()
                task.cancel()
                await asyncio.wait({task})
                if not task.cancelled():
                    task.exception()  # unless it is read, asyncio logs it
                self._plugin.retire(key)

    async def _arrive(self, order: v1.RestartOrder, offered: _OfferedSession, answer: asyncio.Future[str]) -> None:
        """Report that the replay has arrived, and wait until the server has written that; raise if it does not."""
        if order.session_id == order.target_session_id:
            offered.link.hold()
        try:
            await self._outbox.flush_session(order.session_id)
            self._report(order, has_arrived=True)
            if reason := await asyncio.shield(answer):
                raise ForkRefused(reason)
        except BaseException:
            offered.link.release()
            raise

    async def _continue(
        self,
        order: v1.RestartOrder,
        offered: _OfferedSession,
        key: SessionKey,
        recorded: RecordedSession,
        task: asyncio.Future[None],
    ) -> None:
        """Let a run continue whose replay has arrived; the one that it takes the session from ends."""
        self._tasks.add(task)
        stop_listening = await recorded.listen_for_cancel()

        def end(_: object) -> None:
            self._tasks.discard(task)
            recorded.replay = None
            stop_listening()
            if not task.cancelled() and (error := task.exception()) and not isinstance(error, RunUndone):
                _log.warning("The run of a restarted session has failed: %s", error)

        task.add_done_callback(end)
        if order.session_id == order.target_session_id:
            self._replace(offered, task)
        self._offered[order.target_session_id] = replace(offered, key=key, recorded=recorded)
        self._outbox.offer_restart(order.target_session_id)

    def _replace(self, offered: _OfferedSession, replacement: asyncio.Future[None]) -> None:
        """End the run that a session had so far; nothing more of it is recorded."""
        offered.link.replace(replacement)
        for call_id in offered.recorded.running_calls.call_ids:
            offered.recorded.running_calls.cancel(call_id)
        self._plugin.retire(offered.key)


def _find_choices(order: v1.RestartOrder, offered: _OfferedSession, events: Sequence[Event]) -> EnvironmentChoices:
    """Return what is chosen in the environment from there on: an undo keeps it, and a fork has what the past had."""
    session = offered.recorded.adk_session
    if order.session_id == order.target_session_id and session is not None:
        return find_current_choices(offered.recorded.app_plugins, session, events)
    return read_choices(events)


def _set_answer(answer: asyncio.Future[str], reason: str) -> None:
    """Set the server's answer, from any thread."""

    def set_result() -> None:
        if not answer.done():
            answer.set_result(reason)

    with suppress(RuntimeError):  # the loop is closed
        answer.get_loop().call_soon_threadsafe(set_result)


def _ignore() -> None:
    """Do nothing; the default of `on_user_message`."""


async def _wait_for_refusal(answer: asyncio.Future[str]) -> str:
    """Wait until the server does not want the restart any more, and return why."""
    return await asyncio.shield(answer) or await asyncio.get_running_loop().create_future()


def _explain_end(waiting: asyncio.Future[str], task: asyncio.Future[None], refused: asyncio.Future[str]) -> str:
    """Return how a replay differs, empty if it does not; raise the reason if it came to no end."""
    if waiting.done():
        return waiting.result()
    if refused.done():
        raise ForkRefused(refused.result())
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error
    return "the run ended before the turn"
