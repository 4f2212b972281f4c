"""`adksim env`: text and JSON output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner, Result
from google.adk.agents import LlmAgent

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_demo_app
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.environment.rules_file import check_rules_text, load_rules, parse_rules
from adk_agent_sim.environment.rules_schema import build_rules_schema
from adk_agent_sim.timeline.history import ToolError, ToolOutput

_ROOT = Path(__file__).parents[2]
_WRONG = _ROOT / "tests" / "environment" / "wrong"


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["env", *map(str, arguments)])


@pytest.fixture
def valid_file(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text("rules: [{match: {tool: search_products, args: {query: x}}, do: {respond: {products: []}}}]")
    return file


def test_check_reports_that_valid_rules_have_no_problems(valid_file: Path) -> None:
    result = _run("check", valid_file)

    assert (result.exit_code, result.output) == (0, f"{valid_file}: 1 rules, no problems\n")


def test_check_prints_file_line_and_advice_for_all_files(valid_file: Path) -> None:
    wrong = _WRONG / "unknown-key.yaml"

    result = _run("check", valid_file, wrong, _WRONG / "bad-delay.yaml")

    assert result.exit_code == 1
    assert f"{wrong}:4: error[unknown-key] rules[0].match.arg: 'arg' is not known here. Write 'args'" in result.output
    assert "error[bad-delay]" in result.output


def test_check_prints_json() -> None:
    result = _run("check", "--json", _WRONG / "bad-probability.yaml")

    (finding,) = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (finding["code"], finding["line"], finding["path"]) == ("bad-probability", 4, "rules[0].match.probability")


def test_check_compares_with_the_tools_of_an_agent(valid_file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "rules:\n  - match: {tool: serch_products}\n    do: pass\n"
        "  - match: {tool: transfer_to_agent, agent: refund_agent}\n    do: pass\n"
        "  - match: {tool: get_*, args: {order: x}}\n    do: pass\n"
    )
    shop = get_demo_folder("shop_agent")

    assert _run("check", valid_file, "--agent", shop).exit_code == 0
    assert _run("check", valid_file, "--agent", get_demo_folder("math_agent")).exit_code == 1
    lines = _run("check", wrong, "--agent", shop).output.splitlines()
    assert len(lines) == 2
    assert "wrong.yaml:2: error[unknown-tool]" in lines[0]
    assert "Write 'search_products' instead" in lines[0]
    assert "wrong.yaml:6: error[unknown-argument]" in lines[1]
    assert "Write 'order_id' instead" in lines[1]


def test_check_finds_models_that_are_unknown_or_have_no_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "rules.yaml"
    file.write_text(
        "rules:\n  - match: {tool: a}\n    do: {mock: llm, model: gemnii-flash}\n  - match: {tool: b}\n"
        "    do: {mock: llm}\n  - match: {tool: c}\n    do: {mock: llm, model: gone, answers: c.json}\n"
    )

    unknown, missing = _run("check", file).output.splitlines()
    monkeypatch.setenv("GOOGLE_API_KEY", "x")
    (still_unknown,) = _run("check", file).output.splitlines()
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.delenv("GOOGLE_API_KEY")
    _, no_project = _run("check", file).output.splitlines()

    assert "rules.yaml:3: error[unknown-model] rules[0].do[0].model: ADK knows no model 'gemnii-flash'" in unknown
    assert "rules.yaml:5: warning[missing-credentials]" in missing
    assert "gemini-flash-latest cannot be asked here: neither GOOGLE_API_KEY nor GEMINI_API_KEY is set" in missing
    assert still_unknown == unknown
    assert "GOOGLE_CLOUD_PROJECT is not set" in no_project


def test_the_schema_in_the_documentation_is_the_one_that_is_printed() -> None:
    assert _run("schema").stdout == (_ROOT / "docs" / "environment.schema.json").read_text(encoding="utf-8")


def test_the_schema_takes_what_the_loader_takes_and_refuses_typos(valid_file: Path) -> None:
    schema = json.loads(_run("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator: Any = jsonschema.Draft202012Validator(schema)
    actions = [
        "pass",
        ["stale", {"drop": "a"}],
        {"raise": "ValueError"},
        {"raise": {"type": "ValueError", "message": "m"}},
        {"delay": {"uniform": [1, 2]}},
        {"mutate": [{"op": "move", "from": "/a", "path": "/b"}]},
    ]
    for do in actions:
        value: dict[str, Any] = {
            "rules": [
                {"match": {"tool": ["a", "b*"], "args": {"x": 1, "y": {"min": 2}}, "after": "a called"}, "do": do}
            ]
        }
        assert validator.is_valid(value)
        assert parse_rules(json.dumps(value))
    for wrong in (
        *("unknown-key", "missing-key", "unknown-action", "bad-probability", "bad-delay"),
        *("unknown-operator", "two-actions"),
    ):
        value = yaml.safe_load((_WRONG / f"{wrong}.yaml").read_text())
        assert not validator.is_valid(value), wrong


_MATCH_KEYS: dict[str, list[Any]] = {
    "args": [
        {"a": 1},
        {"a.*.b": {"any": {"not": None}}},
        {"a": {"contains": [1]}},
        {},
        {"": 1},
        {"a": {"regexp": "x"}},
    ],
    "exactly": [True, "{{vars.yes}}", 1],
    "agent": ["x", ["x", "y*"], [], ""],
    "state": [{"user:a": {"min": 1, "max": 2.5}}, {}, {"a": {"min": None}}],
    "after": [
        "a called",
        ["a failed", {"tool": "a"}],
        {"tool": ["a"], "same": "x", "args": {"b": 1}},
        "a",
        {"same": "x"},
    ],
    "call": [
        {"nth": [1, 2]},
        {"first": "{{vars.n}}", "per": ["a", "b"], "within": 0.5},
        {"per": "a"},
        {},
        {"within": 0},
    ],
    "during": [{"from": 1}, {"to": 2, "every": 9.5}, {}, {"every": 1}, {"from": -1}],
    "probability": [0.5, "{{vars.p}}", 2, "0.5"],
    "burst": [2, 1, True],
    "seed": [3, None, "x"],
}
_DO: list[Any] = [
    "pass",
    ["stale", {"drop": ["a.*", "b"]}],
    {"respond": {"a": "{{args.a}}"}},
    {"error": {"code": "{{vars.n}}", "message": "m"}},
    {"error": {"code": "5", "message": "m"}},
    {"raise": {"type": "ValueError"}},
    {"delay": {"uniform": [0, 1]}},
    {"delay": {}},
    {"delay": {"uniform": [0, 1], "lognormal": {"median": 1, "sigma": 1}}},
    {"timeout": "{{vars.n}}"},
    {"mutate": [{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/a"}]},
    {"mutate": [{"op": "add", "path": "/a"}]},
    {"mutate": [{"op": "copy", "path": "/a", "value": 1}]},
    {"truncate": {"chars": 1}},
    {"truncate": {}},
    {"drop": []},
    {"drop": ""},
    {"delay": 1, "respond": 2},
    [],
]


@pytest.mark.parametrize(
    ("key", "value"),
    [*((key, value) for key, values in _MATCH_KEYS.items() for value in values), *(("do", value) for value in _DO)],
)
def test_the_schema_takes_exactly_what_the_loader_takes(key: str, value: Any) -> None:
    validator: Any = jsonschema.Draft202012Validator(build_rules_schema())
    match: dict[str, Any] = {"tool": "x", "probability": 0.5} if key == "burst" else {"tool": "x"}
    rule = {"match": match, "do": value} if key == "do" else {"match": {**match, key: value}, "do": "pass"}
    document = {"variables": {"yes": True, "n": 3, "p": 0.25}, "rules": [rule]}
    findings = check_rules_text(json.dumps(document)).findings

    assert validator.is_valid(document) is not any(each.severity == "error" for each in findings)


@pytest.mark.parametrize(
    "match",
    [
        *[
            {},
            {"agent": "x", "probability": "{{vars.p}}", "burst": 2},
            {"call": {"first": 2}, "state": {"a": {"min": 1}}},
        ],
        *[{"during": {"to": 5}, "after": "a called"}, {"tool": "x"}, {"args": {"a": 1}}, {"{{vars.agent}}": "x"}],
        *[{"call": {}}, {"probability": 2}, {"burst": 2}, {"during": {}}, {"after": "a"}, {"state": {"a": {"gt": 1}}}],
    ],
)
def test_the_schema_of_a_rule_for_the_model_takes_what_the_loader_takes(match: dict[str, Any]) -> None:
    validator: Any = jsonschema.Draft202012Validator(build_rules_schema())
    document = {"variables": {"p": 0.5}, "rules": [{"seat": "model", "match": match, "do": "empty"}]}

    assert validator.is_valid(document) is not bool(check_rules_text(json.dumps(document)).errors)


def test_the_schema_refuses_conditions_that_the_loader_refuses() -> None:
    validator: Any = jsonschema.Draft202012Validator(json.loads(_run("schema").stdout))
    values: dict[str, Any] = {"plain": 1, "note": {"note": 1}, "range": {"min": 1, "max": 2}, "empty": {}}
    refused: list[Any] = [{"min": 1, "x": 2}, {"regexp": "a"}, {"gt": 1}, {"min": None}, {"any_of": []}]

    def build(value: Any, name: str = "a") -> dict[str, Any]:
        return {"rules": [{"match": {"tool": "x", "args": {name: value}}, "do": "pass"}]}

    for value in values.values():
        assert validator.is_valid(build(value))
        assert check_rules_text(json.dumps(build(value))).findings == []
    for value in refused:
        assert not validator.is_valid(build(value))
        assert check_rules_text(json.dumps(build(value))).findings != []
    assert not validator.is_valid(build(1, name=""))


async def test_recorded_values_that_yaml_reads_differently_are_matched_as_they_were(tmp_path: Path) -> None:
    def echo(values: list[Any], price: float) -> dict[str, Any]:
        """Echo."""
        return {"values": values}

    values = ["1e3", "0o17", "007", "yes", ".5", "1_000", {"regexp": "x"}]
    agent = LlmAgent(name="echoing", model="m", tools=[echo])
    async with Simulation(agent) as sim:
        turn = await sim.send("go")
        turn = await turn.call("echo", {"values": values, "price": 50})
        turn = await turn.call("echo", {"values": values, "price": 50.0})
        await turn.respond("done")
        await sim.export_jsonl(tmp_path / "trace.jsonl")
    file = tmp_path / "rules.yaml"
    file.write_text(_run("from-trace", tmp_path / "trace.jsonl").stdout)

    assert _run("check", file).output == f"{file}: 1 rules, no problems\n"
    (rule,) = load_rules(file).rules
    assert rule.match.args["values"].equals == values


def test_check_finds_an_agent_without_the_tool(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("rules: [{match: {tool: search_products, agent: refund_agent}, do: pass}]")

    result = _run("check", file, "--agent", get_demo_folder("shop_agent"))

    assert result.exit_code == 1
    assert "error[missing-tool] rules[0].match.agent: the agent 'refund_agent' has no tool 'search" in result.output


async def _record_session(folder: Path) -> Path:
    async with Simulation(math_app) as sim:
        turn = await sim.send("go")
        turn = await turn.calls([("add", {"a": 1, "b": 2}), ("divide", {"dividend": 1, "divisor": 0})])
        turn = await turn.call("add", {"a": 1, "b": 2})
        await turn.respond("done")
        sim.export(folder / "trace.evalset.json")
        await sim.export_jsonl(folder / "trace.jsonl")
        return folder


@pytest.mark.parametrize("name", ["trace.evalset.json", "trace.jsonl"])
async def test_rules_from_a_trace_answer_as_the_trace_did(tmp_path: Path, name: str) -> None:
    trace = await _record_session(tmp_path) / name
    file = tmp_path / "rules.yaml"
    file.write_text(_run("from-trace", trace).stdout)

    def add(a: int, b: int) -> int:
        """Add."""
        raise AssertionError("the real tool must not run")

    def divide(dividend: float, divisor: float) -> float:
        """Divide."""
        raise AssertionError("the real tool must not run")

    async with Simulation(LlmAgent(name="math", model="m", tools=[add, divide]), environment=load_rules(file)) as sim:
        turn = await sim.send("go")
        turn = await turn.calls([("divide", {"dividend": 1, "divisor": 0}), ("add", {"a": 1, "b": 2})])
        turn = await turn.call("add", {"a": 7, "b": 7})
        await turn.respond("done")

        results = [entry for entry in sim.history() if isinstance(entry, ToolOutput | ToolError)]
        assert [entry.response for entry in results if isinstance(entry, ToolOutput)] == [{"result": 3}]
        failed = [entry.error_type for entry in results if isinstance(entry, ToolError)]
        assert failed == ["ZeroDivisionError", "RealToolRefused"]


async def test_results_that_differ_are_given_in_their_order(tmp_path: Path) -> None:
    count = 0

    def poll(filter: dict[str, Any]) -> dict[str, int]:  # noqa: A002 - as users name arguments
        """Poll."""
        nonlocal count
        count += 1
        return {"count": min(count, 2)}

    async with Simulation(LlmAgent(name="poller", model="m", tools=[poll])) as sim:
        turn = await sim.send("go")
        for _ in range(3):
            turn = await turn.call("poll", {"filter": {"min": 1}})
        await turn.respond("done")
        await sim.export_jsonl(tmp_path / "trace.jsonl")

    rules = json.loads(_run("from-trace", "--json", tmp_path / "trace.jsonl").stdout)

    assert [rule["match"]["call"]["nth"] for rule in rules["rules"]] == [1, 2, 3]
    assert [rule["do"]["respond"]["count"] for rule in rules["rules"]] == [1, 2, 2]
    assert rules["rules"][0]["match"]["args"] == {"filter": {"equals": {"min": 1}}}
    parse_rules(json.dumps(rules))


def test_a_file_that_is_not_a_trace_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("[1")
    result = _run("from-trace", tmp_path / "no.json")

    assert result.exit_code == 1
    assert "neither an EvalSet, a session, nor a timeline" in result.output


async def test_the_report_of_a_recorded_session(tmp_path: Path) -> None:
    rules = parse_rules(
        "rules: [{name: hit, match: {tool: add, args: {a: 1}}, do: {respond: 9}},"
        "{name: never, match: {tool: add, args: {a: 5}}, do: {respond: 9}}]"
    )
    async with Simulation(load_demo_app("math_agent"), environment=rules) as sim:
        turn = await sim.send("go")
        turn = await turn.calls(
            [("add", {"a": 1, "b": 2}), ("add", {"a": 2, "b": 2}), ("divide", {"dividend": 4, "divisor": 2})]
        )
        await turn.respond("done")
        await sim.export_jsonl(tmp_path / "session.jsonl")

    assert _run("report", tmp_path / "session.jsonl").output.splitlines() == [
        "add: 2 calls, 1 real, 1 simulated",
        "  1 by hit",
        "  1 ran for real although rules name the tool",
        "divide: 1 calls, 1 real, 0 simulated",
        "rules never used: never",
        "what the rules did:",
        "  tool  rule   tried  fired  otherwise",
        "  add   hit        2      1  1 arguments",
        "  add   never      1      0  1 arguments, 1 not reached",
        "calls that no rule answered, and the rule that came closest:",
        "  1 of add, hit: a is 2, not 1",
    ]
    assert json.loads(_run("report", "--json", tmp_path / "session.jsonl").stdout)["unused"] == ["never"]


_PROFILES = """
profile: nine
profiles: {nine: [nine], ten: [ten]}
rules:
  - {name: nine, match: {tool: add}, do: {respond: {result: 9}}}
  - {name: ten, match: {tool: add}, do: {respond: {result: 10}}}
