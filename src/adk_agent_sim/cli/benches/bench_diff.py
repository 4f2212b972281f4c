"""`adksim bench diff`: compares two benches, and says whether the difference can be chance."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.errors import BenchesNotComparable
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_diff import BenchDiff, Change, VariantDiff

_MAX_PRINTED = 50
_MAX_REASON = 160
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("diff", short_help="Compare two benches: what got better or worse, and whether that can be chance.")
@click.argument("bench1", metavar="BENCH1", type=_FOLDER)
@click.argument("bench2", metavar="BENCH2", type=_FOLDER)
@click.option("--before", "before_name", metavar="AGENT", default="", help="Compare only this agent of BENCH1.")
@click.option("--after", "after_name", metavar="AGENT", default="", help="Compare only this agent of BENCH2.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level: a difference is significant if p is below it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON, with all scenarios.")
def diff_command(bench1: Path, bench2: Path, before_name: str, after_name: str, alpha: float, as_json: bool) -> None:
    """Compare the bench in folder BENCH2 with the one in BENCH1: what got better, what got worse, and is it chance?

    Agents of the same name are compared with each other, on the scenarios that both benches have judged runs of. If
    each bench has one agent, these are compared, whatever their names. Choose others with --before and --after;
    BENCH1 and BENCH2 may be the same folder.

    \b
    adksim bench scenarios/ --agent agents/old --runs 3 --out old
    adksim bench scenarios/ --agent agents/new --runs 3 --out new
    adksim bench diff old new
    adksim bench diff both both --before old --after new

    The test is paired, because scenarios differ in difficulty: McNemar's exact test with one run per scenario, and a
    permutation test of the differences of the scenarios' success rates with several. p is how probable a difference
    of at least this size is if neither is better. With several agents, p is adjusted by Holm's method. A difference
    that is not significant may still be real: more scenarios or runs would show it.

    Exits with 1 if an agent is significantly worse, with 3 if there is nothing to compare, and otherwise with 0: also
    if scenarios got worse, as long as that can be chance.
    """
    from adk_agent_sim.use_cases.benches import compare_benches

    try:
        diff = compare_benches(bench1, bench2, before_agent=before_name, after_agent=after_name, alpha=alpha)
    except BenchesNotComparable as error:
        raise NothingToCompare(str(error)) from error
    if as_json:
        print_json(diff.model_dump())
    else:
        _print_diff(diff)
    sys.exit(ExitCode.FAILED if diff.is_worse else ExitCode.OK)


def _print_diff(diff: BenchDiff) -> None:
    for number, each in enumerate(diff.variants):
        if number:
            print_line()
        for line in _iter_variant_lines(each, diff.alpha, is_adjusted=len(diff.variants) > 1):
            print_line(line)
    for name, scenarios in (("BENCH1", diff.only_before), ("BENCH2", diff.only_after)):
        if scenarios:
            print_line(style(f"{len(scenarios)} scenarios are only in {name}, such as {scenarios[0]}", fg="yellow"))


def _iter_variant_lines(diff: VariantDiff, alpha: float, *, is_adjusted: bool) -> Iterator[str]:
    from adk_agent_sim.bench.figure_text import format_number, format_seconds, format_share

    names = [diff.before_label] if diff.before_label == diff.after_label else [diff.before_label, diff.after_label]
    total = len(diff.scenarios)
    yield style(f"{' -> '.join(names)}, {total} scenario{'s' * (total != 1)}", bold=True)
    for change in ("worse", "better"):
        yield from _iter_change_lines(diff, change)
    counts = (f"{count} {change}" for change, count in diff.counts.items())
    yield f"scenarios: {', '.join(counts)}"
    rates = f"{format_share(diff.before.success.value)} -> {format_share(diff.after.success.value)}"
    yield f"success: {rates}, {diff.difference * 100:+.1f} points per scenario"
    for name, old, new, write in (
        ("tokens", diff.before.tokens, diff.after.tokens, format_number),
        ("model calls", diff.before.model_calls, diff.after.model_calls, format_number),
        ("tool calls", diff.before.tool_calls, diff.after.tool_calls, format_number),
        ("simulated time", diff.before.simulated_seconds, diff.after.simulated_seconds, format_seconds),
        ("wall time", diff.before.wall_seconds, diff.after.wall_seconds, format_seconds),
    ):
        if old.mean or new.mean:
            yield f"{name} per run: {write(old.mean)} -> {write(new.mean)}"
    yield _describe_test(diff, alpha, is_adjusted=is_adjusted)


def _iter_change_lines(diff: VariantDiff, change: Change) -> Iterator[str]:
    found = diff.list_scenarios(change)
    if change == "better":
        found.reverse()
    for each in found[:_MAX_PRINTED]:
        rates = f"{each.before[0]}/{each.before[1]} -> {each.after[0]}/{each.after[1]}"
        reason = f"  {each.reason[:_MAX_REASON]}" if change == "worse" and each.reason else ""
        yield style(f"  {change:<6}  {rates:<12}  {each.scenario}{reason}", fg="red" if change == "worse" else "green")
    if len(found) > _MAX_PRINTED:
        yield f"  ... and {len(found) - _MAX_PRINTED} more {change}; --json prints all"


def _describe_test(diff: VariantDiff, alpha: float, *, is_adjusted: bool) -> str:
    p_value = "p < 0.0001" if diff.p_value < 0.0001 else f"p = {diff.p_value:.4f}"
    adjusted = " (adjusted by Holm's method)" if is_adjusted else ""
    text = f"{diff.test.name}: {p_value}{adjusted}"
    if not diff.is_significant:
        return style(f"{text}: no significant difference at {alpha:g}")
    if diff.is_worse:
        return style(f"{text}: significantly worse at {alpha:g}", fg="red", bold=True)
    return style(f"{text}: significantly better at {alpha:g}", fg="green", bold=True)
