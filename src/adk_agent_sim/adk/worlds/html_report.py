"""The page of HTML about a run in a world: the result, the verdict, and everything that happened there."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.adk.worlds.run_redaction import build_run_redactor
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.golden.rule_calls import RuleCall, find_rule_calls
from adk_agent_sim.golden.run_page import PageOutcome, PageRow, RunPage, render_run_page
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, ToolStarted
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.json_equality import equals_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.verdict import render_verdict
from adk_agent_sim.timeline.world_events import WorldEventHappened, WorldTimeChanged


def render_html_report(
    world: World, result: WorldRunResult, log: Sequence[Event] = (), *, has_world_times: bool = True
) -> str:
    """Return the page.

    Args:
        world: The world after the run.
        result: The outcome of the run.
        log: The timeline of the run, which has the calls that environment rules answered.
        has_world_times: Whether the times of the timeline are those of the world.
    """
    redactor = build_run_redactor(world, log)
    rule_calls = find_rule_calls(log)
    outcomes: dict[bool | None, PageOutcome] = {None: "not judged", True: "passed", False: "failed"}
    verdict = None if result.verdict is None else "\n".join(render_verdict(result.verdict))
    page = RunPage(
        title=f"{result.metadata.agent_id} in {result.scenario_id}",
        outcome=outcomes[result.passed],
        reason=result.reason,
        facts=_collect_facts(result),
        sections={} if verdict is None else {"Verdict": [verdict]},
        when_label="Time",
        rows=_iter_rows(world, _RuleRows(world, log, rule_calls, redactor, has_world_times=has_world_times), redactor),
    )
    return render_run_page(page, redactor)


def _collect_facts(result: WorldRunResult) -> dict[str, Any]:
    metadata = result.metadata
    return {
        "Agent": metadata.agent_id,
        "Model": metadata.model_id or "several",
        "Player of the model": metadata.player,
        "Run": metadata.run_number,
        "Seed": metadata.seed,
        "Thinking time": metadata.thinking,
        "Ended because": result.ended.value.replace("_", " "),
        "Model calls": result.step_count,
        "Calls of the world's tools": result.call_count,
        **({"Calls answered by rules": result.rule_answer_count} if result.rule_answer_count else {}),
        "Messages to the user": result.message_count,
        "Tokens": f"{result.prompt_tokens} in, {result.output_tokens} out",
        "Simulated time": f"{result.simulated_seconds:g} s",
        "Noise": json.dumps(dict(metadata.augmentations)) if metadata.augmentations else "none",
    }


class _RuleRows:
    """The rows of calls that rules handled: those that did not reach the world, and what marks those that did."""

    def __init__(
        self,
        world: World,
        log: Sequence[Event],
        calls: Sequence[RuleCall],
        redactor: Redactor,
        *,
        has_world_times: bool,
    ) -> None:
        self._start = world.now - world.elapsed
        self._redactor = redactor
        self._places: list[tuple[str, int]] = []
        """For each event of the world: the call that it comes from, and its number on the timeline, or the call's.
        Ids would not do: the world changes those of events that the judge has recognized."""
        self._elapsed: dict[int, float] = {}
        """What the world's time was, by the number of the timeline's event."""
        elapsed, started = 0.0, dict[str, int]()
        for event in remove_undone_events(log):
            match event.payload:
                case ToolStarted(call_id=call_id):
                    started[call_id] = event.seq
                case WorldTimeChanged(to_seconds=seconds):
                    elapsed = seconds
                case WorldEventHappened(call_id=call_id, elapsed_seconds=seconds):
                    elapsed = seconds
                    self._places.append((call_id, started.get(call_id, event.seq)))
                case _:
                    pass
            self._elapsed[event.seq] = event.timestamp - self._start if has_world_times else elapsed
        in_world = {call_id for call_id, _ in self._places}
        self._waiting = deque(call for call in calls if call.call_id not in in_world)
        self._in_world = {call.call_id: call for call in calls if call.call_id in in_world}

    def take_until(self, index: int, event: CompletedEvent) -> Iterator[PageRow]:
        """Take the rows of the calls before an event of the world."""
        place = event.time - self._start, self._get_place(index)[1]
        while self._waiting:
            seq = self._waiting[0].decided.seq
            if (self._elapsed[seq], seq) > place:
                return
            yield self._take()

    def take_rest(self) -> Iterator[PageRow]:
        """Take the rows of all calls that are left."""
        while self._waiting:
            yield self._take()

    def get_mark(self, index: int, event: CompletedEvent) -> str:
        """Return what the row of an event of the world says about the rule that handled its call."""
        call = self._in_world.get(self._get_place(index)[0])
        if call is None:
            return ""
        is_same = equals_value(call.result, event.value) and not call.error
        return call.mark if is_same else f"{call.mark}. The model got: {self._format_result(call)}"

    def _get_place(self, index: int) -> tuple[str, int]:
        return self._places[index] if index < len(self._places) else ("", 0)

    def _take(self) -> PageRow:
        call = self._waiting.popleft()
        return PageRow(
            when=_format_time(self._elapsed[call.decided.seq]),
            actor="AGENT",
            call=f"{call.tool_name}\n{_format_arguments(call.arguments, self._redactor)}",
            result=self._format_result(call),
            has_failed=call.has_failed,
            mark=call.mark,
        )

    def _format_result(self, call: RuleCall) -> str:
        return call.error or _format_json(self._redactor.redact_value(call.result))


def _iter_rows(world: World, rule_rows: _RuleRows, redactor: Redactor) -> Iterator[PageRow]:
    start = world.now - world.elapsed
    for index, event in enumerate(world.event_log()):
        yield from rule_rows.take_until(index, event)
        name = f"{event.app}__{event.function}" if event.function else event.event_id
        outcome = event.value or "" if event.error is None else f"{type(event.error).__name__}: {event.error}"
        yield PageRow(
            when=_format_time(event.time - start),
            actor=event.kind,
            call=f"{name}\n{_format_arguments(event.arguments, redactor)}",
            result=outcome,
            has_failed=event.error is not None,
            mark=rule_rows.get_mark(index, event),
        )
    yield from rule_rows.take_rest()


def _format_arguments(arguments: Mapping[str, Any], redactor: Redactor) -> str:
    shown = cast("dict[str, Any]", redactor.redact_value(to_json_value(dict(arguments))))
    return _format_json({key: value for key, value in shown.items() if value is not None})


def _format_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _format_time(seconds: float) -> str:
    return f"+{round(seconds, 3):g} s"
