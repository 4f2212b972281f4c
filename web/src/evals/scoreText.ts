import type { MetricScore } from "../api/types";

const METRIC_LABELS: Record<string, string> = {
  tool_trajectory_avg_score: "calls",
  response_match_score: "response",
};

/** What people call a metric; the name in a test_config.json if we have none. */
export function describeMetric(name: string): string {
  return METRIC_LABELS[name] ?? name;
}

/** A score with two digits; never rounded up to a pass or to 1. */
export function formatScore(score: number | null): string {
  if (score === null) return "–";
  return score === 1 ? "1" : (Math.floor(score * 100) / 100).toFixed(2);
}

/** The scores of a case on one line; empty before a check. */
export function summarizeScores(metrics: readonly MetricScore[]): string {
  return metrics
    .filter((metric) => metric.score !== null)
    .map((metric) => `${describeMetric(metric.name)} ${formatScore(metric.score)}`)
    .join(" · ");
}

/** Whether a metric has failed. */
export function hasFailed(metrics: readonly MetricScore[]): boolean {
  return metrics.some((metric) => metric.is_passed === false);
}
