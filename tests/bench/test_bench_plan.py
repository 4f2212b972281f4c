"""Plans of benches: axes, labels, seeds, filters, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bench_builders import build_result
from bench_folders import build_mail_scenario, build_test_plan, write_agent, write_scenarios

from adk_agent_sim.bench.bench_plan import BenchAxes, build_plan, derive_seed
from adk_agent_sim.bench.bench_task import check_out_folder, find_tasks, parse_filter
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.errors import InvalidBench, InvalidScenario


def test_a_plan_has_every_combination_in_order(tmp_path: Path) -> None:
    rules = tmp_path / "faults.yaml"
    rules.write_text("rules: []\n", encoding="utf-8")
    tasks = find_tasks([str(write_scenarios(tmp_path, 2))])
    plan = build_plan(
        tasks,
        BenchAxes(
            agents=("a", "b"), players=("oracle", "nothing"), rules=("none", str(rules)), seeds=(1, 2, 3), runs=2
        ),
    )
    assert len(plan) == 2 * 2 * 2 * 2 * 3 * 2
    assert len({run.key.model_dump_json() for run in plan.runs}) == len(plan)
    assert [run.index for run in plan.runs] == list(range(len(plan)))
    assert len({run.stem for run in plan.runs}) == len(plan)
    first, last = plan.runs[0], plan.runs[-1]
    assert first.key.model_dump(exclude={"run_id"}) == {
        "scenario": "mail_0", "agent": "a", "model": "", "player": "oracle", "rules": "none", "seed": 1, "run": 1,
    }  # fmt: skip
    assert (last.key.scenario, last.key.agent, last.key.rules, last.key.seed) == ("mail_1", "b", "faults.yaml", 3)
    assert (first.plan.rules, last.plan.rules) == (None, str(rules))
    assert [run.key.scenario for run in plan.runs] == sorted(run.key.scenario for run in plan.runs)


def test_runs_have_seeds_of_their_own_that_repeat(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), runs=4, seeds=(7, 8))
    seeds = [run.plan.options.seed for run in plan.runs]
    assert len(set(seeds)) == 8
    assert seeds[0] == 7
    assert [derive_seed(7, number) for number in range(1, 5)] == seeds[:4]
    assert [run.plan.options.run_number for run in plan.runs] == [1, 2, 3, 4] * 2
    assert [run.key.seed for run in plan.runs] == [7] * 4 + [8] * 4


def test_without_a_seed_each_scenario_has_its_own(tmp_path: Path) -> None:
    lines = [json.dumps(build_mail_scenario(number, seed=number + 40)) for number in range(2)]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [run.plan.options.seed for run in build_test_plan(path).runs] == [40, 41]


def test_agents_with_the_same_folder_name_have_different_labels(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name / "assistant", ()) for name in ("old", "new")]
    plan = build_test_plan(write_scenarios(tmp_path, 1), *folders, write_agent(tmp_path / "other", ()))
    assert [run.key.agent for run in plan.runs] == ["old/assistant", "new/assistant", "other"]


@pytest.mark.req("004/example-run-local")
def test_scenarios_with_the_same_id_have_different_labels(tmp_path: Path) -> None:
    text = json.dumps(build_mail_scenario(1))
    (tmp_path / "one.json").write_text(text, encoding="utf-8")
    (tmp_path / "many.jsonl").write_text(f"{text}\n\n{text}\n", encoding="utf-8")
    labels = [task.label for task in find_tasks([str(tmp_path)])]
    assert labels == ["mail_1 (many.jsonl:1)", "mail_1 (many.jsonl:3)", "mail_1 (one.json)"]


def test_paths_are_files_folders_and_patterns_each_once(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"s{number}.json").write_text(json.dumps(build_mail_scenario(number)), encoding="utf-8")
    paths = [str(tmp_path / "s1.json"), str(tmp_path / "s[12].json"), str(tmp_path)]
    assert [task.task_id for task in find_tasks(paths)] == ["mail_1", "mail_2", "mail_0"]


def _write_scenario_files(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        text = json.dumps(build_mail_scenario(number))
        (folder / f"{number}.json").write_text(text, encoding="utf-8")


def _write_bench(folder: Path) -> None:
    (folder / "runs").mkdir(parents=True)
    for name in ("plan.json", "runs/00001.json"):
        (folder / name).write_text("{}", encoding="utf-8")


def test_patterns_skip_earlier_benches_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write_scenario_files(tmp_path / "all" / "mails", 2)
    (tmp_path / "all" / "mails" / "test_config.json").write_text("{}", encoding="utf-8")
    _write_bench(tmp_path / "all" / "old")
    for pattern in ("all/**/*.json", "**/*.json", "a*/**/*.json", f"{tmp_path}/*/**/*.json", "all"):
        assert [task.task_id for task in find_tasks([pattern])] == ["mail_0", "mail_1"]
    _write_scenario_files(tmp_path / "all" / "old" / "runs", 1)
    chosen = find_tasks(["all/old/runs/0.jso?"])  # whoever names the folder of a bench wants its files
    assert [task.task_id for task in chosen] == ["mail_0"]


def test_results_are_not_written_where_scenarios_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write_scenario_files(tmp_path / "all" / "mails", 2)
    for path, out in (
        ("all/mails", "all/mails"),
        ("all", "all/mails"),
        (f"{tmp_path}/all/", "all"),
        ("all/**/*.json", "all"),
        ("*/mails/*.json", "all/mails"),
    ):
        with pytest.raises(InvalidBench, match=f"The results cannot be written to {out}, which {re.escape(path)} sea"):
            check_out_folder([path], Path(out))
    for path, out in (
        ("all/mails", "all"),
        ("all", "all/bench1"),
        ("**/*.json", "bench1"),
        ("all/mails/0.json", "all/mails"),
        ("all/mails/*.json", "all"),
    ):
        check_out_folder([path], Path(out))


def test_a_folder_may_have_criteria_and_earlier_benches(tmp_path: Path) -> None:
    scenarios = write_scenarios(tmp_path, 1)
    (tmp_path / "test_config.json").write_text('{"criteria": {}}', encoding="utf-8")
    with open_results(tmp_path / "benches" / "first", build_test_plan(scenarios)) as results:
        results.append([build_result(**results.list_remaining()[0].key.model_dump())])
    assert [task.task_id for task in find_tasks([str(tmp_path)])] == ["mail_0"]


def test_a_task_reads_its_own_scenario(tmp_path: Path) -> None:
    tasks = find_tasks([str(write_scenarios(tmp_path, 3))])
    assert [task.read_scenario().scenario_id for task in tasks] == ["mail_0", "mail_1", "mail_2"]
    assert [task.tags for task in tasks] == [("even",), ("odd",), ("even",)]


@pytest.mark.req("004/tags")
@pytest.mark.parametrize(
    ("filters", "limit", "expected"),
    [
        (["tag=odd"], None, [1, 3, 5]),
        (["tag=odd,even"], 2, [0, 1]),
        (["tag=e*", "id=mail_4"], None, [4]),
        (["id=mail_1,mail_2"], None, [1, 2]),
        ([], 1, [0]),
        (["tag=none"], None, []),
    ],
)
def test_filters_choose_scenarios(tmp_path: Path, filters: list[str], limit: int | None, expected: list[int]) -> None:
    chosen = parse_filter(filters, limit).select(find_tasks([str(write_scenarios(tmp_path, 6))]))
    assert [task.task_id for task in chosen] == [f"mail_{number}" for number in expected]


@pytest.mark.parametrize("text", ["tag", "tag=", "name=x", "=x", "tag=,"])
def test_a_wrong_filter_is_refused(text: str) -> None:
    with pytest.raises(InvalidBench, match="write tag=NAME or id=NAME"):
        parse_filter([text])


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (BenchAxes(agents=("a", "a")), "The agent .* is given 2 times"),
        (BenchAxes(agents=("a", "./a")), "The agent .* is given 2 times"),
        (BenchAxes(players=("oracle", "oracle")), "The player oracle is given 2 times"),
        (BenchAxes(seeds=(1, 1)), "The seed 1 is given 2 times"),
        (BenchAxes(models=("m",), players=("oracle",)), "--model and --player exclude each other"),
        (BenchAxes(players=("real", "record:x")), "record:x cannot be used in a bench.* With --timeline, each run"),
        (BenchAxes(players=("human",)), "human cannot be used in a bench.*adksim scenario run --player human"),
        (BenchAxes(players=("script:nowhere.yaml",)), "nowhere.yaml cannot be read"),
        (BenchAxes(rules=("nowhere.yaml",)), "nowhere.yaml cannot be read"),
        (BenchAxes(agents=()), "give at least one --agent"),
    ],
)
def test_axes_that_make_no_plan_are_refused(tmp_path: Path, axes: BenchAxes, message: str) -> None:
    tasks = find_tasks([str(write_scenarios(tmp_path, 1))])
    with pytest.raises(InvalidBench, match=message):
        build_plan(tasks, axes)


def test_no_tasks_and_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidBench, match="There is nothing to run"):
        build_plan([], BenchAxes())
    with pytest.raises(InvalidBench, match="as a pattern it finds nothing"):
        find_tasks([str(tmp_path / "*.json")])
    (tmp_path / "wrong.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InvalidScenario, match=r"wrong\.json"):
        find_tasks([str(tmp_path)])


def test_plans_differ_if_anything_that_matters_does(tmp_path: Path) -> None:
    scenarios = write_scenarios(tmp_path, 2)
    plans = [
        build_test_plan(scenarios),
        build_test_plan(scenarios, runs=2),
        build_test_plan(scenarios, seeds=(5,)),
        build_test_plan(scenarios, players=("oracle",)),
        build_test_plan(scenarios, tmp_path / "agent"),
        build_test_plan(scenarios, report=True),
    ]
    scenarios.write_text(scenarios.read_text(encoding="utf-8").replace("mail 1", "mail one"), encoding="utf-8")
    plans.append(build_test_plan(scenarios))
    assert len({plan.plan_id for plan in plans}) == len(plans)
    assert build_test_plan(scenarios).plan_id == plans[-1].plan_id
