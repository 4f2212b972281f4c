"""The scenarios of a file that a command works on: all, or the one that `--scenario` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.timeline.atomic_files import atomic_write_text

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.format.models import ExportedTrace
    from adk_agent_sim.scenario.format.scenario_files import ScenarioRecord

_MAX_LISTED = 20
"""The most ids that an error lists."""


scenario_option = click.option(
    "--scenario", "scenario_id", metavar="ID", help="In a file with several scenarios: the one to use; else all."
)


class ScenarioChoice:
    """The chosen scenarios of a file or folder, read one at a time."""

    def __init__(self, path: Path, scenario_id: str | None = None) -> None:
        """Find the scenarios.

        Raises:
            InvalidScenario: The file cannot be read.
            click.UsageError: No scenario has the id.
        """
        from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, list_records

        self.path = path
        self._records = [record for file in find_scenario_files(path) for record in list_records(file)]
        if scenario_id is not None:
            self._records = self._find_records(scenario_id)

    def __len__(self) -> int:
        return len(self._records)

    def read_each(self) -> Iterator[ScenarioImportedFromJson | InvalidScenario]:
        """Yield every scenario, or the error that says why it cannot be read; that does not end the iteration."""
        for record in self._records:
            try:
                scenario = _read_record(record)
            except InvalidScenario as error:
                yield error
            else:
                yield scenario

    def get_single(self, purpose: str) -> ScenarioImportedFromJson:
        """Return the only scenario.

        Args:
            purpose: What needs exactly one, such as `--svg`, for the error.

        Raises:
            click.UsageError: There are several, or none.
        """
        if len(self._records) != 1:
            raise click.UsageError(
                f"{self.path} contains {len(self._records)} scenarios, and {purpose} needs one: "
                "choose it with --scenario ID."
            )
        return _read_record(self._records[0])

    def check_output(self, output: Path) -> None:
        """Refuse an output that cannot hold all scenarios.

        Raises:
            click.UsageError: There are several, and the file is not a JSON Lines file.
        """
        if len(self._records) > 1 and output.suffix != ".jsonl":
            raise click.UsageError(
                f"{self.path} contains {len(self._records)} scenarios: name the output .jsonl to write one per line, "
                "or choose one with --scenario ID."
            )

    def _find_records(self, scenario_id: str) -> list[ScenarioRecord]:
        ids: list[str] = []
        found: list[ScenarioRecord] = []
        for record in self._records:
            try:
                ids.append(_read_record(record).scenario_id)
            except InvalidScenario:
                continue  # a broken line does not keep another from being chosen
            if ids[-1] == scenario_id:
                found.append(record)
        if not found:
            listed = ", ".join(ids[:_MAX_LISTED]) + (", ..." if len(ids) > _MAX_LISTED else "")
            raise click.UsageError(
                f"{self.path} has no scenario {scenario_id!r}; its scenarios are: {listed or 'none that can be read'}."
            )
        return found


def _read_record(record: ScenarioRecord) -> ScenarioImportedFromJson:
    with pause_garbage_collection():
        return record.read()


def write_traces(output: Path, traces: Sequence[ExportedTrace]) -> None:
    """Write scenarios to a file: indented if it is one, one per line if the file is a JSON Lines file."""
    from adk_agent_sim.scenario.format.exporter import serialize_trace

    indent = None if output.suffix == ".jsonl" else 2
    atomic_write_text(output, "".join(serialize_trace(each, indent=indent) + "\n" for each in traces))
