"""SVG drawing of a scenario's events: a column per level, a box per event coloured by type, a line per dependency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import AnyEvent
from adk_agent_sim.scenario.format.scenario_summary import format_call

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 230, 56, 60, 18, 20
_COLOURS = {"USER": "#dbeafe", "ENV": "#dcfce7", "AGENT": "#fef3c7"}
_INVALID_XML_CHARACTERS = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_svg(scenario: ScenarioImportedFromJson) -> str:
    """Return the drawing. Events that depend on a cycle are in the last column."""
    graph = EventGraph(scenario.trace)
    positions = _compute_positions(graph)
    width = max((x for x, _ in positions.values()), default=0) + _WIDTH + _MARGIN
    height = max((y for _, y in positions.values()), default=0) + _HEIGHT + _MARGIN
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
            f"<title>{_escape_xml(scenario.scenario_id)}</title>",
            *_render_edges(graph, positions),
            *(_render_box(graph, name, *position) for name, position in positions.items()),
            "</svg>\n",
        ]
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


def _render_edges(graph: EventGraph, positions: dict[str, tuple[int, int]]) -> Iterator[str]:
    for name, parents in graph.parents.items():
        x, y = positions[name]
        for parent in parents:
            from_x, from_y = positions[parent][0] + _WIDTH, positions[parent][1] + _HEIGHT // 2
            to_y, half = y + _HEIGHT // 2, _GAP_X // 2
            path = f"M{from_x},{from_y} C{from_x + half},{from_y} {x - half},{to_y} {x},{to_y}"
            yield f'<path d="{path}" fill="none" stroke="#64748b"/>'


def _render_box(graph: EventGraph, name: str, x: int, y: int) -> str:
    event: AnyEvent = graph.events[name]
    seconds = f"+{graph.times[name] - graph.start:g} s" if name in graph.times else "never"
    called = format_call(event.action).partition("(")[0]
    colour = _COLOURS.get(event.event_type, "#f1f5f9")
    return (
        f"<g><title>{_escape_xml(name)}\n{_escape_xml(format_call(event.action))}</title>"
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="{colour}" stroke="#334155"/>'
        f'<text x="{x + 8}" y="{y + 18}" font-weight="bold">{_escape_xml(event.event_type[:20])} {seconds}</text>'
        f'<text x="{x + 8}" y="{y + 34}">{_escape_xml(_shorten(called))}</text>'
        f'<text x="{x + 8}" y="{y + 50}" fill="#475569">{_escape_xml(_shorten(name))}</text></g>'
    )


def _shorten(text: str) -> str:
    return text if len(text) <= 34 else f"...{text[-31:]}"


def _escape_xml(text: str) -> str:
    """Escape text for XML and replace characters that XML cannot represent."""
    return escape(_INVALID_XML_CHARACTERS.sub("\ufffd", text))
