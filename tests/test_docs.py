"""The examples in the documentation work."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from judge_corpus import read_file
from pausing_agents import build_trip_app
from scenario_corpus import load_scenarios

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.demo.math_agent.agent import app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog
from adk_agent_sim.adk.steps.script import read_script
from adk_agent_sim.environment.actions import ACTIONS
from adk_agent_sim.environment.rules import OPERATORS, CallNumber, EarlierCall, Match, Rule, Rules, TimeWindow
from adk_agent_sim.environment.rules_file import check_rules_file, check_rules_text, parse_rules
from adk_agent_sim.environment.yaml_document import YamlDocument
from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.verdict.argument_checkers import CHECKERS
from adk_agent_sim.scenario.verdict.checker_table import SOFT
from adk_agent_sim.simulation.script_play import play_script

_ROOT = Path(__file__).parents[1]
_DOCS = _ROOT / "docs"
_PAGES = (*_ROOT.glob("*.md"), *_DOCS.glob("*.md"), _ROOT / "benchmarks" / "README.md")


def test_nothing_says_that_a_registry_has_this_project() -> None:
    folders, suffixes = (_ROOT / "src", _ROOT / "web" / "src"), (".py", ".ts", ".tsx")
    sources = [path for folder in folders for path in folder.rglob("*") if path.suffix in suffixes]
    texts = {path: path.read_text(encoding="utf-8") for path in (*_PAGES, *sources)}
    advice = re.compile(r"pip install[^`\n]*(?<![/\w])adk([-_]agent[-_])?sim\b|adk[-_]agent[-_]sim\[")

    assert len(texts) > 500
    assert [path for path, text in texts.items() if advice.search(text)] == []


async def test_the_script_in_the_documentation_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (_DOCS / "scripts.md").read_text(encoding="utf-8"), flags=re.S)
    path = tmp_path / "script.yaml"
    path.write_text(text)

    assert await play_script(app, read_script(path)) == []


def test_the_code_about_paused_agents_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (_DOCS / "pauses.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)

    exec(code, {"__name__": "example"})  # noqa: S102 - our own documentation

    printed = capsys.readouterr().out.splitlines()
    assert printed == ["Where to? ['city', 'nights']", "2 nights in Rome"]
    assert all(f"`{line}`" in page for line in printed)


async def test_the_script_about_paused_agents_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (_DOCS / "pauses.md").read_text(encoding="utf-8"), flags=re.S)
    path = tmp_path / "script.yaml"
    path.write_text(text)

    assert await play_script(build_trip_app(), read_script(path)) == []


async def test_the_script_in_the_documentation_that_plays_tools_passes(tmp_path: Path) -> None:
    page = (_DOCS / "scripts.md").read_text(encoding="utf-8")
    texts = dict(re.findall(r"```yaml (rules|tools)\n(.*?)```", page, flags=re.S))
    path = tmp_path / "script.yaml"
    path.write_text(texts["tools"])
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(texts["rules"]))
    mocked = app.model_copy(update={"plugins": [*app.plugins, plugin]})

    assert await play_script(mocked, read_script(path)) == []


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


def test_the_code_of_the_judges_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = World(read_file(load_scenarios()["scenario_synth_s02_exec_email_calendar"]))
    (tmp_path / "scenario.json").write_text(serialize_trace(world.scenario.trace), encoding="utf-8")
    world.run_oracle()
    (tmp_path / "trace.json").write_text(serialize_trace(world.export_trace()), encoding="utf-8")
    example: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (_DOCS / "judge.md").read_text(encoding="utf-8"), flags=re.S):
        exec(block, example)  # noqa: S102 - our own documentation

    assert example["verdict"].passed
    for checker in (*CHECKERS, SOFT):
        assert f"`{checker}`" in (_DOCS / "judge.md").read_text(encoding="utf-8")


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


def test_the_rules_about_mocks_have_no_errors() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (_DOCS / "mocks.md").read_text(encoding="utf-8"), flags=re.S)

    assert len(blocks) >= 3
    assert [finding for block in blocks for finding in check_rules_text(block).findings] == []


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


def _read_prose(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)


def _list_links(page: Path) -> list[tuple[Path, str]]:
    """Return the files, with the anchors in them, that a page links to."""
    found = re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", _read_prose(page))
    return [((page.parent / target).resolve() if target else page, anchor) for target, anchor in found]


def _list_anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _read_prose(page), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    links = _list_links(page)

    assert [target for target, _ in links if not target.exists()] == []
    assert [(target, anchor) for target, anchor in links if anchor and anchor not in _list_anchors(target)] == []


def test_the_readme_leads_to_every_page() -> None:
    reached = {_ROOT / "README.md"}
    while new := {target for page in reached for target, _ in _list_links(page) if target.suffix == ".md"} - reached:
        reached |= new

    assert len(reached) > 10
    assert set(_PAGES) - reached == {_ROOT / "CHANGELOG.md"}


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (_ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    named = {
        name for page in _PAGES for name in re.findall(r"(?:`|\n)make ([a-z-]+)", page.read_text(encoding="utf-8"))
    }

    assert len(named) > 10
    assert named - targets == set()


def test_the_keys_of_rules_for_the_model_are_listed() -> None:
    text = (_DOCS / "environment.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"keys that are not about a tool: (.*?);", text, flags=re.S)

    assert set(re.findall(r"`(\w+)`", listed)) == set(Match.model_fields) - {"tool", "args", "exactly", "defaults"}
