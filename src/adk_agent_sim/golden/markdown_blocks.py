"""Renders arbitrary text in Markdown so that it is not interpreted as Markdown."""

from __future__ import annotations

import html
import json
import re

from adk_agent_sim.timeline.canonical_json import Json

_MAX_OPEN_LINES = 20
_MAX_OPEN_CHARACTERS = 1_500


def render_code_block(text: str, language: str = "") -> str:
    """Return a code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def render_json_block(value: Json) -> str:
    """Return a code block of a JSON value."""
    return render_code_block(json.dumps(value, indent=2, ensure_ascii=False), "json")


def render_collapsible(title: str, block: str) -> str:
    """Return a collapsed block with a title."""
    return f"<details><summary>{html.escape(title)}</summary>\n\n{block}\n\n</details>"


def render_titled_block(title: str, block: str) -> str:
    """Return a block with a title; a long block is collapsed."""
    lines = block.count("\n") - 1
    if lines > _MAX_OPEN_LINES or len(block) > _MAX_OPEN_CHARACTERS:
        return render_collapsible(f"{title}, {lines} line{'s' * (lines != 1)}", block)
    return f"{title}:\n\n{block}"


def render_inline_code(text: str) -> str:
    """Return inline code that is also valid inside a table."""
    flat = re.sub(r"\s+", " ", text).strip().replace("|", "\\|") or " "
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{space}{flat}{space}{ticks}"


def render_table(rows: list[tuple[str, str]]) -> str:
    """Return a table of names and values; the values are Markdown."""
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])
