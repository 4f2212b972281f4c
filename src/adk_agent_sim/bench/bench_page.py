"""Renders the report of a bench as one page of HTML, which loads nothing and works without a network.

All texts come from scenarios, agents and judges: the templates escape them, and the page's content policy allows only
its own style and script, by their hashes. The page's length is linear in the number of runs.
"""

from __future__ import annotations

from adk_agent_sim.bench import figure_text
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.matrix_data import build_matrix, make_report_link
from adk_agent_sim.text.page_templates import load_template


def render_bench_page(summary: BenchSummary, name: str) -> str:
    """Return the page.

    Args:
        summary: The outcome of the bench.
        name: What the bench is called, such as the name of its folder.
    """
    return load_template("bench", "bench_report.html.j2").render(
        name=name,
        summary=summary,
        matrix=build_matrix(summary),
        attempt_numbers=sorted({point.k for each in summary.variants for point in each.overall.attempts}),
        make_report_link=make_report_link,
        outcome_names=figure_text.OUTCOME_NAMES,
        format_count=figure_text.format_count,
        format_interval=figure_text.format_interval,
        format_number=figure_text.format_number,
        format_seconds=figure_text.format_seconds,
        format_share=figure_text.format_share,
        group_digits="{:,}".format,
        percent="{:.2%}".format,
    )
