"""The files of eval cases of the agents on this server: in their folders, and those that sessions are exported to.

Requests name keys, never paths: a path is found in the folder of an agent, is the EvalSet of its config, or was written
by an export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.golden.eval_set_files import find_eval_files
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog, EvalLocation
from adk_agent_sim.server.evals.case_replays import CaseReplays, CatalogAgent
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog, OpenEvalFile


class AgentEvalCatalog(EvalCatalog):
    """The files of the agents; each is replayed on the tools of its agent."""

    def __init__(self, agents: AgentCatalog) -> None:
        super().__init__([])
        self._agents = agents
        self._replays: dict[str, CaseReplays] = {}

    async def list_files(self) -> Sequence[OpenEvalFile]:
        """Return the files that are there now."""
        await self._search()
        opened = list(self._files.values())
        # A file that was deleted keeps its entry, and has the same key if it comes back.
        exist = await asyncio.to_thread(lambda: [each.file.path.is_file() for each in opened])
        return [each for each, is_there in zip(opened, exist, strict=True) if is_there]

    async def get(self, key: str) -> OpenEvalFile:
        """Return a file; raise NotFound."""
        if key not in self._files:
            await self._search()
        return await super().get(key)

    def add_export(self, path: Path, agent_key: str) -> OpenEvalFile | None:
        """Return the file that a session of an agent was exported to."""
        return self._add(path, agent_key)

    async def _search(self) -> None:
        locations = self._agents.list_eval_locations()
        for location, paths in zip(locations, await asyncio.to_thread(_find_paths, locations), strict=True):
            for path in paths:
                self._add(path, location.agent_key)

    def _add(self, path: Path, agent_key: str) -> OpenEvalFile:
        if (known := self.find_by_path(path)) is not None:
            return known
        if agent_key not in self._replays:
            self._replays[agent_key] = CaseReplays(CatalogAgent(self._agents, agent_key))
        # By its name it is an EvalSet; the list says so if it is something else.
        return self._open(EvalFile(path, "evalset"), self._replays[agent_key])


def _find_paths(locations: Sequence[EvalLocation]) -> list[list[Path]]:
    return [
        [
            *(find_eval_files(each.folder) if each.folder is not None else ()),
            *([each.eval_set] if each.eval_set is not None and each.eval_set.is_file() else ()),
        ]
        for each in locations
    ]
