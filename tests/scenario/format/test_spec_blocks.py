"""Every Python block of the specification's section about working with the format, run as it is written."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from scenario_corpus import ARE_FOLDER, load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, World, load_scenario

_SECTION = (ARE_FOLDER / "spec_blocks.rst").read_text(encoding="utf-8")
_BLOCK = re.compile(
    r"^(?P<title>[^\n]+)\n~+\n(?:(?!\n~+\n).)*?\.\. code-block:: python\n\n(?P<code>(?:   [^\n]*\n|\n)+)", re.S | re.M
)
_IMPORTS = {
    "are.simulation.data_handler.importer": "adk_agent_sim.scenario",
    "are.simulation.data_handler.exporter": "adk_agent_sim.scenario",
    "are.simulation.agents.are_simulation_agent": "adk_agent_sim.scenario",
    "from are.simulation.environment import Environment": "from adk_agent_sim.scenario import World as Environment",
}
"""What replaces the package's imports; nothing else in the blocks is changed, except the path to write to."""

_BLOCKS = {each["title"]: textwrap.dedent(each["code"]) for each in _BLOCK.finditer(_SECTION)}


def _run_block(title: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    code = _BLOCKS[title].replace("/path/to/output", str(folder / "output"))
    for old, new in _IMPORTS.items():
        code = code.replace(old, new)
    monkeypatch.chdir(folder)
    content = json.dumps(load_scenarios()["scenario_synth_s04_shopping"])
    (folder / "scenario.json").write_text(content)
    scenario = JsonScenarioImporter().import_from_json(content)[0]
    environment = World(scenario)
    environment.run_oracle()
    names: dict[str, Any] = {"json_content": content, "scenario": scenario, "environment": environment}
    exec(compile(code, title, "exec"), names)  # noqa: S102 - the text is a file of this repository
    return names


def test_the_section_has_the_blocks_that_are_tested_here() -> None:
    assert list(_BLOCKS) == [
        "Programmatic Access",
        "Filtering Applications",
        "Benchmark Scenarios",
        "Scenario Export",
        "Export to File",
        "Controlling App Export",
        "Working with World Logs",
    ]
    assert _SECTION.count("code-block:: python") == len(_BLOCKS)


@pytest.mark.parametrize("title", _BLOCKS)
def test_a_block_runs_as_it_is_written(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = _run_block(title, tmp_path, monkeypatch)
    printed = capsys.readouterr().out
    if title == "Programmatic Access":
        assert "Scenario ID: scenario_synth_s04_shopping\nDuration: 1000" in printed
    elif title == "Filtering Applications":
        assert names["scenario"].apps == []  # the block keeps two apps that this scenario does not have
    elif title == "Benchmark Scenarios":
        assert names["benchmark_scenario"].scenario_id == "scenario_synth_s04_shopping"
    elif title == "Scenario Export":
        assert load_scenario(tmp_path / "exported_scenario.json").scenario_id == "my_scenario_001"
    elif title == "Export to File":
        path = tmp_path / "output" / "scenario_synth_s04_shopping.json"
        assert printed == f"Scenario exported to: {path}\n"
        assert load_scenario(path).completed_events
    elif title == "Controlling App Export":
        assert next(app["name"] for app in json.loads(names["json_output"])["apps"]) == "EmailApp"
    else:
        (log,) = json.loads(names["json_output"])["world_logs"]
        assert "Agent started scenario execution" in log
