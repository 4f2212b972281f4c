"""Findings about app states that their apps cannot use: values of another shape, and states that do not load."""

from __future__ import annotations

from collections.abc import Iterator

from adk_agent_sim.errors import InvalidAppState
from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.state_shape import find_shape_problems
from adk_agent_sim.scenario.apps.registry import find_app_class
from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedTrace


def check_states(trace: ExportedTrace) -> Iterator[LintFinding]:
    """Yield the findings about the states of all apps whose class is known."""
    for place, app in enumerate(trace.apps):
        app_class = find_app_class(app.class_name or app.name)
        if app_class is not None and app.app_state:
            yield from _check_state(("apps", place, "app_state"), app, app_class)


def _check_state(path: JsonPath, app: ExportedApp, app_class: type[App]) -> Iterator[LintFinding]:
    is_loadable = True
    for problem in find_shape_problems(app_class.state_shape, app.app_state):
        is_loadable = is_loadable and not problem.breaks_run
        yield LintFinding(
            code="state-shape",
            path=(*path, *problem.path),
            message=problem.message,
            advice=problem.advice,
            severity="error" if problem.breaks_run else "warning",
        )
    if not is_loadable:
        return
    try:
        app_class(app.name, state=app.app_state)
    except InvalidAppState as error:
        # Apps of other distributions may not describe the shape of their state.
        advice = "Export a scenario with this app to see the format"
        yield LintFinding(code="state-shape", path=path, message=error.reason, advice=advice)
