"""What the agents of a bench have to do: a scenario or an eval case, by its place in a file, and how it is chosen.

Only ids, tags and seeds are read here. The rest of a scenario, which may have megabytes, is read by whoever runs it.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from adk_agent_sim.errors import InvalidBench
from adk_agent_sim.golden.eval_criteria import CONFIG_NAME, EvalCriteria
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import ScenarioRecord, find_scenario_files
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

if TYPE_CHECKING:
    from adk_agent_sim.golden.case_criteria import CaseCriteria

PLAN_NAME = "plan.json"
RUNS_NAME = "runs"
"""What the folder of a bench has."""

_FILTER_KEYS = ("tag", "id")
_MAX_NAMES = 50


@dataclass(frozen=True, kw_only=True)
class BenchTask:
    """One scenario or eval case."""

    kind: Literal["scenario", "eval_case"]

    task_id: str
    """The id in the file."""

    label: str
    """The name in results; the id, unless another task has the same."""

    file: str

    line: int | None = None
    """The line of a JSON Lines file, from 1; None if the file is the scenario."""

    offset: int = 0
    """Where its text begins in the file, in bytes; the place of an eval case among the others."""

    length: int = 0
    """How long its text is, in bytes."""

    digest: str = ""
    """Identifies the text, so that a bench is not resumed with another one."""

    tags: tuple[str, ...] = ()

    seed: int = 0
    """The scenario's own seed."""

    criteria: CaseCriteria | None = None
    """How an eval case is judged."""

    def read_scenario(self) -> ScenarioImportedFromJson:
        """Read the scenario.

        Raises:
            InvalidScenario: It is not a scenario; the message says where and why.
        """
        with Path(self.file).open("rb") as file:
            file.seek(self.offset)
            content = file.read(self.length)
        return ScenarioRecord(file=Path(self.file), content=content, line=self.line).read()


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Chooses tasks, as `--filter tag=Execution` and `--limit 10` say."""

    conditions: tuple[tuple[str, GlobSet], ...] = ()
    """All of them must be true."""

    limit: int | None = None

    def select(self, tasks: Iterable[BenchTask]) -> list[BenchTask]:
        """Return the chosen tasks, in their order."""
        return [task for task in tasks if self._matches(task)][: self.limit]

    def select_some(self, tasks: Iterable[BenchTask]) -> list[BenchTask]:
        """Return the chosen tasks, in their order.

        Raises:
            InvalidBench: No task has the tags or ids; the message lists those that there are.
        """
        given = list(tasks)
        found = self.select(given)
        if given and not found and self.conditions:
            has_tag = any(key == "tag" for key, _ in self.conditions)
            known = _list_tags(given) if has_tag else _list_names("ids", [task.task_id for task in given])
            raise InvalidBench(
                f"There is nothing to run: no scenario matches --filter{'' if has_tag else ' or --scenario'}. {known}"
            )
        return found

    def _matches(self, task: BenchTask) -> bool:
        values: Mapping[str, Sequence[str]] = {"tag": task.tags, "id": (task.task_id,)}
        return all(any(map(patterns.matches, values[key])) for key, patterns in self.conditions)


def _list_tags(tasks: Iterable[BenchTask]) -> str:
    tags = sorted({tag for task in tasks for tag in task.tags})
    return _list_names("tags", tags) if tags else "No scenario has a tag."


def _list_names(what: str, names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _MAX_NAMES else ""
    return f"The {what} are: {', '.join(names[:_MAX_NAMES])}{more}."


def parse_filter(texts: Iterable[str], limit: int | None = None) -> TaskFilter:
    """Parse filters such as `tag=Execution,Search` or `id=mail_*`; several must all be true.

    Raises:
        InvalidBench: A text is no filter.
    """
    conditions: list[tuple[str, GlobSet]] = []
    for text in texts:
        key, equals, value = text.partition("=")
        patterns = [each.strip() for each in value.split(",") if each.strip()]
        if key not in _FILTER_KEYS or not equals or not patterns:
            raise InvalidBench(f"The filter {text!r} cannot be used: write tag=NAME or id=NAME, with * for any text.")
        conditions.append((key, GlobSet(patterns)))
    return TaskFilter(conditions=tuple(conditions), limit=limit)


def find_tasks(paths: Sequence[str], criteria: EvalCriteria | None = None) -> list[BenchTask]:
    """Return the tasks of scenario files, folders, JSON Lines files, globs and EvalSets, each once.

    Args:
        paths: Where they are.
        criteria: How eval cases are judged; by default as the file beside their EvalSet says, or else as ADK does.

    Raises:
        InvalidBench: A path denotes nothing.
        InvalidScenario: A file cannot be read, or is neither a scenario nor an EvalSet.
        ImportRefused: An EvalSet cannot be read.
        InvalidCriteria: The criteria beside an EvalSet cannot be read.
    """
    files = dict.fromkeys(file for path in paths for file in _find_files(path))
    return _label_tasks([task for file in files for task in _list_tasks(file, criteria)])


def check_out_folder(paths: Sequence[str], folder: Path) -> None:
    """Refuse a folder of results in which scenarios are searched: it could not be resumed.

    Args:
        paths: Where the tasks are.
        folder: Where the results will be.

    Raises:
        InvalidBench: Searches skip folders of benches, and so would not find these tasks again.
    """
    out = folder.resolve()
    for path in paths:
        root = _find_search_root(path)
        if root is None or not out.is_relative_to(root.resolve()):
            continue
        if out == root.resolve() or any(file.is_relative_to(out) for file in _find_files(path)):
            raise InvalidBench(
                f"The results cannot be written to {folder}, which {path} searches for scenarios: folders with "
                "results of a bench are skipped there, so it could not be resumed. Choose another folder with --out."
            )


def find_paths(path: str) -> list[Path]:
    """Return the files and folders that a path or pattern denotes.

    Raises:
        InvalidBench: There are none.
    """
    if Path(path).exists():
        return [Path(path)]
    found = [Path(each) for each in sorted(glob.glob(path, recursive=True))]
    if not found:
        raise InvalidBench(
            f"There is no file or folder {path!r}, and as a pattern it finds nothing. Give scenario files, JSON Lines "
            "files, folders, EvalSets, or patterns in quotes."
        )
    return found


def _find_files(path: str) -> list[Path]:
    found = find_paths(path)
    files = [file for each in found for file in find_scenario_files(each)]
    root = _find_search_root(path)
    if root is not None:
        # There may also be the criteria of EvalSets, and benches of earlier days.
        files = [file for file in files if not _is_other_file(file, root)]
    return [file.resolve() for file in files]


def _find_search_root(path: str) -> Path | None:
    """Return the folder in which a path or pattern finds files; None if it is a file."""
    if Path(path).exists():
        return Path(path) if Path(path).is_dir() else None
    return Path(*takewhile(lambda part: not glob.has_magic(part), Path(path).parts))


def _is_other_file(file: Path, root: Path) -> bool:
    benches = [each for each in file.parents if each.is_relative_to(root) and is_bench_folder(each)]
    return file.name == CONFIG_NAME or bool(benches)


def is_bench_folder(folder: Path) -> bool:
    """Return whether a folder has the plan and the runs of a bench."""
    return (folder / PLAN_NAME).is_file() and (folder / RUNS_NAME).is_dir()


def _list_tasks(file: Path, criteria: EvalCriteria | None) -> list[BenchTask]:
    if detect_trace_kind(file) == "evalset":
        return _list_eval_cases(file, criteria)
    content = file.read_bytes()
    if file.suffix != ".jsonl":
        return [_read_task(ScenarioRecord(file=file, content=content), 0)]
    tasks: list[BenchTask] = []
    offset = 0
    for number, line in enumerate(content.splitlines(keepends=True), start=1):
        if line.strip():
            tasks.append(_read_task(ScenarioRecord(file=file, content=line.rstrip(b"\r\n"), line=number), offset))
        offset += len(line)
    return tasks


def _list_eval_cases(file: Path, criteria: EvalCriteria | None) -> list[BenchTask]:
    # These bring ADK along.
    from adk_agent_sim.golden.case_criteria import convert_criteria, read_case_criteria  # noqa: PLC0415
    from adk_agent_sim.golden.eval_set_files import read_eval_cases  # noqa: PLC0415

    case_criteria = read_case_criteria(file) if criteria is None else convert_criteria(criteria)
    return [
        BenchTask(
            kind="eval_case",
            task_id=case.eval_id,
            label=case.eval_id,
            file=str(file),
            offset=place,
            digest=_digest(case.model_dump_json().encode()),
            criteria=case_criteria,
        )
        for place, case in enumerate(read_eval_cases(file))
    ]


def _read_task(record: ScenarioRecord, offset: int) -> BenchTask:
    scenario_id, tags, seed = _read_definition(record)
    return BenchTask(
        kind="scenario",
        task_id=scenario_id,
        label=scenario_id,
        file=str(record.file),
        line=record.line,
        offset=offset,
        length=len(record.content),
        digest=_digest(record.content),
        tags=tags,
        seed=seed or 0,
    )


def _read_definition(record: ScenarioRecord) -> tuple[str, tuple[str, ...], int | None]:
    """Return the id, tags and seed of a scenario."""
    try:
        value = cast("dict[str, Any]", parse_json(record.content))
        definition = value["metadata"]["definition"]
        found = definition["scenario_id"], tuple(definition.get("tags") or ()), definition.get("seed")
    except (InvalidJson, AttributeError, KeyError, TypeError):
        found = None
    if found is None or not isinstance(found[0], str) or not isinstance(found[2], int | None):
        scenario = record.read()  # in another dialect, a row of a dataset, or wrong, which this explains
        return scenario.scenario_id, scenario.tags, scenario.seed
    return found[0], tuple(map(str, found[1])), found[2]


def _label_tasks(tasks: Sequence[BenchTask]) -> list[BenchTask]:
    """Give tasks of the same id different labels."""
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task.task_id] = counts.get(task.task_id, 0) + 1
    taken: dict[str, int] = {}
    labelled: list[BenchTask] = []
    for task in tasks:
        label = task.task_id
        if counts[label] > 1:
            place = Path(task.file).name + ("" if task.line is None else f":{task.line}")
            label = f"{task.task_id} ({place})"
        taken[label] = taken.get(label, 0) + 1
        if taken[label] > 1:
            label = f"{label} #{taken[label]}"
        labelled.append(replace(task, label=label))
    return labelled


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
