"""Runs an agent in the world of a scenario, and judges it.

result = await WorldRun(agent, load_scenario("lunch.json")).run()
print(result.passed, result.reason)

user's message --> invocation of the agent --> its message to the user --> turn judged --> time passes --+
      ^                                                                                                  |
      +---------------- the user's next message, or notifications of the environment <------------------+
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from uuid import uuid4

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_paths import ROOT_PATH
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun
from adk_agent_sim.adk.runs.run_app import to_app
from adk_agent_sim.adk.runs.run_task import unwrap_failure
from adk_agent_sim.adk.runs.user_message import build_user_message
from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.run_result import RunEnd, WorldRunMetadata, WorldRunResult
from adk_agent_sim.adk.worlds.world_checkpoints import WorldCheckpoints
from adk_agent_sim.adk.worlds.world_clock import WorldClock, use_world_time
from adk_agent_sim.adk.worlds.world_plugin import NotificationEvents, TokenCount, WorldPlugin
from adk_agent_sim.adk.worlds.world_recorder import WorldRecorder
from adk_agent_sim.adk.worlds.world_session import SILENT_ANSWER, WorldSession
from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.golden.rule_calls import count_rule_answers
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.oracle_plan import assume_conditions
from adk_agent_sim.scenario.world.noise import Noise
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Payload, Player
from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR
from adk_agent_sim.timeline.seeded_random import draw_bits
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.verdict import Verdict


def find_final_text(events: Sequence[AdkEvent]) -> str:
    """Return the final response since the user's last message; empty if there is none, or if it has no text."""
    for event in reversed(events):
        if event.author == "user":
            return ""
        if event.author != ENVIRONMENT_AUTHOR and event.is_final_response() and event.content and event.content.parts:
            return "".join(part.text for part in event.content.parts if part.text and not part.thought)
    return ""


WAKE_UP_TEXT = (
    "(This is no message from the user: something has happened, see the notifications. Act if it concerns your task. "
    f"Your answer is sent to the user; if there is nothing to tell, answer only {SILENT_ANSWER}.)"
)
"""What starts an agent that has ended its turn when the environment notifies it: ADK starts agents by messages only."""


