"""Runs an agent on the conversation of an eval case, with any player in its models' seat, and judges it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase
from google.adk.events import Event as AdkEvent

from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID, AgentRun, unwrap_failure
from adk_agent_sim.adk.worlds.other_model import OtherModel
from adk_agent_sim.adk.worlds.run_options import DEFAULT_MAX_STEPS
from adk_agent_sim.adk.worlds.run_players import read_script_player
from adk_agent_sim.errors import InvalidRunOption, NotJudgeable
from adk_agent_sim.golden.case_criteria import CaseCriteria
from adk_agent_sim.golden.eval_case_page import render_case_page
from adk_agent_sim.golden.eval_case_verdict import EvalCaseVerdict, judge_eval_case
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.run_page import PageOutcome
from adk_agent_sim.scenario.players.random_player import WORLD_PLAYERS
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.events import Event, ToolStarted, TurnAsked
from adk_agent_sim.timeline.player_spec import PlayerKind, parse_player
from adk_agent_sim.timeline.store import MemoryStore, Store
from adk_agent_sim.timeline.timeline import Timeline


@dataclass(frozen=True, kw_only=True)
class EvalCaseResult:
    """The outcome of a run of a case."""

    verdict: EvalCaseVerdict | None = None
    """Whether it did what the case has; None if it failed or cannot be judged."""

    failure: BaseException | None = None
    """The exception that ended it."""

    problem: str = ""
    """Why it ended and cannot be judged; empty if it can."""

    input_tokens: int = 0

    output_tokens: int = 0

    model_calls: int = 0

    tool_calls: int = 0

    wall_seconds: float = 0.0

    @property
    def outcome(self) -> PageOutcome:
        """The outcome in a word."""
        if self.verdict is None:
            return "not judged" if self.failure is None else "error"
        return "passed" if self.verdict.passed else "failed"

    @property
    def reason(self) -> str:
        """Why the run did not pass, and which criteria were not judged; empty if it passed by all of them."""
        if self.failure is not None:
            return f"The agent's run failed: {type(self.failure).__name__}: {self.failure}"
        return self.problem if self.verdict is None else self.verdict.reason


@dataclass(frozen=True, kw_only=True)
class EvalCaseFiles:
    """The files that are written after a run; None for those that are not."""

    markdown: Path | None = None

    report: Path | None = None
    """A page of HTML without anything from elsewhere."""

    timeline: Path | None = None


class EvalCaseRun:
    """One agent, one case, one run."""

    def __init__(
        self,
        app: App,
        case: EvalCase,
        criteria: CaseCriteria,
        *,
        player: str = "real",
        model: str | None = None,
        max_steps: int = DEFAULT_MAX_STEPS,
        files: EvalCaseFiles | None = None,
        store: Store | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            app: The agent's app.
            case: The case; its user messages are sent one after the other.
            criteria: How it is judged.
            player: Who plays the models: `real`, `script:FILE` or `replay:FILE`.
            model: The model that answers instead of the agent's own.
            max_steps: The most model calls of a message.
            files: What is written after the run.
            store: Where the session is stored; by default in memory.

        Raises:
            NotJudgeable: The case has no conversation.
            InvalidRunOption: The player belongs to scenarios.
        """
        if not case.conversation:
            raise NotJudgeable(f"case {case.eval_id!r:.80}", "it has no conversation to repeat")
        self._case = case
        self._criteria = criteria
        self._files = files or EvalCaseFiles()
        self._player_name = player if model is None else model
        self._store = store or MemoryStore()
        self._changed = asyncio.Event()
        given = case.session_input
        self._run = AgentRun(
            app,
            Timeline(self._store),
            player=_create_player(player, model),
            state=given.state if given else None,
            user_id=(given.user_id if given else "") or DEFAULT_USER_ID,
            run_config=RunConfig(max_llm_calls=max_steps),
        )
        self._run.on_change = self._changed.set

    async def run(self) -> EvalCaseResult:
        """Run the agent, judge what it did, and write the files."""
        clock = WallClock()
        started_at = clock.monotonic()
        await self._run.open(f"{self._run.name} in {self._case.eval_id}")
        try:
            failure = await self._converse()
        finally:
            await self._run.close()
        log = await self._store.read_events(self._run.recorded_session.session_id)
        await self._write_session(log)
        events = self._run.events
        verdict, problem = (None, "") if failure else self._judge()
        result = EvalCaseResult(
            verdict=verdict,
            failure=failure,
            problem=problem,
            input_tokens=sum(_count_tokens(each)[0] for each in events),
            output_tokens=sum(_count_tokens(each)[1] for each in events),
            model_calls=sum(isinstance(each.payload, TurnAsked) for each in log),
            tool_calls=sum(isinstance(each.payload, ToolStarted) for each in log),
            wall_seconds=clock.monotonic() - started_at,
        )
        if self._files.report is not None:
            atomic_write_text(self._files.report, self._render_page(log, result))
        return result

    def _judge(self) -> tuple[EvalCaseVerdict | None, str]:
        """Return the verdict, or why there is none."""
        try:
            return judge_eval_case(self._case, self._run.events, self._criteria), ""
        except NotJudgeable as error:
            return None, str(error)

    async def _converse(self) -> BaseException | None:
        """Send the user's messages; return what ended the conversation early."""
        for invocation in self._case.conversation or []:
            await self._run.start(invocation.user_content)
            while self._run.is_running:
                # Nothing is awaited between the check and the wait, so the end of the run cannot be missed.
                self._changed.clear()
                await self._changed.wait()
            failure = self._run.get_failure()
            if failure is not None:
                return unwrap_failure(failure)
        return None

    async def _write_session(self, log: Sequence[Event]) -> None:
        if self._files.timeline is not None:
            session = await self._run.timeline.get_session(self._run.recorded_session.session_id)
            await jsonl.write_session(self._store, session, self._files.timeline)
        if self._files.markdown is not None:
            atomic_write_text(self._files.markdown, render_markdown_report(log))

    def _render_page(self, log: Sequence[Event], result: EvalCaseResult) -> str:
        facts = {
            "Player of the model": self._player_name,
            "Model calls": result.model_calls,
            "Tool calls": result.tool_calls,
            "Tokens": f"{result.input_tokens} in, {result.output_tokens} out",
        }
        return render_case_page(
            self._case, log, agent_name=self._run.name, outcome=result.outcome, reason=result.reason, facts=facts
        )


def _create_player(player: str, model: str | None) -> SessionPlayer:
    if model is not None:
        return OtherModel(model)
    if player in WORLD_PLAYERS:
        raise InvalidRunOption("the player", player, "it plays scenarios, and an eval case has no world")
    spec = parse_player(player)
    if spec.kind is PlayerKind.SCRIPT:
        return read_script_player(Path(spec.argument))
    return create_player_factory(player)()


def _count_tokens(event: AdkEvent) -> tuple[int, int]:
    usage = event.usage_metadata
    # The complete event of a streamed answer has the tokens of the whole call, so its pieces are not counted.
    if usage is None or event.partial:
        return 0, 0
    return usage.prompt_token_count or 0, (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
