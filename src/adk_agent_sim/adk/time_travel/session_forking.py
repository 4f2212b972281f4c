"""Forks a session at a turn, undoes or redoes decisions of a session, and writes that on the timeline.

    completed runs     copied as recorded ADK events, with state and artifacts; no part of them runs
    interrupted run    replayed through the seats (run_replay.py): no tool runs twice, callbacks do
    from the turn on   the new player

A fork is a new session on the timeline, which is created only when the replay has got to the turn: one that fails, or
a process that dies, leaves nothing behind. An undo is the same in the session itself, which gets a `Rewound` event.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast
from uuid import uuid4

from google.genai import types

from adk_agent_sim.adk.players.session_player import SessionPlayer, TurnSkipper, UserMessageListener
from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.runs.session_storage import SessionStorage, is_shared_artifact, is_shared_key
from adk_agent_sim.adk.time_travel.environment_restore import (
    RecordedProfile,
    copy_choices,
    find_profile,
    find_tool_choices,
    record_missing_choices,
    restore_profile,
    restore_tool_choices,
)
from adk_agent_sim.adk.time_travel.fork_source import (
    ForkSource,
    read_source_of_run,
    select_counting_events,
)
from adk_agent_sim.adk.time_travel.run_replay import RunReplay
from adk_agent_sim.adk.time_travel.session_restore import restore_session
from adk_agent_sim.errors import ForkRefused, ReplayDiverged, SessionNotFound
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentPath,
    ArtifactSaved,
    Event,
    Forked,
    Rewound,
    RunEnded,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.session_copy import copy_events
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end, cut_before_action, cut_before_turn
from adk_agent_sim.timeline.undone_events import is_undoable, list_redoable
from adk_agent_sim.timeline.world_events import WorldTimeChanged


async def create_forked_session(
    source: ForkSource,
    prefix: TurnPrefix,
    session_id: str,
    events: Sequence[Event],
    *,
    description: str,
    difference: str,
) -> None:
    """Create the session of a fork.

    Args:
        source: The session that is forked.
        prefix: The point of the fork.
        session_id: The id of the new session.
        events: The events that it begins with.
        description: A description of the new session for people.
        difference: What happened differently in the replay, and was accepted.
    """
    timeline = source.timeline
    # Nothing was left out if there are as many events as the last one's number says.
    is_whole = len(events) == prefix.to_seq
    if not is_whole or not await timeline.branch_session(source.session_id, prefix.to_seq, description, session_id):
        await timeline.create_session(description, session_id)
        await copy_events(timeline, source.session_id, events, session_id)
    forked = Forked(
        source_session_id=source.session_id,
        source_seq=prefix.to_seq,
        turn_id=prefix.asked.turn_id if prefix.asked else "",
        difference=difference,
    )
    await timeline.append(EventBatch(session_id, [forked], agent_path=ROOT_PATH))


async def link_forked_session(source: ForkSource, session_id: str) -> None:
    """Let the session that was forked list its fork."""
    with suppress(SessionNotFound):  # somebody may have deleted it meanwhile
        await source.timeline.record_fork(source.session_id, session_id)


async def rewind_log(source: ForkSource, prefix: TurnPrefix, events: Sequence[Event], *, redone: bool) -> None:
    """Let a session continue from another point.

    Args:
        source: The session, with the events that the point is in.
        prefix: The point.
        events: The events that must count.
        redone: Whether undone decisions count again.
    """
    tail = _find_tail(prefix)
    whole = len(events) == len(prefix.events)
    rewound = Rewound(
        to_seq=(tail[0].seq if tail else prefix.interrupted[0].seq) - 1 if tail or not whole else prefix.to_seq,
        kept_seqs=list(prefix.kept_seqs) if whole else [],
        from_seq=await source.timeline.get_last_seq(source.session_id),
        turn_id=prefix.asked.turn_id if prefix.asked else "",
        redone=redone,
    )
    await source.timeline.append(EventBatch(source.session_id, [rewound], agent_path=ROOT_PATH))
    # What a finished run waits for, such as consent, follows from its last events, so they come again.
    drafts = [replace(event, event_id=str(uuid4()), seq=0) for event in tail]
    await source.timeline.append_drafts(source.session_id, drafts)


def _find_tail(prefix: TurnPrefix) -> Sequence[Event]:
    """Return the last events of a run that is over: its end, and the questions it asked the user before that."""
    if prefix.interrupted:
        return ()
    ends = [place for place, event in enumerate(prefix.completed) if isinstance(event.payload, RunEnded)]
    if not ends:
        return ()
    start = ends[-1]
    for place in range(start - 1, -1, -1):
        payload = prefix.completed[place].payload
        if isinstance(payload, UserSpoke):
            break
        if isinstance(payload, AgentEvent) and _asks_user(payload):
            start = place
    return prefix.completed[start:]


def _asks_user(emitted: AgentEvent) -> bool:
    content: Mapping[str, Json] = emitted.event.get("content") or {}
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    calls: list[Mapping[str, Json]] = [part.get("function_call") or {} for part in parts]
    return any(is_request_call(call.get("name") or "") for call in calls)


async def find_shared_difference(storage: SessionStorage, events: Sequence[Event], prefix: TurnPrefix) -> str:
    """Return what sessions share and is not as it was at a point of a session; empty if everything is.

    Args:
        storage: The ADK session that continues from the point.
        events: The events of the session that count.
        prefix: The point.
    """
    return await _compare_state(storage, prefix) or _compare_artifacts(storage, events, prefix)


async def _compare_state(storage: SessionStorage, prefix: TurnPrefix) -> str:
    if not storage.shares_state:
        return ""
    now = to_json_value(await storage.read_state())
    then = compute_final_state(prefix.events)
    # Not None, which a key may have as its value.
    missing = object()
    keys = sorted(filter(is_shared_key, {*then, *now}))
    changed = [key for key in keys if not equals_value(then.get(key, missing), now.get(key, missing))]
    if not changed:
        return ""
    return (
        f"the session service has another value of {', '.join(changed)} now than at that point of the session, which "
        "cannot be undone, because all sessions of the user or the app share it"
    )


def _compare_artifacts(storage: SessionStorage, events: Sequence[Event], prefix: TurnPrefix) -> str:
    """Return which shared artifact was saved later, or would be saved again by the replay of the interrupted run."""
    copied = {event.seq for event in prefix.completed}
    for event in events if storage.shares_artifacts else ():
        saved = event.payload
        if isinstance(saved, ArtifactSaved) and is_shared_artifact(saved.filename) and event.seq not in copied:
            return (
                f"version {saved.version} of the artifact {saved.filename!r} is in the artifact service, and cannot be "
                "undone or saved again, because all sessions of the user share it"
            )
    return ""


CreateRun: TypeAlias = Callable[[], AgentRun]
"""Creates a run of an agent, which is not opened."""

OnReady: TypeAlias = Callable[[AgentRun], Awaitable[object]]
"""Called with the run that continues a session, when it has got to the turn and before anybody can decide that."""


async def _do_nothing(run: AgentRun) -> None:
    pass


async def fork_session(
    source: ForkSource,
    prefix: TurnPrefix,
    create_run: CreateRun,
    *,
    description: str = "",
    force: bool = False,
    on_ready: OnReady = _do_nothing,
) -> AgentRun:
    """Fork a session into a new one, and return the run that continues it.

    Args:
        source: The session; it is not changed.
        prefix: The point of the fork.
        create_run: Creates a run of the same agent, which is not opened.
        description: A description of the new session for people.
        force: Continue even if the run does not happen again as it was recorded.
        on_ready: Restores what belongs to the session beside ADK's.

    Raises:
        ReplayDiverged: The replay differs from the recording. No session was created.
    """
    session_id = str(uuid4())

    async def create_session(target: AgentRun, events: Sequence[Event], difference: str) -> None:
        await create_forked_session(source, prefix, session_id, events, description=description, difference=difference)
        await on_ready(target)

    profile = find_profile(source, prefix)
    target = await _create_target(source, prefix, create_run, session_id, create_session, profile=profile, force=force)
    await target.recorded_session.listen_for_cancel()
    await link_forked_session(source, session_id)
    return target


async def fork_between_runs(run: AgentRun, create_run: CreateRun, *, description: str = "") -> AgentRun:
    """Fork a session of which no run is going on, as it is now; nothing is replayed.

    In memory, that takes no longer for a longer session.

    Args:
        run: The run of the session; it is not changed.
        create_run: Creates a run of the same agent, which is not opened.
        description: A description of the new session for people.
    """
    timeline, source_id, session_id = run.timeline, run.recorded_session.session_id, str(uuid4())
    target = create_run()
    await target.restore(await run.take_snapshot(), session_id)
    copy_choices(run, target)
    last_seq = await timeline.get_last_seq(source_id)
    is_branched = await timeline.branch_session(source_id, last_seq, description, session_id)
    has_listener = isinstance(target.recorded_session.player, UserMessageListener)
    if not is_branched or has_listener:
        source = await read_source_of_run(run)
        prefix = cut_at_end(source.events)
        update_player(target.recorded_session.player, prefix)
        if not is_branched:
            await timeline.create_session(description, session_id)
            await copy_events(timeline, source_id, prefix.completed, session_id)
    forked = Forked(source_session_id=source_id, source_seq=last_seq)
    await timeline.append(EventBatch(session_id, [forked], agent_path=ROOT_PATH))
    await target.recorded_session.listen_for_cancel()
    return target


def find_undo_point(events: Sequence[Event]) -> TurnPrefix:
    """Return what counts before the last decision, or the last time that a person let pass in a scenario's world.

    Raises:
        ForkRefused: There is neither.
    """
    places = [place for place, event in enumerate(events) if is_undoable(event.payload)]
    if not places:
        raise ForkRefused("There is nothing to undo: no turn of the session was decided.")
    # A turn that is decided again finds the clock where it was moved to before its decision.
    if any(isinstance(events[place].payload, WorldTimeChanged) for place in places[-2:]):
        return cut_before_action(events, places[-1])
    return cut_before_turn(events, events[places[-1]].turn_id)


def find_redone_events(log: Sequence[Event]) -> Sequence[Event]:
    """Return what counted before the last undo; raise ForkRefused if there is none.

    Args:
        log: All events of the session.
    """
    redoable = list_redoable(log)
    if not redoable:
        raise ForkRefused("There is nothing to redo: nothing was undone since the last decision or message.")
    return select_counting_events(log[: cast("Rewound", redoable[-1].payload).from_seq])


async def rewind_session(
    run: AgentRun,
    source: ForkSource,
    prefix: TurnPrefix,
    create_player: Callable[[], SessionPlayer],
    *,
    redone: bool = False,
    force: bool = False,
    create_run: Callable[[SessionPlayer], AgentRun] | None = None,
    on_ready: OnReady = _do_nothing,
) -> AgentRun:
    """Replace a run by one that continues its session from another point.

    Args:
        run: The run of the session; it is stopped, if that succeeds.
        source: The session, with the events that the point is in.
        prefix: The point.
        create_player: Returns who decides from there on.
        redone: Whether undone decisions count again.
        force: Continue even if the run does not happen again as it was recorded.
        create_run: Creates the run that takes the place of the other; by default a copy of it.
        on_ready: Restores what belongs to the session beside ADK's.

    Raises:
        ReplayDiverged: The replay differs from the recording. The session is unchanged.
    """
    create_next = create_run or partial(run.create_copy, continues=True)

    async def rewind(target: AgentRun, events: Sequence[Event], difference: str) -> None:
        # Before the log is rewound, so that nothing of the old run can come after the undo.
        run.mute()
        await rewind_log(source, prefix, events, redone=redone)
        await on_ready(target)

    target = await _create_target(
        source, prefix, lambda: create_next(create_player()), source.session_id, rewind, force=force
    )
    await run.discard()
    await target.recorded_session.listen_for_cancel()
    return target


async def _create_target(
    source: ForkSource,
    prefix: TurnPrefix,
    create_run: CreateRun,
    session_id: str,
    activate: Callable[[AgentRun, Sequence[Event], str], Awaitable[None]],
    *,
    profile: RecordedProfile | None = None,
    force: bool,
) -> AgentRun:
    """Return the run that continues a session; if its replay differs, only with `force`.

    Args:
        source: The session.
        prefix: Up to where.
        create_run: Creates the run.
        session_id: The session on the timeline that it continues.
        activate: Called with the run, the events that must be on the timeline then, and how the replay differed.
        profile: The profile of the rules that is active from there on; by default that of the run.
        force: Continue even if the run does not happen again as it was recorded.
    """
    difference = ""

    async def activate_target(events: Sequence[Event]) -> None:
        # `difference` is read when this is called: in the lenient second attempt, it is what the first one has found.
        await activate(target, events, difference)

    target = create_run()
    difference = await _continue_session(source, prefix, target, session_id, activate_target, profile=profile)
    if difference:
        await target.discard()
        if not force:
            raise ReplayDiverged(difference)
        target = create_run()
        await _continue_session(source, prefix, target, session_id, activate_target, profile=profile, is_lenient=True)
    return target


async def _continue_session(
    source: ForkSource,
    prefix: TurnPrefix,
    target: AgentRun,
    session_id: str,
    activate: Callable[[Sequence[Event]], Awaitable[None]],
    *,
    profile: RecordedProfile | None = None,
    is_lenient: bool = False,
) -> str:
    """Restore the completed runs of a session and replay the interrupted one; returns the first difference.

    Args:
        source: The session.
        prefix: Up to where.
        target: The run that continues it.
        session_id: The session on the timeline that it continues.
        activate: Called when that is done, with the events that must be on the timeline then.
        profile: The profile of the rules that is active from there on; by default that of the run.
        is_lenient: Do not compare, and record the replay.
    """
    restored = await restore_session(prefix.completed, source.known_events, source.load_artifact)
    await target.restore(restored, session_id)
    if not is_lenient and (difference := await find_shared_difference(target.storage, source.events, prefix)):
        return difference
    if session_id != source.session_id:  # an undo keeps the environment of the run
        restore_tool_choices(target, find_tool_choices(source, prefix))
    update_player(target.recorded_session.player, prefix)

    async def activate_target(events: Sequence[Event]) -> None:
        # Before anybody can decide something, and after the calls of the replay, to which other rules may have applied.
        if profile is not None:
            restore_profile(target, profile.name, is_recorded=profile.is_recorded)
        await activate(events)
        await record_missing_choices(target, source.timeline, session_id, events)

    if not prefix.interrupted:
        await activate_target(prefix.completed)
        return ""
    # A lenient replay records what happens in it, so only the completed runs are copied.
    events = prefix.completed if is_lenient else prefix.events
    replay = RunReplay(prefix.interrupted, source.load_artifact, lambda: activate_target(events), is_lenient=is_lenient)
    spoken = cast("UserSpoke", prefix.interrupted[0].payload)
    return await target.replay(replay, types.Content.model_validate(spoken.content))


def update_player(player: SessionPlayer, prefix: TurnPrefix, *, has_message: bool = False) -> None:
    """Tell a player that follows a conversation, such as a recording, what was said and decided before its turn.

    Args:
        player: The player.
        prefix: What was said and decided.
        has_message: Whether it has to be told the message of the interrupted run too: that is not sent again.
    """
    decided = [
        (event.agent_name, event.agent_path or AgentPath())
        for event in prefix.interrupted
        if isinstance(event.payload, TurnDecided)
    ]
    if isinstance(player, UserMessageListener):
        _tell_messages(player, prefix.completed)
    # A player skips turns after the next message that it is told, so the message of the interrupted run comes last.
    if isinstance(player, TurnSkipper) and decided:
        player.skip_turns(decided)
    if isinstance(player, UserMessageListener) and has_message:
        _tell_messages(player, prefix.interrupted)


def _tell_messages(player: UserMessageListener, events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event.payload, UserSpoke):
            player.handle_user_message(types.Content.model_validate(event.payload.content))
