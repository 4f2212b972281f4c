import type { ActiveRun, BenchInfo, BenchResult } from "../api/types";

/** The runs of one agent in one scenario. */
export interface Cell {
  runs: BenchResult[];
  passed: number;
  judged: number;
  errored: number;
  /** How many are executed now, or wait to be executed again. */
  active: number;
}

/** What is known of a bench: the answers of the server, put together. */
export interface BenchState {
  info: BenchInfo;
  /** The last result of each run, by its id. */
  runs: Map<string, BenchResult>;
  cells: Map<number, Cell>;
}

/** Which of the runs of a cell it is. */
export function formatRun({ run, seed }: { run: number; seed: number }): string {
  return `run ${run}, seed ${seed}`;
}

/** Adds an answer to what was known; an answer of another generation replaces it. */
export function mergeBench(before: BenchState | null, info: BenchInfo): BenchState {
  const runs = before && before.info.generation === info.generation ? new Map(before.runs) : new Map();
  for (const run of info.runs) runs.set(run.run_id, run);
  return { info, runs, cells: buildCells(info, runs.values()) };
}

export function getCell(state: BenchState, scenario: number, variant: number): Cell | undefined {
  return state.cells.get(scenario * state.info.variants.length + variant);
}

/** Whether a run is in a column of the matrix. */
export function isOfVariant(run: Axes, { variant }: BenchInfo["variants"][number]): boolean {
  return getVariantKey(run) === getVariantKey(variant);
}

type Axes = BenchInfo["variants"][number]["variant"];

function getVariantKey({ agent, model, player, rules }: Axes): string {
  return JSON.stringify([agent, model, player, rules]);
}

function buildCells(info: BenchInfo, runs: Iterable<BenchResult>): Map<number, Cell> {
  const cells = new Map<number, Cell>();
  const rows = new Map(info.scenarios.map((scenario, index) => [scenario, index]));
  const columns = new Map(info.variants.map(({ variant }, index) => [getVariantKey(variant), index]));
  const place = (run: ActiveRun | BenchResult): Cell => {
    const [row, column] = [rows.get(run.scenario) ?? 0, columns.get(getVariantKey(run)) ?? 0];
    const index = row * info.variants.length + column;
    let cell = cells.get(index);
    if (!cell) {
      cell = { runs: [], passed: 0, judged: 0, errored: 0, active: 0 };
      cells.set(index, cell);
    }
    return cell;
  };
  for (const run of runs) {
    const cell = place(run);
    cell.runs.push(run);
    if (run.outcome === "passed") cell.passed += 1;
    if (run.outcome !== "not_judged") cell.judged += 1;
    if (run.outcome === "error" || run.outcome === "timeout") cell.errored += 1;
  }
  for (const run of [...info.running, ...info.requested]) place(run).active += 1;
  return cells;
}

/** The class for a cell's colour; the two ends are only for scenarios that always or never passed. */
export function getPassRateClass(cell: Cell): string {
  if (!cell.judged) return "heat-none";
  const rate = cell.passed / cell.judged;
  if (rate === 0) return "heat-0";
  if (rate === 1) return "heat-4";
  return rate < 0.34 ? "heat-1" : rate < 0.67 ? "heat-2" : "heat-3";
}

/** How many runs ended how, in words. */
export function countOutcomes(state: BenchState): {
  finished: number;
  passed: number;
  failed: number;
  errored: number;
} {
  const counts = { finished: 0, passed: 0, failed: 0, errored: 0 };
  for (const run of state.runs.values()) {
    counts.finished += 1;
    if (run.outcome === "passed") counts.passed += 1;
    else if (run.outcome === "failed") counts.failed += 1;
    else if (run.outcome !== "not_judged") counts.errored += 1;
  }
  return counts;
}
