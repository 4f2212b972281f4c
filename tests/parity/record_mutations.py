"""Records what the real ARE package says about the traces of the judge's mutation test.

    python tests/parity/record_mutations.py ARE_PYTHON

Writes `tests/corpus/are/mutation_verdicts.jsonl`: per trace its scenario, mutation, number and digest, and the verdicts
of the three judges, true, false, or the exception that the package raised.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from judge_corpus import SOFT_JUDGES
from judge_mutations import MutatedTrace, list_mutated_traces
from parity.are_process import Are, RefusedByAre
from scenario_corpus import ARE_FOLDER, load_scenarios
from trace_mutations import MUTATIONS


def _list_by_scenario() -> list[MutatedTrace]:
    traces = [each for kind in MUTATIONS for each in list_mutated_traces(kind)]
    return sorted(traces, key=lambda each: each.scenario_id)


def main() -> None:
    """Judge all traces with the package."""
    are = Are(sys.argv[1], "are_judge_side.py")
    rows: list[str] = []
    for scenario_id, traces in groupby(_list_by_scenario(), key=lambda each: each.scenario_id):
        are.do_job("prepare", scenario=json.dumps(load_scenarios()[scenario_id]))
        for trace in traces:
            try:
                found = are.do_job("judge", events=trace.events)
            except RefusedByAre as error:
                found = {kind: {"raised": f"import: {error}"} for kind in SOFT_JUDGES}
            row: dict[str, Any] = {"scenario": scenario_id, "kind": trace.kind, "number": trace.number}
            verdicts = {kind: found[kind].get("passed", found[kind].get("raised")) for kind in SOFT_JUDGES}
            rows.append(json.dumps({**row, "digest": trace.digest, **verdicts}, separators=(",", ":")))
    are.close()
    (ARE_FOLDER / "mutation_verdicts.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(rows)} traces")


if __name__ == "__main__":
    main()
