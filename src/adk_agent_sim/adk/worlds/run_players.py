"""The players that can take the model's seat of an agent in a world, by how they are written.

The agent's own Runner, tools, callbacks and plugins run as with a real model; only the decisions come from the player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.steps.script import Script, read_script
from adk_agent_sim.adk.worlds.world_session import WorldSession
from adk_agent_sim.errors import InvalidScript
from adk_agent_sim.scenario.players.random_player import WORLD_PLAYERS
from adk_agent_sim.scenario.players.world_player import (
    MessageToUser,
    PlayerView,
    PlayFinished,
    WorldPlayer,
    build_tool_call,
)
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.player_spec import PlayerKind, Seat, parse_seat_player

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.world_run import WorldRun


class ScriptPlayer:
    """A model's player that follows a script as `adksim run --script` plays it, in one run.

    The scenario speaks for the user, so `user` steps only say where a turn begins. When the script is over, the model
    does nothing more.
    """

    def __init__(self, script: Script, source: str) -> None:
        """Prepare to play.

        Raises:
            InvalidScript: A step is no decision of a model.
        """
        for number, step in enumerate(script.steps, start=1):
            if not step.all_calls and step.title not in ("user", "respond"):
                reason = f"`{step.title}` is not a decision of the model, which is all that a script plays here"
                raise InvalidScript(source, f"step {number}: {reason}. Remove the step.")
        self._responses = _iter_responses(script)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the next decision."""
        return next(self._responses, _build_response())


def read_script_player(path: Path) -> ScriptPlayer:
    """Read a script and return its player; raise InvalidScript, which says where it is wrong."""
    return ScriptPlayer(read_script(path), str(path))


def _iter_responses(script: Script) -> Iterator[LlmResponse]:
    for step in script.steps:
        if calls := step.all_calls:
            yield _build_response(
                *(types.Part(function_call=types.FunctionCall(name=each.call, args=each.args)) for each in calls)
            )
        elif step.title == "respond":
            answer = cast("object", step.respond)
            yield _build_response(types.Part(text=answer if isinstance(answer, str) else encode_json(answer).decode()))


class WorldModelPlayer:
    """Answers the model calls of a run by a player of its world."""

    def __init__(self, player: WorldPlayer, session: WorldSession, *, speaks_by_tool: bool = True) -> None:
        """Take the model's seat.

        Args:
            player: Chooses the actions.
            session: The run.
            speaks_by_tool: Whether messages to the user are calls of the agent-user interface, or final texts.
        """
        self._player = player
        self._session = session
        self._speaks_by_tool = speaks_by_tool
        self._has_finished = False

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the player's next action as a model's answer."""
        world, session = self._session.world, self._session
        if self._has_finished:
            return _build_response()
        view = PlayerView(
            now=world.now,
            tools=world.tools(),
            notifications=tuple(session.take_seen_notifications()),
            results=tuple(session.take_results()),
        )
        action = self._player.choose_action(view)
        self._has_finished = isinstance(action, PlayFinished)
        if isinstance(action, MessageToUser) and not self._speaks_by_tool:
            return _build_response(types.Part(text=action.text))
        use = build_tool_call(action, view.tools)
        if use is None:
            return _build_response()
        arguments: Mapping[str, Any] = use.arguments
        if not self._speaks_by_tool and session.is_message_tool(use.name):
            return _build_response(types.Part(text=str(arguments.get("content", ""))))
        return _build_response(types.Part(function_call=types.FunctionCall(name=use.name, args=dict(arguments))))


def _build_response(*parts: types.Part) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)))


def create_run_player(player: str) -> Callable[[WorldRun], SessionPlayer]:
    """Return what makes the player of a run. Files are read now.

    Args:
        player: `real` for the agent's own model; `human` for a person in the browser; `oracle`, `nothing` or `random`;
            `script:FILE` with the calls and responses of the model; `replay:FILE` with a recording, or `record:FILE`
            to make one.

    Raises:
        InvalidPlayer: There is no such player, or it cannot play a model.
        InvalidScript: The script has errors.
        ImportRefused: The file of a replay is not a recording.
    """
    spec = parse_seat_player(Seat.WORLD_MODEL, player)
    if create_world_player := WORLD_PLAYERS.get(spec.kind):

        def create(run: WorldRun) -> SessionPlayer:
            # The first run plays with the seed as it was given, and each later one with another.
            seed = run.world.seed + run.options.run_number - 1
            return WorldModelPlayer(create_world_player(run.world, seed), run.session)

        return create
    if spec.kind is PlayerKind.SCRIPT:
        path = Path(spec.argument)
        read_script_player(path)  # errors are reported before the run
        return lambda run: read_script_player(path)
    if spec.kind is PlayerKind.HUMAN:
        return lambda run: Player.HUMAN
    create_recorded = create_player_factory(player)
    return lambda run: create_recorded()
