"""Files that are small and cost much: YAML that expands or nests, JSON that nests or repeats, slow patterns."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from source_trees import parse_modules
from work_counter import TooMuchWork, count_lines

from adk_agent_sim.adk.steps.script import read_script
from adk_agent_sim.environment import yaml_document
from adk_agent_sim.environment.rules_file import check_rules_file, load_rules
from adk_agent_sim.environment.yaml_document import YamlDocument, YamlUnreadable
from adk_agent_sim.errors import ImportRefused, InvalidRules, InvalidScenario, InvalidScript, NotAnEvalSet
from adk_agent_sim.forms.bounded_regex import check_syntax, estimate_steps, is_match
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.golden.eval_set_editor import EvalSetEditor
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.golden.importers import import_adk_session, import_eval_case
from adk_agent_sim.golden.recording_files import read_recordings
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.scenario import load_scenario
from adk_agent_sim.scenario.apps.messaging_base import SafeRegex
from adk_agent_sim.scenario.apps.messaging_base import error as InvalidPattern  # noqa: N812

_SOURCES = Path(__file__).parents[2] / "src" / "adk_agent_sim"
_MAX_LINES = 20_000_000

_LEVELS = "abcdefghijklmnopqrst"


def _write_aliases(template: str) -> str:
    """Return levels that each contain the level before several times."""
    lines = ["a: &a {x: 1}"]
    for before, level in pairwise(_LEVELS):
        lines.append(f"{level}: &{level} {template.replace('$', f'*{before}')}")
    return "\n".join(lines)


_BOMBS = {
    "aliases in lists": (_write_aliases("[$,$,$,$,$,$,$,$,$]"), "more than 200,000 values"),
    "aliases in mappings": (_write_aliases("{p: $, q: $, r: $}"), "more than 200,000 values"),
    "merge keys": (_write_aliases("{<<: [$,$,$,$,$,$,$,$,$]}"), "merge keys (<<) are not supported"),
    "an alias of itself": ("a: &a [*a]", "100 levels"),
    "nested lists": ("x: " + "[" * 100_000, "more than 100 levels"),
    "nested mappings": ("{a: " * 5_000, "more than 100 levels"),
    "nested dashes": ("- " * 5_000, "more than 100 levels"),
    "nested keys": ("? " * 5_000, "more than 100 levels"),
    "a long number": ("9" * 100_000, "too long to be read"),
    "a tag": ("!!python/object/apply:os.system [id]", "is not supported"),
}


@pytest.mark.parametrize("name", _BOMBS)
def test_a_yaml_bomb_is_refused_with_its_line_and_little_work(name: str) -> None:
    text, reason = _BOMBS[name]

    def read() -> None:
        with pytest.raises(YamlUnreadable, match=re.escape(reason)) as caught:
            YamlDocument(f"# a comment\n{text}")
        assert caught.value.line >= 2

    count_lines(read, _MAX_LINES)


def test_reading_stops_at_the_most_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_document, "_MAX_VALUES", 100)

    def read() -> None:
        with pytest.raises(YamlUnreadable, match="more than 100 values"):
            YamlDocument("- 1\n" * 100_000)

    count_lines(read, 100_000)


@pytest.mark.parametrize("name", _BOMBS)
def test_scripts_and_rules_refuse_the_same_bombs(name: str, tmp_path: Path) -> None:
    text, reason = _BOMBS[name]
    path = tmp_path / "bomb.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidScript, match=rf"line \d+: .*{re.escape(reason)}"):
        read_script(path)
    with pytest.raises(InvalidRules, match=re.escape(reason)):
        load_rules(path)


def test_a_script_that_repeats_a_key_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text("steps:\n- user: hi\n  user: ho\n", encoding="utf-8")

    with pytest.raises(InvalidScript, match="line 3: the key 'user' is duplicated"):
        read_script(path)


def test_a_large_file_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * 10_000_001)

    with pytest.raises(InvalidScript, match="longer than 10,000,000 bytes"):
        read_script(path)


def test_the_lines_of_many_findings_are_found_in_linear_work(tmp_path: Path) -> None:
    def check(count: int) -> Callable[[], None]:
        keys = "\n".join(f"      key{number}: {{regex: '('}}" for number in range(count))
        path = tmp_path / f"{count}.yaml"
        path.write_text(f"rules:\n- match:\n    tool: a\n    args:\n{keys}\n  do: {{pass: true}}\n", encoding="utf-8")

        def run() -> None:
            assert len(check_rules_file(path).findings) >= count

        return run

    few, many = (count_lines(check(count), _MAX_LINES) for count in (50, 400))

    assert many < few * 8 * 1.5


def test_the_counter_stops_endless_work() -> None:
    def work() -> None:
        while True:
            pass

    with pytest.raises(TooMuchWork):
        count_lines(work, 1_000)


_JSON_BOMBS = {
    "deep lists": "[" * 200_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a huge number": '{"eval_cases": ' + "9" * 100_000 + "}",
    "a number beyond doubles": '{"eval_cases": 1e999999}',
    "a key twice": '{"eval_set_id": "a", "eval_cases": [], "eval_cases": []}',
    "a key twice inside": '{"eval_set_id": "a", "eval_cases": [], "x": {"a": 1, "a": 2}}',
    "not a number": '{"eval_cases": NaN}',
}


@pytest.mark.parametrize("name", _JSON_BOMBS)
def test_a_json_bomb_is_refused_by_every_reader_of_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.json"
    path.write_text(_JSON_BOMBS[name], encoding="utf-8")

    with pytest.raises(ImportRefused):
        import_eval_case(path)
    with pytest.raises(ImportRefused):
        import_adk_session(path)
    with pytest.raises(ImportRefused):
        read_eval_cases(path)
    with pytest.raises(ImportRefused):
        read_recordings(path)
    with pytest.raises(InvalidScenario):
        load_scenario(path)
    with pytest.raises(ImportRefused):
        EvalFile(path)
    with pytest.raises(NotAnEvalSet):
        EvalSetEditor(path).read()
    assert detect_trace_kind(path) is None


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "(?i)(a|aa)+$", "(.*)*(.*)*x"])
def test_a_pattern_that_backtracks_is_matched_without_backtracking(pattern: str) -> None:
    text = "a" * 5_000 + "!"

    # The steps are bounded, or the match is not tried.
    assert estimate_steps(pattern, text) <= 2_000_000
    assert not is_match(pattern, text, if_unchecked=False)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)" + "[\\x00-\\uffff]" * 1_000,
        "[a-z]" * 3_000,
        "(" * 5_000 + ")" * 5_000,
        "(" * 100 + ")" * 99,
        "a{99999999999}",
    ],
)
def test_a_pattern_that_takes_long_to_compile_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_syntax(pattern)
    with pytest.raises(InvalidPattern):
        SafeRegex(pattern)


_READERS = {
    "timeline/strict_json.py": "the one reader of JSON from outside",
    "timeline/canonical_json.py": "blocks and lines that this package wrote; their shape is validated after it",
    "timeline/redaction/redactor.py": "a text inside an event, which was parsed before",
    "persistence/read_model_codec.py": "columns of our own database",
    "server/access/server_keys.py": "keys that this package wrote, in a file that only its owner can read",
    "server/sessions/live_updates.py": "a message of a web socket, whose size is limited",
    "scenario/format/lint_finding.py": "one key of a text that strict_json has accepted",
    "golden/adk_files.py": "ADK's models, after strict_json has accepted the text",
    "golden/eval_set.py": "checks a text that it is about to write",
    "simulation/session_exports.py": "the case that was just written",
    "golden/cassette.py": "a value that was serialized in the lines above",
    "scenario/format/scenario_files.py": "one key of a text that strict_json has accepted",
    "scenario/players/checked_scenario.py": "traces that were serialized by the same check",
    "timeline/redaction/credential_mask.py": "a text on its way to the timeline, to find credentials in it",
    "adk/runs/pause_answers.py": "asks whether ADK would read what a person typed as JSON; the value is not used",
    "adk/time_travel/process_restarts.py": "a message of limited size from the server, for ADK's models",
    "adk/players/cassette_requests.py": "ADK's models, of a value that was serialized in the same line",
    "bench/results_file.py": "lines of a bench; pydantic limits their depth, and the model has no nested values",
    "bench/bench_control.py": "small files in a bench's folder, in the same way",
    "server/benches/bench_catalog.py": "lines of a bench, in the same way",
    "environment/yaml_document.py": "the one reader of YAML",
}


_READING_WORDS = r"json\.load|JSONDecoder|yaml\.|model_validate_json|from_json|fnmatch"


def test_no_other_module_reads_json_or_yaml_or_matches_globs() -> None:
    found = {path for path, tree in parse_modules(_READING_WORDS) if any(map(_is_reading, ast.walk(tree)))}

    assert found == {*_READERS}


def _is_reading(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any("yaml." in ast.unparse(base) for base in node.bases)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "fnmatch" in ast.unparse(node)
    return isinstance(node, ast.Call) and bool(
        re.fullmatch(r"json\.loads?|json\.JSONDecoder|yaml\.(\w*load\w*|parse|compose)|.*\.model_validate_json|from_json",
            ast.unparse(node.func))
    )  # fmt: skip


def test_variables_and_braces_of_a_small_file_cost_little(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    head = "rules: [{match: {tool: t}, do: {respond: "
    repeated = ", ".join(["'{{vars.long}}'"] * 5_000)
    texts = {
        f"variables: {{long: {'x' * 5_000}}}\n{head}[{repeated}]}}}}]": "more than 10,000,000 characters",
        f"{head}'{'{{' + ' ' * 100_000}'}}}}]": "without a name",
        f"{head}'{'{{' * 50_000}'}}}}]": "without a name",
        f"{head}'{'{{x.' + '.' * 100_000}}}}}'}}}}]": "empty name",
    }
    for text, reason in texts.items():
        file.write_text(text)

        def check(reason: str = reason) -> None:
            assert [reason in finding.message for finding in check_rules_file(file).findings] == [True]

        count_lines(check, _MAX_LINES)
