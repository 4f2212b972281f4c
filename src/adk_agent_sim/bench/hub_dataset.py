"""Scenarios from a dataset of the Hugging Face Hub, and the results of a bench as such a dataset.

A dataset such as Gaia2 has one scenario per row, as text in the column `data`. The rows of a split are written to a
JSON Lines file in the folder of the bench, which is then read like any other: a resumed bench has the same scenarios,
also without a network. The library `datasets` has its own cache and progress bar for downloads.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import InvalidBench
from adk_agent_sim.timeline.atomic_files import atomic_write, atomic_write_text

DATASET_NAME = "dataset.jsonl"
"""The file in the folder of the bench that has the rows."""

HUB_NAME = "hub"
"""The folder in that of the bench that has the results as a dataset."""

_COLUMN = "data"

_README = """---
configs:
- config_name: default
  data_files:
  - split: results
    path: data/results.jsonl
---
# Results of `adksim bench`

One row per run: scenario, agent, model, player, rules, seed, run, outcome, passed, reason, tokens, calls and times.
"""


def download_split(folder: Path, dataset: str, split: str, config: str | None = None) -> Path:
    """Write the scenarios of a split into the folder of a bench, unless they are there, and return the file.

    Args:
        folder: The folder of the bench.
        dataset: The name of a dataset on the Hub, or a local folder in the Hub's layout.
        split: The split, such as `validation`.
        config: The configuration, if the dataset has several.

    Raises:
        InvalidBench: The library is missing, or the dataset cannot be loaded or has no scenarios.
    """
    path = folder / DATASET_NAME
    if path.exists():
        return path
    rows = _load_split(dataset, split, config)
    names = [str(each) for each in rows.column_names]
    if _COLUMN not in names:
        raise InvalidBench(
            f"The dataset {dataset} has no scenarios: its rows need the column {_COLUMN!r}, "
            f"and have {', '.join(names)}."
        )
    with atomic_write(path) as file:
        for row in rows:
            file.write(json.dumps({_COLUMN: cast("dict[str, Any]", row)[_COLUMN]}) + "\n")
    return path


def write_hub_results(folder: Path) -> Path:
    """Write the results of a bench as a dataset in the Hub's layout, and return its folder."""
    hub = folder / HUB_NAME
    atomic_write_text(hub / "data" / "results.jsonl", (folder / "results.jsonl").read_text(encoding="utf-8"))
    atomic_write_text(hub / "README.md", _README)
    return hub


def _load_split(dataset: str, split: str, config: str | None) -> Any:
    try:
        datasets: Any = import_module("datasets")
    except ImportError as error:
        raise InvalidBench(
            "--hf needs the package datasets: install it with `pip install 'adk-agent-sim[hf]'`."
        ) from error
    try:
        return datasets.load_dataset(dataset, config, split=split)
    except Exception as error:  # whatever the library raises: no network, no such dataset, configuration or split
        reason = " ".join(str(error).split())[:300].rstrip(".")
        raise InvalidBench(
            f"The dataset {dataset} cannot be loaded: {type(error).__name__}: {reason}. "
            "Check its name, --hf-split and --hf-config."
        ) from error
