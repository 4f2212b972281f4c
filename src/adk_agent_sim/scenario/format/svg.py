"""SVG drawing of a scenario's events: a column per level, a box per event coloured by type, a line per dependency."""

from __future__ import annotations

from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import EventGraph
from adk_agent_sim.scenario.format.scenario_summary import format_call
from adk_agent_sim.text.page_templates import load_template

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 230, 56, 60, 18, 20


def render_svg(scenario: ScenarioImportedFromJson) -> str:
    """Return the drawing. Events that depend on a cycle are in the last column."""
    graph = EventGraph(scenario.trace)
    positions = _compute_positions(graph)
    return load_template("scenario", "scenario_graph.svg.j2").render(
        scenario_id=scenario.scenario_id,
        graph=graph,
        positions=positions,
        width=_WIDTH,
        height=_HEIGHT,
        size=(
            max((x for x, _ in positions.values()), default=0) + _WIDTH + _MARGIN,
            max((y for _, y in positions.values()), default=0) + _HEIGHT + _MARGIN,
        ),
        format_call=format_call,
        shorten=_shorten,
    )


def _compute_positions(graph: EventGraph) -> dict[str, tuple[int, int]]:
    last = max(graph.levels.values(), default=-1) + 1
    rows: dict[int, int] = {}
    positions: dict[str, tuple[int, int]] = {}
    for name in graph.events:
        column = graph.levels.get(name, last)
        row = rows.get(column, 0)
        rows[column] = row + 1
        positions[name] = (_MARGIN + column * (_WIDTH + _GAP_X), _MARGIN + row * (_HEIGHT + _GAP_Y))
    return positions


def _shorten(text: str) -> str:
    return text if len(text) <= 34 else f"...{text[-31:]}"