class WorldRun:
    """One agent, one world, one run.

    The same agent, scenario, options and rules give the same run, unless the thinking time is measured or the agent
    itself is random. Nothing is shared between runs, so that many can run at the same time.
    """

    agent_run: AgentRun | None = None
    """The agent's run, once it has begun."""

    failure: BaseException | None = None
    """The exception that ended the run."""

    judge_failure: NotJudgeable | None = None
    """Why the run cannot be judged."""

    def __init__(
        self,
        agent: App | BaseNode,
        scenario: ScenarioImportedFromJson,
        options: WorldRunOptions | None = None,
        *,
        judge: Judge | None = None,
        player: SessionPlayer = Player.REAL,
        create_player: Callable[[WorldRun], SessionPlayer] | None = None,
        player_name: str = "real",
        model_name: str | None = None,
        judge_name: str = "scripted",
        source: str = "",
        timeline: Timeline | None = None,
        checkpoints: WorldCheckpoints | None = None,
    ) -> None:
        """Prepare a run; nothing happens before `run`.

        Args:
            agent: The agent or workflow, or an App with its plugins, which is not modified.
            scenario: The scenario.
            options: How the agent is run.
            judge: The judge of the scenario; by default the one without soft checks. One judge can judge many runs.
            player: Who plays the models.
            create_player: Makes the player from this run instead, for one that looks at its world.
            player_name: How the player is written, for the metadata.
            model_name: The model that the player asks, for the metadata; by default the one of the root agent.
            judge_name: Who answers the judge's soft checks, for the timeline.
            source: The file of the scenario, for the timeline.
            timeline: Where the session is recorded; by default in memory, in the world's time.
            checkpoints: Keeps what the world was like before each turn, to go back there (world_time_travel.py).

        Raises:
            NotJudgeable: The scenario expects nothing, or its oracle fails.
            UnknownApp: The scenario has an app of an unknown class.
            InvalidAugmentation: The scenario is to be disturbed in a way that is not supported.
        """
        self.options = options or WorldRunOptions()
        self.judge = judge or Judge(scenario)
        self.scenario = scenario
        self.augmentation = self.options.augmentation or AugmentationOptions.from_trace(scenario.trace)
        """How the run is disturbed."""
        self.app = to_app(agent)
        self.world = self._create_world()
        self.recorder = WorldRecorder(self.world, judge_name=judge_name)
        self.checkpoints = checkpoints
        """What the world was like before each turn; None if that is not kept."""
        self.session = self.create_session()
        self.store = MemoryStore() if timeline is None else None
        """Where the session is stored; None if it is on a timeline of somebody else."""
        self.timeline = timeline or Timeline(self.store, WorldClock(self.world))
        self.tokens = TokenCount()
        self._judge_name = judge_name
        self._create_player: Callable[[WorldRun], SessionPlayer] = create_player or (lambda run: player)
        self.player_name = player_name
        self.source = source
        self._model_name = model_name if model_name is not None else find_model_name(self.app.root_agent)
        self.on_change: Callable[[], object] = lambda: None
        """Called when a turn begins to wait for a person, and when the agent has ended its invocation."""
        self._changed = asyncio.Event()
        self._id_source = self.options.run_number
        self._id_numbers = count()

    async def run(self) -> WorldRunResult:
        """Run the agent and judge what it did. Whatever the agent does, this does not raise."""
        # A task of its own: ADK's ids and times come from the world in this run only.
        return await asyncio.create_task(self._run())

    async def _run(self) -> WorldRunResult:
        with self.use_own_time():
            is_fork = self.agent_run is not None
            if self.agent_run is None:
                self.agent_run = self.create_agent_run(self.session)
                await self.agent_run.open(f"{self.app.name} in {self.scenario.scenario_id}")
            try:
                if not is_fork:
                    self.connect_recorder()
                    self.recorder.record_start(self.source, self._describe_options())
                await self._play_until_judged(is_continuation=is_fork)
                await self.recorder.flush()
                verdict, problem = self._judge_run()
                if verdict is not None:
                    self.recorder.record_verdict(verdict)
                    await self.recorder.flush()
            finally:
                await self.agent_run.close()
                self._set_rules_clock(self.agent_run, None)
        log = await self.timeline.read_events(self.agent_run.recorded_session.session_id)
        return self._build_result(verdict, problem, count_rule_answers(log))

    async def _play_until_judged(self, *, is_continuation: bool) -> None:
        """Play, and keep why the run cannot be judged if that turns out at the end of a turn."""
        try:
            await self._play(is_continuation=is_continuation)
            if isinstance(self.failure, NotJudgeable):
                raise self.failure
        except NotJudgeable as error:
            self.failure, self.judge_failure = None, error
            self.session.end(RunEnd.NOTHING_LEFT)
            self.world.stop()

    async def _play(self, *, is_continuation: bool) -> None:
        """Play to the end; a fork goes on with the invocation that waits for its turn."""
        if is_continuation:
            await self._finish_invocation()
        else:
            self.session.tick()
        # Not kept in variables: an undo replaces the session and the agent's run while an invocation is awaited.
        while self.session.check_end() is None:
            if not self.session.advance_to_notification():
                self.session.check_end()
                self.session.end(RunEnd.NOTHING_LEFT)
                break
            message = self.session.take_user_messages()
            self.session.begin_invocation(is_user_turn=bool(message))
            await self.recorder.flush()
            agent_run = self._require_agent_run()
            await agent_run.start(build_user_message(agent_run.root_agent, message or WAKE_UP_TEXT, force=True))
            await self._finish_invocation()
        if self.session.ended in (RunEnd.COMPLETED, RunEnd.NOTHING_LEFT):
            self.session.finish_world()
        self.world.stop()

    async def _finish_invocation(self) -> None:
        """Wait until the agent has ended its invocation, or the run is over, and send its final text to the user."""
        while self._require_agent_run().is_running and self.session.ended is None:
            self._changed.clear()
            limit = self.options.max_wall_time
            try:
                await asyncio.wait_for(
                    self._changed.wait(), None if limit is None else max(0.0, limit - self.session.wall_seconds)
                )
            except TimeoutError:
                self.session.end(RunEnd.MAX_WALL_TIME)
        agent_run, session = self._require_agent_run(), self.session
        await agent_run.stop()
        failure = agent_run.get_failure()
        if failure is not None and session.ended is None:
            self.failure = unwrap_failure(failure)
            session.end(RunEnd.EXCEPTION)
        session.resume()
        if session.ended is None:
            session.send_final_text(find_final_text(agent_run.events))
            session.tick()

    def _create_world(self) -> World:
        options, noise = self.options, Noise.from_options(self.augmentation)
        seed = options.seed if options.seed is not None else self.scenario.seed or 0
        if options.run_number != 1 and (noise.failure_probability or noise.events_per_minute):
            seed = draw_bits(seed, "run", options.run_number) >> 33
        return World(
            self.scenario,
            fs_content=options.fs_content,
            notifications=options.notifications,
            seed=seed,
            turn_condition=self.judge.watch_turns(self._record_turn_verdict, stops=options.stop_on_rejection),
            watches=assume_conditions(self.scenario),
            noise=noise,
        )

    def _record_turn_verdict(self, verdict: Verdict) -> None:
        self.recorder.record_turn_verdict(verdict)

    def use_own_time(self) -> AbstractContextManager[None]:
        """Let ADK take times and ids from this run, in the current task."""
        return use_world_time(self.world, self._id_source, self._id_numbers)

    def create_session(self) -> WorldSession:
        """Create a session in the world; nothing happens in it."""
        count = self.judge.turn_count
        return WorldSession(self.world, self.options, self.recorder, turn_count=count, checkpoints=self.checkpoints)

    def create_agent_run(
        self,
        session: WorldSession,
        player: SessionPlayer | None = None,
        *,
        continued: AgentRun | None = None,
        texts: Sequence[str] = (),
    ) -> AgentRun:
        """Create a run of the agent, which is not opened.

        Args:
            session: What the agent does in the world.
            player: Who plays the models; by default the player of this run.
            continued: The run whose session it continues after an undo.
            texts: The notifications that the ADK session has already.
        """

        async def record_event(event: AdkEvent) -> None:
            await agent_run.record_event(event)

        plugin = WorldPlugin(session, NotificationEvents(record_event, texts), "adksim_world", self.tokens)
        agent_run = AgentRun(
            self.app.model_copy(update={"plugins": [plugin, *self.app.plugins]}),
            self.timeline,
            player=player or self._create_player(self),
            run_config=RunConfig(max_llm_calls=self.options.max_steps + 1),
            continued=continued,
        )
        plugin.main_session_id = agent_run.adk_session_id
        self._set_rules_clock(agent_run, WorldClock(self.world))
        agent_run.on_change = self._notify_change
        session.on_end = self._changed.set
        return agent_run

    def _notify_change(self) -> None:
        self._changed.set()
        self.on_change()

    def connect_recorder(self) -> None:
        """Record what happens in the world on the timeline of the agent's session."""
        self.recorder.append = self._append_to_timeline
        self.recorder.get_position = self._get_position

    def create_fork(self, checkpoints: WorldCheckpoints) -> WorldRun:
        """Create a run with a world of its own; to be put where this one was, with its session."""
        forked = WorldRun(
            self.app,
            self.scenario,
            self.options,
            judge=self.judge,
            create_player=self._create_player,
            player_name=self.player_name,
            model_name=self._model_name,
            judge_name=self._judge_name,
            source=self.source,
            timeline=self.timeline,
            checkpoints=checkpoints,
        )
        # The same options give the same world, and ADK's ids follow from a number that no other run has.
        forked._id_source = uuid4().int >> 97
        return forked

    def _set_rules_clock(self, agent_run: AgentRun, clock: WorldClock | None) -> None:
        """Let environment rules use the world's time in this session."""
        key = self.app.name, DEFAULT_USER_ID, agent_run.adk_session_id
        agent_run.run_environment.plugin.set_session_clock(key, clock)

    def _require_agent_run(self) -> AgentRun:
        assert self.agent_run is not None  # noqa: S101 - the run has begun
        return self.agent_run

    async def _append_to_timeline(self, payloads: Sequence[Payload]) -> None:
        recorded = self._require_agent_run().recorded_session
        await recorded.link.append(EventBatch(recorded.session_id, payloads, agent_path=ROOT_PATH))

    async def _get_position(self) -> int:
        return await self.timeline.get_last_seq(self._require_agent_run().recorded_session.session_id)

    def _describe_options(self) -> dict[str, Json]:
        options = self.options
        return {
            "run_number": options.run_number,
            "thinking": str(options.thinking),
            "notifications": options.notifications,
            "player": self.player_name,
            "agent_id": self.app.name,
            "model_id": self._model_name,
            "max_steps": options.max_steps,
            "max_duration": options.max_duration,
            "augmentations": self._describe_augmentation(),
        }

    def _describe_augmentation(self) -> dict[str, Json]:
        augmentation = self.augmentation
        is_used = augmentation.has_tool_augmentation or augmentation.has_env_events_augmentation
        return augmentation.to_runner_config(self.world.seed) if is_used else {}

    def _build_result(self, verdict: Verdict | None, problem: str, rule_answer_count: int) -> WorldRunResult:
        session, failure = self.session, self.failure
        return WorldRunResult(
            scenario_id=self.scenario.scenario_id,
            ended=session.ended or RunEnd.NOTHING_LEFT,
            verdict=verdict,
            problem=problem,
            limit=_describe_limit(session),
            step_count=session.step_count,
            call_count=session.call_count,
            rule_answer_count=rule_answer_count,
            message_count=session.message_count,
            prompt_tokens=self.tokens.prompt,
            output_tokens=self.tokens.output,
            simulated_seconds=self.world.elapsed,
            wall_seconds=session.wall_seconds,
            metadata=WorldRunMetadata(
                agent_id=self.app.name,
                model_id=self._model_name,
                run_number=self.options.run_number,
                seed=self.world.seed,
                player=self.player_name,
                thinking=str(self.options.thinking),
                exception_type=None if failure is None else type(failure).__name__,
                exception_message=None if failure is None else str(failure),
                augmentations=self._describe_augmentation(),
            ),
        )

    def _judge_run(self) -> tuple[Verdict | None, str]:
        try:
            if self.judge_failure is None:
                return self.judge.judge(self.world), ""
        except NotJudgeable as error:
            self.judge_failure = error
        return None, str(self.judge_failure)


def find_model_name(agent: BaseNode | None) -> str:
    """Return the name of an agent's model; empty for a workflow, which may have many."""
    if not isinstance(agent, LlmAgent):
        return ""
    return agent.model if isinstance(agent.model, str) else agent.model.model


def _describe_limit(session: WorldSession) -> str:
    match session.ended:
        case RunEnd.MAX_STEPS:
            return f"The run was stopped after {session.step_count} model calls, the limit."
        case RunEnd.MAX_DURATION:
            return f"The run was stopped after {session.world.elapsed:g} s of simulated time, when its time was over."
        case RunEnd.MAX_WALL_TIME:
            return (
                f"The run was stopped after {session.options.max_wall_time:g} s of real time, when its time was over."
            )
        case _:
            return ""
