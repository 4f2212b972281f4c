"""Apps from entry points: each test installs a distribution and reads the registry in its own process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from polling import MAX_WAIT_SECONDS

pytestmark = pytest.mark.process

_DOCS = Path(__file__).parents[3] / "docs" / "apps.md"


def _read_documented_app() -> str:
    (text,) = re.findall(r"```python\n(.*?)```", _DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    return text


def _install(site: Path, code: str, *entries: str) -> None:
    """Write what an installer would: the module, and a dist-info directory with its entry points."""
    info = site / "thermostat_app-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "thermostat_app.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thermostat-app\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("\n".join(("[adk_agent_sim.apps]", *entries)), encoding="utf-8")


def _run(site: Path, code: str) -> str:
    script = f"import sys; sys.path[:0] = {[str(site), *sys.path]!r}\n{dedent(code)}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=MAX_WAIT_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_documented_app_is_found_linted_and_called(tmp_path: Path) -> None:
    _install(tmp_path, _read_documented_app(), "ThermostatApp = thermostat_app:ThermostatApp")
    output = _run(
        tmp_path,
        """
        import json
        from adk_agent_sim.scenario.app_base.tool_call import call_tool
        from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names
        from adk_agent_sim.scenario.app_base.app import AppContext, CallerRole
        from adk_agent_sim.scenario.format.lint import check_calls
        from adk_agent_sim.scenario.format.models import EventGraph
        from adk_agent_sim.scenario.format.models import ExportedTrace

        notified, logged = [], []
        world = AppContext(notify_agent=notified.append, record_call=logged.append)
        app = find_app_class("some.path.ThermostatApp")("Heating", world, {"celsius": 18.5, "room": "hall"})
        read = call_tool(app, "get_temperature", {}, caller=CallerRole.AGENT)
        call_tool(app, "set_temperature", {"celsius": 21.0}, caller=CallerRole.AGENT)
        wrong = call_tool(app, "set_temperature", {"celsius": "hot"}, caller=CallerRole.AGENT)
        event = call_tool(app, "set_temperature", {"celsius": 99.0}, caller=CallerRole.ENV)
        listed = [{"name": "Heating", "class_name": "ThermostatApp", "app_state": {}}]
        described = {"metadata": {"definition": {"scenario_id": "x"}}, "version": "are_simulation_v1", "apps": listed}
        trace = ExportedTrace.model_validate(described)
        print(json.dumps([
            read.text,
            app.state(),
            str(wrong.error),
            str(event.error),
            [each.text for each in notified],
            [
                [each.caller.upper(), each.operation, f"{each.app.name}__{each.function}", each.has_failed]
                for each in logged
            ],
            "ThermostatApp" in list_app_class_names(),
            [each.code for each in check_calls(trace, EventGraph(trace))],
        ]))
        """,
    )
    assert json.loads(output) == [
        "18.5",
        {"celsius": 21.0, "room": "hall"},
        "Argument 'celsius' must be of type <class 'float'>, got <class 'str'>",
        "Only 5 to 30 degrees are possible.",
        ["ThermostatApp: It is 99.0 degrees now"],
        [
            ["AGENT", "READ", "Heating__get_temperature", False],
            ["AGENT", "WRITE", "Heating__set_temperature", False],
            ["ENV", "READ", "Heating__set_temperature", True],
        ],
        True,
        [],
    ]


def test_a_distribution_cannot_replace_an_app_and_an_unknown_name_loads_nothing(tmp_path: Path) -> None:
    _install(tmp_path, "raise SystemExit('imported')", "SystemApp = thermostat_app:Anything")
    output = _run(
        tmp_path,
        """
        from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names
        print(find_app_class("SystemApp").__module__, find_app_class("thermostat_app"), find_app_class("os"))
        print(list_app_class_names().count("SystemApp"))
        """,
    )
    assert output.split() == ["adk_agent_sim.scenario.apps.system", "None", "None", "1"]


def test_an_app_that_does_not_load_is_an_error_that_names_its_distribution(tmp_path: Path) -> None:
    _install(tmp_path, "Number = 3", "Number = thermostat_app:Number", "Absent = thermostat_app:Absent")
    output = _run(
        tmp_path,
        """
        from adk_agent_sim.errors import AppLoadFailed
        from adk_agent_sim.scenario.apps.registry import find_app_class
        for name in ("Number", "Absent"):
            try:
                find_app_class(name)
            except AppLoadFailed as refused:
                print(refused)
        """,
    )
    first, second = output.splitlines()
    assert (
        "The app Number of thermostat-app 1.0 does not load: thermostat_app:Number is not a subclass of App." in first
    )
    assert "The app Absent of thermostat-app 1.0 does not load: AttributeError: " in second
