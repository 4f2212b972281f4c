"""The benches that the server was started with: reads their folders, and asks the processes that run them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from adk_agent_sim.bench.bench_control import BenchActivity, read_activity
from adk_agent_sim.bench.bench_plan import build_stem, find_run_index
from adk_agent_sim.bench.bench_result import ActiveRun, BenchResult, RunKey
from adk_agent_sim.bench.failure_reasons import ReasonMask
from adk_agent_sim.bench.results_file import PLAN_NAME, RESULTS_NAME
from adk_agent_sim.bench.run_executor import FILE_ENDINGS
from adk_agent_sim.bench.run_group import Variant, get_variant, label_variants
from adk_agent_sim.errors import NotFound
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.benches.api_models import (
    BenchEntry,
    BenchInfo,
    BenchRunDetail,
    BenchRunStatus,
    BenchVariant,
)
from adk_agent_sim.server.benches.run_timeline import RunTimelines
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object
from adk_agent_sim.use_cases.benches import pause_bench, repeat_run

_MAX_REASON = 1_000


class BenchCatalog:
    """The benches of this server by key."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Serve folders; no other file is read or written."""
        self._benches: dict[str, OpenBench] = {}
        for folder in folders:
            key = find_free_key(to_snake_case(folder.resolve().name) or "bench", self._benches)
            self._benches[key] = OpenBench(key, folder)

    def __len__(self) -> int:
        return len(self._benches)

    def __iter__(self) -> Iterator[OpenBench]:
        return iter(self._benches.values())

    def __getitem__(self, key: str) -> OpenBench:
        if key not in self._benches:
            raise NotFound(f"There is no bench {key[:100]!r} on this server.")
        return self._benches[key]


