"""`adksim env record`: real tools are recorded without secrets, and mocks are compared with them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from processes import invoke_adksim

from adk_agent_sim import Simulation
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.environment.rules_file import load_rules

_AGENT = '''
import itertools
from google.adk.agents import LlmAgent

_numbers = itertools.count(1)


def get_price(sku: str) -> dict:
    """Look up a price."""
    if sku == "none":
        raise LookupError("There is no such product.")
    return {"sku": sku, "price": next(_numbers), "currency": "EUR"}


def quote(sku: str) -> float:
    """Quote."""
    return 1.5


def place_order(sku: str, password: str) -> dict:
    """Order."""
    with open("orders.txt", "a") as file:
        file.write(sku)
    return {"order_id": "O-1", "api_key": "sk-live-0123456789abcdefghij"}


root_agent = LlmAgent(name="priced", model="gemini-2.5-flash", tools=[get_price, quote, place_order])
'''

_SCRIPT = """
steps:
  - user: Order a lamp.
  - call: get_price
    args: {sku: lamp}
  - call: get_price
    args: {sku: none}
  - call: quote
    args: {sku: lamp}
  - call: place_order
    args: {sku: lamp, password: "correct horse battery"}
  - respond: Done.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "priced").mkdir()
    (tmp_path / "priced" / "agent.py").write_text(_AGENT)
    (tmp_path / "script.yaml").write_text(_SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _record(*arguments: str | Path) -> Any:
    return invoke_adksim("env", "record", "--agent", "priced", *arguments)


async def _record_trace(folder: Path) -> Path:
    async with Simulation(load_app(folder / "priced")) as sim:
        turn = await sim.send("Order a lamp.")
        turn = await turn.call("get_price", {"sku": "lamp"})
        turn = await turn.call("quote", {"sku": "lamp"})
        turn = await turn.call("place_order", {"sku": "lamp", "password": "correct horse battery"})
        await turn.respond("Done.")
        await sim.export_jsonl(folder / "trace.jsonl")
    return folder / "trace.jsonl"


def test_real_tools_are_recorded_in_rules_that_answer_the_same_calls(folder: Path) -> None:
    recorded = _record("--script", "script.yaml", "--out", "rules.yaml")

    assert recorded.exit_code == 0, recorded.output
    assert recorded.stdout.splitlines() == [
        "rules.yaml: 4 calls, 4 rules",
        "  secrets were removed from 1 of the calls",
    ]
    text = (folder / "rules.yaml").read_text()
    assert "horse" not in text
    assert "sk-live" not in text
    rules = yaml.safe_load(text)
    assert rules["unanswered"] == "refuse"
    assert [rule["match"]["tool"] for rule in rules["rules"]] == ["get_price", "get_price", "quote", "place_order"]
    assert rules["rules"][1]["do"] == {"raise": {"type": "LookupError", "message": "There is no such product."}}
    assert rules["rules"][2]["do"] == {"respond": {"result": 1.5}}
    assert rules["rules"][3]["match"]["args"] == {"sku": "lamp", "password": {"present": True}}
    assert (folder / "orders.txt").read_text() == "lamp"
    assert invoke_adksim("env", "check", "rules.yaml", "--agent", "priced").exit_code == 0

    played = invoke_adksim("run", "priced", "--script", "script.yaml", "--rules", "rules.yaml", "--json")
    (folder / "played.evalset.json").unlink(missing_ok=True)
    report = json.loads(played.stdout)["environment"]
    assert {tool["tool"]: tool["real"] for tool in report["tools"]} == {"get_price": 0, "quote": 0, "place_order": 0}
    assert (folder / "orders.txt").read_text() == "lamp"


def test_calls_can_come_from_a_recording(folder: Path) -> None:
    asyncio.run(_record_trace(folder))
    recorded = _record("--trace", "trace.jsonl", "--out", "rules.yaml", "--json")

    assert recorded.exit_code == 0, recorded.output
    assert json.loads(recorded.stdout) == {"out": "rules.yaml", "calls": 3, "rules": 3, "redacted": 1}
    assert len(load_rules(folder / "rules.yaml").rules) == 3


_NESTED_AGENT = """
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool


def price(item: str) -> dict:
    \"\"\"Look up a price.\"\"\"
    return {"item": item, "price": 7}


helper = LlmAgent(name="helper", model="m", description="Helps.", tools=[price])
root_agent = LlmAgent(name="nested", model="m", tools=[AgentTool(helper), price])
"""


async def _record_nested_trace(folder: Path) -> None:
    async with Simulation(load_app(folder / "nested")) as sim:
        turn = await (await sim.send("hi")).call("helper", {"request": "the price of a lamp"})
        turn = await turn.call("price", {"item": "lamp"})
        turn = await (await turn.respond("It is 7.")).call("price", {"item": "desk"})
        await turn.respond("Done.")
        sim.export(folder / "trace.evalset.json")
        await sim.export_jsonl(folder / "trace.jsonl")


def _record_nested(*arguments: str) -> Any:
    return invoke_adksim("env", "record", "--agent", "nested", *arguments)


def test_an_agent_used_as_a_tool_gives_its_recorded_result_if_the_trace_lacks_its_decisions(folder: Path) -> None:
    (folder / "nested").mkdir()
    (folder / "nested" / "agent.py").write_text(_NESTED_AGENT)
    asyncio.run(_record_nested_trace(folder))

    from_case = _record_nested("--trace", "trace.evalset.json", "--out", "case.yaml")
    from_timeline = _record_nested("--trace", "trace.jsonl", "--out", "timeline.yaml")
    checked = _record_nested("--trace", "trace.evalset.json", "--check", "case.yaml", "--read-only", "price", "--json")

    assert from_case.exit_code == from_timeline.exit_code == checked.exit_code == 0, from_case.output + checked.output
    assert (folder / "case.yaml").read_text() == (folder / "timeline.yaml").read_text()
    rules = yaml.safe_load((folder / "case.yaml").read_text())["rules"]
    assert [rule["do"]["respond"] for rule in rules] == [{"result": "It is 7."}, {"item": "desk", "price": 7}]
    first, note = from_case.stdout.splitlines()
    assert first == "case.yaml: 2 calls, 2 rules"
    assert "agent 'helper' did not run: the recording has its result, but not its decisions" in note
    assert "A timeline has both" in note
    assert from_timeline.stdout == "timeline.yaml: 2 calls, 2 rules\n"
    assert "notes" not in json.loads(checked.stdout)  # a rule answered for the agent


def test_a_check_scores_the_shape_and_the_values_of_each_tool(folder: Path) -> None:
    (folder / "rules.yaml").write_text(
        "rules:\n"
        "  - {match: {tool: get_price, args: {sku: lamp}}, do: {respond: {sku: lamp, price: 0.5, name: Lamp}}}\n"
        "  - {match: {tool: get_price}, do: {raise: {type: LookupError, message: There is no such product.}}}\n"
        "  - {match: {tool: quote}, do: {respond: {result: 1.5}}}\n"
        "  - {match: {tool: place_order}, do: {respond: {order_id: O-7}}}\n"
    )
    checked = _record("--script", "script.yaml", "--check", "rules.yaml", "--read-only", "quo*", "--json")

    assert checked.exit_code == 1, checked.output
    report = json.loads(checked.stdout)
    price, quote = report["tools"]
    assert (price["tool"], price["calls"]) == ("get_price", 2)
    assert price["shape"] == pytest.approx((3 / 5 + 1) / 2)
    assert price["values"] == pytest.approx((1 / 4 + 1) / 2)
    assert price["differences"][1:] == [
        'currency: missing; really "EUR"',
        'name: "Lamp", which the real tool does not have',
    ]
    assert (quote["tool"], quote["shape"], quote["values"], quote["differences"]) == ("quote", 1.0, 1.0, [])
    assert report["not_compared"] == {"place_order": 1}
    assert not (folder / "orders.txt").exists()

    shown = _record("--script", "script.yaml", "--check", "rules.yaml").stdout.splitlines()
    assert shown[0] == "get_price: shape 0.80, values 0.62, 2 calls compared"
    assert shown[-2:] == [
        "place_order: 1 calls not compared, because the tool may change something",
        "quote: 1 calls not compared, because the tool may change something",
    ]


def test_mocks_that_agree_pass_and_a_check_that_compares_nothing_does_not(folder: Path) -> None:
    (folder / "rules.yaml").write_text("rules: [{match: {tool: quote}, do: {respond: {result: 1.5}}}]")

    agreed = _record("--script", "script.yaml", "--check", "rules.yaml", "--read-only", "quote")
    nothing = _record("--script", "script.yaml", "--check", "rules.yaml")

    assert (agreed.exit_code, agreed.stdout) == (0, "quote: shape 1.00, values 1.00, 1 calls compared\n")
    assert nothing.exit_code == 3
    assert "Nothing was compared" in nothing.output


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        ((), 2, "Give --out FILE to record, or --check FILE to compare."),
        (("--out", "a", "--check", "b"), 2, "Give --out FILE to record, or --check FILE to compare."),
        (("--out", "a", "--script", "b", "--trace", "c"), 2, "--script and --trace exclude each other."),
        (("--out", "a", "--read-only", "b"), 2, "--read-only needs --check"),
        (("--out", "a", "--case", "b"), 2, "--case needs --trace"),
        (("--out", "a", "--json"), 2, "--json needs --script or --trace"),
        (("--out", "a", "--trace", "no.jsonl"), 1, "there is no such file"),
        (("--check", "no.yaml", "--script", "script.yaml"), 1, "the file cannot be read"),
        (("--out", "a", "--script", "quiet.yaml"), 3, "No tool was called, so a was not written"),
        (("--out", "a", "--script", "wrong.yaml"), 1, "did not play as expected at step 2: call quote"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    folder: Path, arguments: tuple[str, ...], exit_code: int, message: str
) -> None:
    (folder / "quiet.yaml").write_text("steps: [{user: Hello}, {respond: Hi}]")
    (folder / "wrong.yaml").write_text("steps: [{user: Hello}, {call: quote, args: {sku: a}, expect: {result: 9}}]")

    result = _record(*arguments)

    assert (result.exit_code, message in result.output) == (exit_code, True), result.output
    assert not (folder / "a").exists()


@pytest.mark.usefixtures("folder")
def test_a_person_can_play() -> None:
    typed = "Hello\nquote sku=lamp\nsay Hi\n/done\n"
    played = CliRunner().invoke(adksim, ["env", "record", "--agent", "priced", "--out", "rules.yaml"], input=typed)

    assert played.exit_code == 0, played.output
    assert played.output.splitlines()[-1] == "rules.yaml: 1 calls, 1 rules"
