"""Loads the agents of a folder when they are opened, and again when their code has changed.

    opened, changed --> import in a thread --> the version that new sessions use, or why there is none --> the page

A session that is going on keeps the version that it began with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from adk_agent_sim.adk.loading.agent_folder import AgentFolder, ImportThread
from adk_agent_sim.adk.loading.agent_loader import LoadFailure, describe_load_failure, describe_slow_load
from adk_agent_sim.adk.loading.folder_modules import Fingerprint
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.errors import AgentLoadFailed
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.agents.playable_agent import CatalogEntry, PlayableAgent
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.clock import RealSleeper
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.read_model.line_summary import summarize_text

_PATIENCE_SECONDS = 5.0
"""How long loading one agent may delay that of the others.

Each agent's .env file sets variables of the whole process, so agents are loaded one after another as long as possible.
"""

_SCAN_SECONDS = 0.5
"""How often the files are looked at."""

_log = get_logger(__name__)


class FolderAgents:
    """The versions of a folder's agents. Not thread-safe: use it from one event loop."""

    def __init__(
        self,
        folder: AgentFolder,
        services: RunnerServices,
        on_change: Callable[[], object],
        *,
        taken_keys: Collection[str] = (),
    ) -> None:
        self.folder = folder
        self.entries: dict[str, CatalogEntry] = {}
        """The agents by the names of their folders."""
        self.announce_load: Callable[[str], object] = lambda name: None
        """Called with the name of an agent before its code runs."""
        self._services = services
        self._taken_keys = taken_keys
        self._on_change = on_change
        self._lock = asyncio.Lock()
        self._threads: dict[CatalogEntry, ImportThread[SimulatedAgentConfig | LoadFailure]] = {}
        self._loads: dict[CatalogEntry, asyncio.Task[None]] = {}
        self._baseline: dict[Path, Fingerprint] = {}
        """The files as they were when the code was loaded."""

    def update_names(self, names: Collection[str]) -> None:
        """Take over the names of the folders that are there now."""
        for name in [name for name in self.entries if name not in names]:
            del self.entries[name]
        for name in names:
            if name not in self.entries:
                taken = {*self._taken_keys, *(entry.key for entry in self.entries.values())}
                label = summarize_text(replace_lone_surrogates(name))
                key = find_free_key(to_snake_case(label) or "agent", taken)
                self.entries[name] = entry = CatalogEntry(key=key, label=label, folder_name=name)
                if self.folder.preloaded is not None:
                    entry.key = find_free_key(to_snake_case(self.folder.preloaded.name), taken)
                    self._take_over(entry, self.folder.preloaded)

    async def load(self, entry: CatalogEntry) -> PlayableAgent:
        """Return the version of an agent that new sessions use; load it first if that is needed.

        Raises:
            AgentLoadFailed: It cannot be loaded, or not in time.
        """
        if entry.is_current and entry.agent is not None and entry not in self._loads:
            return entry.agent
        task = self._loads.get(entry) or self._start_load(entry)
        # Not wait_for, which would cancel the load: it goes on, and whoever else waits for it gets its result.
        await asyncio.wait({task}, timeout=self.folder.load_timeout)
        if not task.done():
            thread = self._threads.get(entry)
            frame = thread.find_frame() if thread else None
            entry.failure = describe_slow_load(frame, self.folder.root, self.folder.load_timeout)
            self._on_change()
        if entry.failure is not None or entry.agent is None:
            failure = entry.failure or LoadFailure(problem="the server is stopping", advice="Start it again.")
            raise failure.build_error(entry.label)
        return entry.agent

    async def search_app(self, app_name: str) -> PlayableAgent | None:
        """Load agents that nobody has opened until one has an app of this name; returns it, or None if none has.

        Those whose code contains the name are loaded first: each load runs code of the user's, and may take long.
        """
        unopened = [entry for entry in self.entries.values() if not entry.was_opened]
        mentions = {
            entry: await asyncio.to_thread(self.folder.mentions, entry.folder_name, app_name) for entry in unopened
        }
        for entry in sorted(unopened, key=lambda each: not mentions[each]):
            with suppress(AgentLoadFailed):  # its card says why
                agent = await self.load(entry)
                if agent.app_name == app_name:
                    return agent
        return None

    async def watch_files(self) -> None:
        """Load agents again when their files have changed; runs until it is cancelled."""
        last: Mapping[Path, Fingerprint] = {}
        while True:
            await RealSleeper().sleep(_SCAN_SECONDS)
            names = [entry.folder_name for entry in self.entries.values() if entry.was_opened]
            found = await asyncio.to_thread(self.folder.modules.read_fingerprints, names)
            # A file that is still being written changes again; it is loaded when that has ended.
            if found == last and (changed := self._compare_with_baseline(found)):
                await self._reload(changed, found)
            last = found

    async def close(self) -> None:
        """Stop waiting for what is being loaded; threads that have not ended end with the process."""
        tasks = list(self._loads.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start_load(self, entry: CatalogEntry) -> asyncio.Task[None]:
        entry.is_loading = True
        task = asyncio.create_task(self._load_until_current(entry), name=f"adksim-load-{entry.key}")
        self._loads[entry] = task
        self._on_change()
        return task

    async def _load_until_current(self, entry: CatalogEntry) -> None:
        try:
            while True:
                revision = entry.revision
                outcome = await self._import(entry.folder_name, entry)
                # Otherwise the code has changed during the import, which may have read some old and some new files.
                if revision == entry.revision:
                    break
                await asyncio.to_thread(self.folder.modules.forget, {entry.folder_name})
            self._take_over(entry, outcome)
        finally:
            entry.is_loading = False
            self._loads.pop(entry, None)
            self._on_change()

    async def _import(self, name: str, entry: CatalogEntry) -> SimulatedAgentConfig | LoadFailure:
        async with self._lock:
            self._note_files(name, await asyncio.to_thread(self.folder.modules.read_fingerprints, [name]))
            self.announce_load(entry.label)
            thread = self._threads[entry] = ImportThread(lambda: self.folder.load(name), entry.key)
            await asyncio.wait({thread.result}, timeout=min(_PATIENCE_SECONDS, self.folder.load_timeout))
        # Without the lock: a slow import must not keep the other agents from being loaded.
        outcome = await thread.result
        if isinstance(outcome, BaseException):
            return describe_load_failure(outcome, self.folder.root)
        return outcome

    def _take_over(self, entry: CatalogEntry, outcome: SimulatedAgentConfig | LoadFailure) -> None:
        if isinstance(outcome, LoadFailure):
            entry.failure = outcome
            _log.warning("Agent %s was not loaded: %s. %s", entry.label, outcome.problem, outcome.advice)
            return
        entry.label = outcome.name
        entry.agent = PlayableAgent.of_config(entry.key, outcome, self._services, entry.revision)
        entry.failure = None

    def _note_files(self, name: str, found: Mapping[Path, Fingerprint]) -> None:
        """Remember the files of an agent as they are before its code is imported."""
        own = {path: value for path, value in found.items() if path.is_relative_to(self.folder.root / name)}
        self._baseline = {**found, **self._baseline, **own}

    def _compare_with_baseline(self, found: Mapping[Path, Fingerprint]) -> set[Path]:
        """Return the files that have changed; a new one only if it may be what an agent lacks that did not load."""
        failed = [self.folder.root / entry.folder_name for entry in self.entries.values() if entry.failure is not None]
        new = {path for path in found if path not in self._baseline}
        missed = {path for path in new if any(path.is_relative_to(folder) for folder in failed)}
        self._baseline |= {path: found[path] for path in new - missed}
        return missed | {path for path, value in self._baseline.items() if found.get(path) != value}

    async def _reload(self, changed: Collection[Path], found: Mapping[Path, Fingerprint]) -> None:
        units = await asyncio.to_thread(self.folder.modules.find_affected_units, changed, list(self.entries))
        affected = [entry for name, entry in self.entries.items() if name in units and entry.was_opened]
        for entry in affected:
            entry.revision += 1
        # Taken over before the reload, so that a file which changes during it is noticed by the next scan.
        self._baseline = dict(found)
        await asyncio.to_thread(self.folder.modules.forget, units, changed)
        for entry in affected:
            if entry not in self._loads:
                self._start_load(entry)