class OpenBench:
    """One folder, as far as it was read."""

    def __init__(self, key: str, folder: Path) -> None:
        self.key = key
        self._folder = folder
        self._lock = asyncio.Lock()
        self._mask = ReasonMask()
        self._generation = 0
        self._file_id: int | None = None
        self._offset = 0
        self._planned = 0
        self._plan: dict[str, Any] = {}
        self._scenarios: dict[str, None] = {}
        self._variants: dict[Variant, None] = {}
        self._results: list[BenchResult] = []
        self._keys: dict[str, RunKey] = {}
        """The runs that have started, by id."""
        self.timelines = RunTimelines(folder)
        """The rows of runs that are executed now, or whose sessions are stored."""

    async def summarize(self) -> BenchEntry:
        """Return the bench as the browser lists it."""
        async with self._lock:
            activity = await asyncio.to_thread(self._refresh)
            latest = {result.key: result for result in self._results}
            return BenchEntry(
                key=self.key,
                name=self._folder.resolve().name,
                path=str(self._folder),
                planned=max(self._planned, len(latest)),
                finished=len(latest),
                passed=sum(result.outcome == "passed" for result in latest.values()),
                is_running=activity.is_running,
            )

    async def describe(self, generation: int = -1, after: int = 0) -> BenchInfo:
        """Return the bench, with the results after the first `after`; all if they were rewritten."""
        async with self._lock:
            activity = await asyncio.to_thread(self._refresh)
            start = after if generation == self._generation else 0
            for each in (*activity.running, *activity.requested):
                self._add_run(each.key)
            return BenchInfo(
                key=self.key,
                name=self._folder.resolve().name,
                path=str(self._folder),
                planned=max(self._planned, len({result.key: result for result in self._results})),
                **vars(activity),
                keeps_timelines=bool(self._plan.get("files", {}).get("timeline")),
                generation=self._generation,
                variants=[
                    BenchVariant(label=label, variant=variant)
                    for variant, label in label_variants(list(self._variants)).items()
                ],
                scenarios=list(self._scenarios),
                runs=[_cut_reason(result) for result in self._results[start:]],
                next=len(self._results),
            )

    async def describe_run(self, run_id: str, attempt: str, after_seq: int) -> BenchRunDetail:
        """Return a run that is executed now or has ended, with the rows that are new since a request before.

        Args:
            run_id: The run.
            attempt: The attempt whose rows are known; rows of another one are sent from the beginning.
            after_seq: What is known of it.
        """
        async with self._lock:
            activity = await asyncio.to_thread(self._refresh)
            for each in activity.running:
                self._add_run(each.key)
            if run_id not in self._keys:
                raise NotFound("The bench has no such run that is running or has ended.")
            key = self._keys[run_id]
            active = activity.find_running(key)
            is_running = active is not None
            stored = None if is_running else self._find_stored_timeline(key)
            timeline = await asyncio.to_thread(self.timelines.update, key, is_running=is_running, stored=stored)
            result = next((each for each in reversed(self._results) if not is_running and each.key == key), None)
            variant_name = label_variants(list(self._variants))[get_variant(key)]
        return BenchRunDetail(
            bench_name=self._folder.resolve().name,
            variant_name=variant_name,
            run=active or ActiveRun(**vars(key)),
            status=_choose_status(activity, result, is_running=is_running),
            result=None if result is None else _cut_reason(result),
            attempt=timeline.attempt if timeline else "",
            last_seq=timeline.last_seq if timeline else 0,
            row_count=timeline.row_count if timeline else 0,
            turn_count=timeline.turn_count if timeline else 0,
            call_count=timeline.call_count if timeline else 0,
            rows=timeline.list_news(after_seq if attempt == timeline.attempt else 0) if timeline else [],
            problem=timeline.problem if timeline else "",
        )

    async def pause(self, *, paused: bool) -> None:
        """Let the process that runs the bench start no further runs, or let it continue."""
        await asyncio.to_thread(pause_bench, self._folder, paused=paused)

    async def repeat_run(self, run_id: str) -> None:
        """Ask for a run to be executed again: now if the bench is running, else when it is resumed."""
        await asyncio.to_thread(repeat_run, self._folder, run_id)

    async def read_report(self, report: str) -> bytes:
        """Return the page of a run; only of one that a result names, and only inside of the folder."""
        async with self._lock:
            is_known = any(result.report == report for result in self._results)
        folder = self._folder.resolve()
        path = (folder / report).resolve()
        # Results are read from a file that others may have written, so the path in a result is not trusted either.
        if not report or not is_known or not path.is_relative_to(folder) or path.suffix != ".html":
            raise NotFound("The bench has no such page.")
        try:
            return await asyncio.to_thread(path.read_bytes)
        except FileNotFoundError:
            raise NotFound("The page of the run has been deleted.") from None

    def _find_stored_timeline(self, key: RunKey) -> Path | None:
        """Return where the whole session of a run is, if the bench keeps it; only inside of the folder."""
        index = find_run_index(self._plan, key) if self._plan else None
        if index is None:
            return None
        folder = self._folder.resolve()
        path = (folder / f"{build_stem(index)}{FILE_ENDINGS['timeline']}").resolve()
        return path if path.is_relative_to(folder) else None

    def _refresh(self) -> BenchActivity:
        """Read what was appended since the last time; all, if the file is another one."""
        path = self._folder / RESULTS_NAME
        if path.exists():
            with path.open("rb") as file:
                # Of the open file: another one may have taken its name meanwhile.
                identity = os.fstat(file.fileno())
                # Another file of the same name, or a shorter one: the results were rewritten.
                if identity.st_ino != self._file_id or identity.st_size < self._offset:
                    self._file_id = identity.st_ino
                    self._start_again()
                file.seek(self._offset)
                added = file.read()
            # The process that runs the bench may be writing the last line now.
            complete = added[: added.rfind(b"\n") + 1]
            self._offset += len(complete)
            for line in complete.splitlines():
                self._add(line)
        elif not self._planned:
            self._read_plan()
        return read_activity(self._folder)

    def _start_again(self) -> None:
        self._generation += 1
        self._offset = 0
        self._results.clear()
        self._scenarios.clear()
        self._variants.clear()
        self._read_plan()

    def _add(self, line: bytes) -> None:
        try:
            result = self._mask.mask(BenchResult.model_validate_json(line))
        except ValidationError:
            return
        self._results.append(result)
        self._add_run(result.key)

    def _read_plan(self) -> None:
        """Take the rows and columns from the plan, so that the matrix is there before its runs."""
        try:
            plan: dict[str, Any] = parse_json_object((self._folder / PLAN_NAME).read_bytes())
        except (FileNotFoundError, InvalidJson):
            return
        self._plan = plan
        self._planned = plan.get("run_count", 0)
        for each in plan.get("scenarios", ()):
            self._scenarios.setdefault(each["label"])
        for variant in (
            Variant(agent, model, player, rules)
            for agent in plan.get("agents", ())
            for model in plan.get("models") or ("",)
            for player in plan.get("players") or ("",)
            for rules in plan.get("rules") or ("",)
        ):
            self._variants.setdefault(variant)

    def _add_run(self, key: RunKey) -> None:
        self._keys.setdefault(key.run_id, key)
        self._scenarios.setdefault(key.scenario)
        self._variants.setdefault(get_variant(key))


def _cut_reason(result: BenchResult) -> BenchResult:
    return result.model_copy(update={"reason": result.reason[:_MAX_REASON]}) if result.reason else result


def _choose_status(activity: BenchActivity, result: BenchResult | None, *, is_running: bool) -> BenchRunStatus:
    if is_running:
        return "running"
    if result is not None:
        return "ended"
    return "waiting" if activity.is_running else "stopped"
