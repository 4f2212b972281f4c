"""Keeps the results of checks in the user's data directory, so that badges are there after a restart.

A result belongs to the content of a scenario, not to its file: the annotation of a reviewer does not change it, and
another release of this package checks again.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from adk_agent_sim.errors import InsecureFile
from adk_agent_sim.persistence.default_path import get_data_folder
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.players.checked_scenario import ScenarioCheck
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.private_files import create_private_folder, read_private_file, write_private_file
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object

_log = get_logger(__name__)


class CheckCache:
    """The results of checks without a judge of texts, by the content of scenarios."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use a folder; by default one in the user's data directory. It is created when something is kept."""
        self._folder = folder or get_data_folder() / "checks"

    def find(self, scenario: ScenarioImportedFromJson) -> ScenarioCheck | None:
        """Return the kept result, without its runs; None if there is none that can be read."""
        if not self._folder.is_dir():
            return None
        try:
            return ScenarioCheck.model_validate(parse_json_object(read_private_file(self._get_path(scenario))))
        except (OSError, ValueError, InsecureFile):
            return None

    def save(self, scenario: ScenarioImportedFromJson, check: ScenarioCheck) -> None:
        """Save a result, unless the scenario could not be judged, which may have been for lack of time."""
        if check.problem:
            return
        kept = check.model_copy(update={"runs": ()})
        try:
            create_private_folder(self._folder)
            write_private_file(self._get_path(scenario), kept.model_dump_json(indent=2) + "\n")
        except (OSError, InsecureFile) as error:
            # The result is shown all the same; only the next start does not know it.
            _log.warning("The result of a check cannot be kept in %s: %s", self._folder, error)

    def _get_path(self, scenario: ScenarioImportedFromJson) -> Path:
        content = dump_json(scenario.trace.model_dump(mode="json", exclude={"metadata": {"annotation"}}))
        # JSON allows lone surrogates, which UTF-8 cannot encode strictly.
        digest = sha256(f"{version('adksim')} {content}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest}.json"
