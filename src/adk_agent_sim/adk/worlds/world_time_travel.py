"""Undo and fork of a run in a scenario's world: the world goes back to the turn, with its time and notifications.

interrupted run    replayed through the seats: no tool of the world is called, and its time does not pass
the turn           reached: the world is restored to what it was when the turn began
from there on      the world goes on: the same one after an undo, one of its own in a fork
"""

from __future__ import annotations

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.fork_source import ForkSource
from adk_agent_sim.adk.time_travel.session_forking import fork_session, rewind_session
from adk_agent_sim.adk.worlds.world_checkpoints import TurnCheckpoint, WorldCheckpoints
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.adk.worlds.world_session import WorldSession
from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.turn_prefix import TurnPrefix

_NO_PAST = "What the world of this run was like before its turns was not kept. Run the scenario again."
_NO_TURN = (
    "In the world of a scenario, a session goes on from a turn of the agent: the user's messages come from the "
    "scenario. Choose a call or an answer of the agent."
)


async def rewind_world_run(run: WorldRun, source: ForkSource, prefix: TurnPrefix, *, redone: bool = False) -> None:
    """Let a run that is going on continue from another turn, in its world as it was then.

    Args:
        run: The run.
        source: Its session, with the events that the turn is in.
        prefix: What counts before the turn.
        redone: Whether undone decisions count again.

    Raises:
        ForkRefused: The point is no turn, or the replay differs from the recording. Nothing is changed.
    """
    checkpoints, checkpoint = _find_checkpoint(run, prefix)
    agent_run = run.agent_run
    if agent_run is None or run.session.ended is not None:
        raise ForkRefused("The run in this world is over. Fork it to go on from any of its turns.")
    session = run.create_session()
    texts = _prepare_replay(session, checkpoints, prefix, checkpoint)

    def create_run(player: SessionPlayer) -> AgentRun:
        return run.create_agent_run(session, player, continued=agent_run, texts=texts)

    async def restore_world(target: AgentRun) -> None:
        session.take_place_of(run.session)
        run.agent_run, run.session = target, session
        run.recorder.drop()
        await session.go_live(checkpoint)

    with run.use_own_time():
        await rewind_session(
            agent_run,
            source,
            prefix,
            lambda: Player.HUMAN,
            redone=redone,
            create_run=create_run,
            on_ready=restore_world,
        )


async def fork_world_run(run: WorldRun, source: ForkSource, prefix: TurnPrefix, *, description: str = "") -> WorldRun:
    """Fork a run, which may be over, and return the fork: to be gone on with by `run`, in a world of its own.

    Args:
        run: The run; neither it nor its world is changed.
        source: Its session, with the events that the turn is in.
        prefix: What counts before the turn.
        description: A description of the new session for people.

    Raises:
        ForkRefused: The point is no turn, or the replay differs from the recording. Nothing is changed.
    """
    checkpoints, checkpoint = _find_checkpoint(run, prefix)
    forked = run.create_fork(checkpoints.copy_turns(prefix.events))
    texts = _prepare_replay(forked.session, checkpoints, prefix, checkpoint)

    async def restore_world(target: AgentRun) -> None:
        forked.agent_run = target
        forked.connect_recorder()
        forked.recorder.drop()
        await forked.session.go_live(checkpoint)

    with forked.use_own_time():
        await fork_session(
            source,
            prefix,
            lambda: forked.create_agent_run(forked.session, Player.HUMAN, texts=texts),
            description=description,
            on_ready=restore_world,
        )
    return forked


def _find_checkpoint(run: WorldRun, prefix: TurnPrefix) -> tuple[WorldCheckpoints, TurnCheckpoint]:
    if run.checkpoints is None:
        raise ForkRefused(_NO_PAST)
    if prefix.asked is None or not prefix.interrupted:
        raise ForkRefused(_NO_TURN)
    return run.checkpoints, run.checkpoints.find_at(prefix.asked, prefix.to_seq)


def _prepare_replay(
    session: WorldSession, checkpoints: WorldCheckpoints, prefix: TurnPrefix, checkpoint: TurnCheckpoint
) -> list[str]:
    """Let a session repeat the turns of the interrupted run; returns the notifications of the runs before it."""
    session.replay_turns([*checkpoints.list_turns(prefix.interrupted), checkpoint])
    # Agents that are used as tools got theirs in ADK sessions of their own.
    turns = [turn for turn in checkpoints.list_turns(prefix.completed) if not turn.is_inner]
    earlier = [each for turn in turns for each in turn.notifications]
    return [session.format_notification(each) for each in earlier]
