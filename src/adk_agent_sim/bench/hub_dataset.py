"""Scenarios from a dataset of the Hugging Face Hub, and the results of a bench as such a dataset.

A dataset such as Gaia2 has one scenario per row, as text in the column `data`. The rows of a split are written to a
JSON Lines file in the folder of the bench, which is then read like any other: a resumed bench has the same scenarios,
also without a network. The library `datasets` has its own cache and progress bar for downloads.

    DIR/dataset.json     which split it is; always written before the rows
    DIR/dataset.jsonl    the rows
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.bench.bench_task import PLAN_NAME
from adk_agent_sim.bench.failure_reasons import ReasonMask
from adk_agent_sim.bench.results_file import RESULTS_NAME, read_results
from adk_agent_sim.errors import BenchFolderRefused, InvalidBench
from adk_agent_sim.timeline.atomic_files import atomic_write, atomic_write_text
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

DATASET_NAME = "dataset.jsonl"
"""The file in the folder of the bench that has the rows."""

SOURCE_NAME = "dataset.json"
"""The file beside it that says which rows these are."""

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


@dataclass(frozen=True, kw_only=True)
class HubSplit:
    """Which rows of the Hub are run."""

    dataset: str
    """The name of a dataset on the Hub, or a local folder in the Hub's layout."""

    split: str
    """Such as `validation`."""

    config: str | None = None
    """The configuration, if the dataset has several."""

    def describe(self) -> dict[str, Any]:
        """Return what identifies the rows, as JSON; a local folder is identified wherever the bench is started."""
        local = Path(self.dataset)
        return asdict(self) | ({"dataset": str(local.resolve())} if local.is_dir() else {})


def download_split(folder: Path, source: HubSplit) -> Path:
    """Write the scenarios of a split into the folder of a bench, unless they are there, and return the file.

    Raises:
        InvalidBench: The library is missing, or the dataset cannot be loaded or has no scenarios.
        BenchFolderRefused: The folder has the plan of a bench of other scenarios, or rows of unknown origin.
    """
    path = folder / DATASET_NAME
    wanted, stored = source.describe(), _read_source(folder)
    if stored == wanted and path.exists():
        return path
    if stored != wanted and (folder / PLAN_NAME).exists():
        raise BenchFolderRefused(
            str(folder), "it has another plan, which differs in dataset", "Choose another folder with --out."
        )
    if stored is None and path.exists():
        raise BenchFolderRefused(
            str(folder),
            f"it has {DATASET_NAME} without {SOURCE_NAME}, which would say what that is",
            "Remove the file, or choose another folder with --out.",
        )
    rows = _load_split(source)
    names = [str(each) for each in rows.column_names]
    if _COLUMN not in names:
        raise InvalidBench(
            f"The dataset {source.dataset} has no scenarios: its rows need the column {_COLUMN!r}, "
            f"and have {', '.join(names)}."
        )
    # In this order, so that there are never rows beside the name of another dataset.
    path.unlink(missing_ok=True)
    atomic_write_text(folder / SOURCE_NAME, json.dumps(wanted, indent=2) + "\n")
    with atomic_write(path) as file:
        for row in rows:
            file.write(json.dumps({_COLUMN: cast("dict[str, Any]", row)[_COLUMN]}) + "\n")
    return path


def write_hub_results(folder: Path) -> Path:
    """Write the results of a bench as a dataset in the Hub's layout, and return its folder.

    It is published, so secrets are masked here too: results of an older version may contain some.
    """
    hub = folder / HUB_NAME
    mask = ReasonMask()
    with atomic_write(hub / "data" / RESULTS_NAME) as file:
        file.writelines(mask.mask(each).model_dump_json() + "\n" for each in read_results(folder / RESULTS_NAME))
    atomic_write_text(hub / "README.md", _README)
    return hub


def _read_source(folder: Path) -> dict[str, Any] | None:
    """Return what the rows of a folder are; None if that is not known."""
    try:
        return parse_json_object((folder / SOURCE_NAME).read_bytes())
    except (OSError, InvalidJson):
        return None


def _load_split(source: HubSplit) -> Any:
    try:
        datasets: Any = import_module("datasets")
    except ImportError as error:
        raise InvalidBench("--hf needs the package datasets: install it with `pip install 'datasets>=3'`.") from error
    try:
        return datasets.load_dataset(source.dataset, source.config, split=source.split)
    except Exception as error:  # whatever the library raises: no network, no such dataset, configuration or split
        reason = " ".join(str(error).split())[:300].rstrip(".")
        raise InvalidBench(
            f"The dataset {source.dataset} cannot be loaded: {type(error).__name__}: {reason}. "
            "Check its name, --hf-split and --hf-config."
        ) from error