"""


def test_a_profile_is_chosen_by_option_by_variable_or_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.yaml").write_text(_PROFILES)
    (tmp_path / "script.yaml").write_text(
        "steps: [{user: go}, {call: add, args: {a: 1, b: 1}, expect: 9}, {respond: x}]"
    )
    arguments = ["run", str(get_demo_folder("math_agent")), "--script", str(tmp_path / "script.yaml")]
    with_rules = [*arguments, "--rules", str(tmp_path / "rules.yaml")]

    def play(*options: str) -> int:
        return CliRunner().invoke(adksim, [*with_rules, *options]).exit_code

    assert play() == 0
    assert play("--profile", "ten") == 1
    monkeypatch.setenv("ADK_SIM_PROFILE", "ten")
    assert play() == 1
    assert play("--profile", "nine") == 0
    refused = CliRunner().invoke(adksim, [*with_rules, "--profile", "eleven"])
    assert refused.exit_code == 1
    assert "There is no profile 'eleven'. The profiles are: nine, ten." in refused.output
    assert CliRunner().invoke(adksim, [*arguments, "--profile", "ten"]).exit_code == 2
    monkeypatch.setenv("ADK_SIM_PROFILE", "eleven")
    assert "no profile 'eleven'" in CliRunner().invoke(adksim, with_rules).output
    (tmp_path / "rules.yaml").write_text("rules: [{match: {tool: add}, do: {respond: {result: 9}}}]")
    assert play() == 0


def test_a_script_is_played_in_a_simulated_environment_and_the_report_ends_it(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules: [{name: nine, match: {tool: add}, do: {respond: {result: 9}}}]")
    (tmp_path / "script.yaml").write_text(
        "steps: [{user: go}, {call: add, args: {a: 1, b: 1}, expect: 9}, {respond: done}]"
    )
    arguments = ["run", str(get_demo_folder("math_agent")), "--script", str(tmp_path / "script.yaml")]
    arguments += ["--rules", str(tmp_path / "rules.yaml")]

    text = CliRunner().invoke(adksim, arguments)
    data = CliRunner().invoke(adksim, [*arguments, "--json"])

    assert text.exit_code == data.exit_code == 0, text.output
    assert "\nadd: 1 calls, 0 real, 1 simulated\n  1 by nine\nwhat the rules did:\n" in text.output
    assert json.loads(data.stdout)["environment"]["tools"][0]["simulated"] == {"nine": 1}
