"""Summaries and comparisons of benches as JSON values, for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from adk_agent_sim.bench.bench_diff import BenchDiff, VariantDiff
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.run_group import RunGroup

_MEASURES = (
    "input_tokens",
    "output_tokens",
    "tokens",
    "model_calls",
    "tool_calls",
    "simulated_seconds",
    "wall_seconds",
)


def summary_to_json(summary: BenchSummary) -> dict[str, Any]:
    """Return the outcome of a bench, without the single runs, which are in its results file."""
    return {
        **_group_to_json(summary.overall),
        "planned": summary.planned,
        "variants": [
            {
                "label": each.label,
                **each.variant._asdict(),
                **_group_to_json(each.overall),
                "tags": {tag: _group_to_json(group) for tag, group in each.tags.items()},
            }
            for each in summary.variants
        ],
        "failures": [
            {
                "outcome": each.outcome,
                "reason": each.reason,
                "runs": each.total,
                "variants": dict(each.counts),
                "examples": [example.key.model_dump() for example in each.examples],
            }
            for each in summary.failures
        ],
    }


def diff_to_json(diff: BenchDiff, alpha: float) -> dict[str, Any]:
    """Return a comparison, with all scenarios.

    Args:
        diff: The comparison.
        alpha: The level of significance.
    """
    return {
        "alpha": alpha,
        "is_worse": any(each.is_worse(alpha) for each in diff.variants),
        "variants": [_variant_diff_to_json(each, alpha) for each in diff.variants],
        "only_before": list(diff.only_before),
        "only_after": list(diff.only_after),
    }


def _variant_diff_to_json(diff: VariantDiff, alpha: float) -> dict[str, Any]:
    return {
        "before_label": diff.before_label,
        "after_label": diff.after_label,
        "difference": diff.difference,
        "test": diff.test.name,
        "test_p_value": diff.test.p_value,
        "p_value": diff.p_value,
        "is_significant": diff.is_significant(alpha),
        "is_worse": diff.is_worse(alpha),
        "better": len(diff.list_scenarios("better")),
        "worse": len(diff.list_scenarios("worse")),
        "unchanged": len(diff.list_scenarios("unchanged")),
        "before": _group_to_json(diff.before),
        "after": _group_to_json(diff.after),
        "scenarios": [{**asdict(each), "change": each.change} for each in diff.scenarios],
    }


def _group_to_json(group: RunGroup) -> dict[str, Any]:
    return {
        "runs": group.runs,
        "scenarios": group.scenarios,
        "outcomes": dict(group.outcomes),
        "success_rate": group.success.value,
        "interval": [group.success.low, group.success.high] if group.success.total else None,
        "judged": group.success.total,
        "attempts": [
            {"k": each.k, "pass_at_k": each.any_passes, "pass_hat_k": each.all_pass, "scenarios": each.scenarios}
            for each in group.attempts
        ],
        **{name: asdict(getattr(group, name)) for name in _MEASURES},
    }
