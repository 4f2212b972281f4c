"""The examples in the documentation work."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from adk_agent_sim.adk.demo.math_agent.agent import app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.adk.script import play_script, read_script
from adk_agent_sim.adk.tool_catalog import build_tool_catalog
from adk_agent_sim.environment.actions import ACTIONS
from adk_agent_sim.environment.rule_match import OPERATORS, CallNumber, EarlierCall, Match, TimeWindow
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.rules_file import check_rules_file, check_rules_text
from adk_agent_sim.environment.yaml_document import YamlDocument

_DOCS = Path(__file__).parents[1] / "docs"


async def test_the_script_in_the_documentation_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (_DOCS / "scripts.md").read_text(encoding="utf-8"), flags=re.S)
    path = tmp_path / "script.yaml"
    path.write_text(text)

    assert await play_script(app, read_script(path)) == []


def _find_rules_examples() -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", (_DOCS / "environment.md").read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.parametrize("number", range(len(_find_rules_examples())))
async def test_every_example_of_rules_is_valid_for_the_agent_and_for_editors(number: int) -> None:
    text = _find_rules_examples()[number]
    schema = json.loads((_DOCS / "environment.schema.json").read_text(encoding="utf-8"))
    validator: Any = jsonschema.Draft202012Validator(schema)

    assert check_rules_text(text, catalog=await build_tool_catalog(shop_app)).findings == []
    assert [error.message for error in validator.iter_errors(YamlDocument(text).value)] == []


async def test_the_rules_in_the_documentation_do_what_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    rules = _find_rules_examples()[0]
    python, *_ = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    path = tmp_path / "rules.yaml"
    path.write_text(rules)
    checked = check_rules_file(path, catalog=await build_tool_catalog(shop_app))
    example: dict[str, Any] = {}
    exec(python, example)  # noqa: S102 - our own documentation

    assert checked.findings == []
    assert await example["play"](str(path)) == [{"products": [], "total": 0}]
    assert "1 by out of stock" in capsys.readouterr().out


def test_the_rules_in_python_and_the_line_for_adk_eval_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADK_SIM_RULES", raising=False)
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    _, objects, line, _ = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    example: dict[str, Any] = {"app": shop_app}
    exec(objects, example)  # noqa: S102 - our own documentation
    exec(line, example)  # noqa: S102 - as above

    assert (
        Rules.model_validate_json(example["rules"].model_dump_json(by_alias=True, exclude_unset=True))
        == example["rules"]
    )
    assert example["app"] is shop_app


def test_the_documentation_names_every_key_of_a_rule_and_every_action() -> None:
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    keys = {
        *Rules.model_fields,
        *Match.model_fields,
        *CallNumber.model_fields,
        *OPERATORS,
        *EarlierCall.model_fields,
        *(field.alias or name for name, field in TimeWindow.model_fields.items()),
        *ACTIONS,
    }

    assert {key for key in keys if f"`{key}" not in text and f"{key}:" not in text} == {"version"}


def test_the_documentation_lists_every_finding_of_the_check() -> None:
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    table = text[text.index("| finding | is |") :]
    findings = {file.stem for file in (Path(__file__).parent / "environment" / "wrong").glob("*.yaml")}

    assert set(re.findall(r"`([a-z]+-[a-z]+|unreadable)`", table)) == findings


def test_the_reference_names_every_key_and_operator() -> None:
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    reference = text[text.index("## Reference") :]
    keys = {
        *Rules.model_fields,
        *Rule.model_fields,
        *Match.model_fields,
        *CallNumber.model_fields,
        *EarlierCall.model_fields,
        *OPERATORS,
        *ACTIONS,
        *(field.alias or name for name, field in TimeWindow.model_fields.items()),
    }

    assert {key for key in keys if not re.search(rf"\b{key}\b\??(:| \||\n)", reference)} == set()


async def test_the_cassette_in_the_documentation_does_what_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ADK_SIM_CASSETTE", raising=False)
    monkeypatch.chdir(tmp_path)
    text = (_DOCS / "cassettes.md").read_text(encoding="utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    printed, _ = re.findall(r"```text\n(.*?)```", text, flags=re.S)
    example: dict[str, Any] = {"__name__": "example"}
    exec(python, example)  # noqa: S102 - our own documentation

    await example["main"]("desk.cassette.json")

    assert capsys.readouterr().out == printed
