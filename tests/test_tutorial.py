"""Every block of docs/tutorial.md works, in its order and in one folder."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
import yaml
from adk_eval_command import evaluate
from click.testing import Result
from processes import invoke_adksim, run_adksim
from scripted_model import call_response, text_response
from tutorial_page import PAGE, find_blocks, write_files

_COMMAND = re.compile(r"^\$ adksim (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


def _run(command: str) -> Result:
    return invoke_adksim(*shlex.split(command))


@pytest.mark.process
def test_the_commands_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agent_folder = write_files(tmp_path)
    commands = [_COMMAND.fullmatch(block) for block in find_blocks("console")]
    for command in commands:
        assert command
        result = _run(command[1])
        assert result.exit_code == 0, result.output
        assert doctest.OutputChecker().check_output(command[2], result.output, doctest.ELLIPSIS), result.output
    assert len(commands) == 2

    code = (agent_folder / "agent.py").read_text(encoding="utf-8")
    # Another size, because Python takes code for current that has the same size and was written in the same second.
    changed_code = code.replace('"flat white": 4.0', '"flat white": 4.5') + "\n# Prices went up.\n"
    (agent_folder / "agent.py").write_text(changed_code, encoding="utf-8")
    assert commands[-1]
    changed = run_adksim(*shlex.split(commands[-1][1]), cwd=tmp_path)
    (difference,) = find_blocks("diff")
    assert changed.returncode == 1
    assert difference in changed.stdout


_MODEL = """

from scripted_model import ScriptedModel

root_agent.model = ScriptedModel(script={script!r})
"""


@pytest.mark.process
def test_adk_eval_loads_the_agent_and_compares_its_model_with_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent_folder = write_files(tmp_path)
    export = _COMMAND.fullmatch(find_blocks("console")[0])
    assert export
    assert _run(export[1]).exit_code == 0
    script = [
        call_response(("find_price", {"drink": "flat white"})),
        call_response(("place_order", {"drink": "flat white", "cups": 2, "to_go": True})),
        text_response("Two flat whites to go, that is 8 euros."),
    ]
    with (agent_folder / "agent.py").open("a", encoding="utf-8") as file:
        file.write(_MODEL.format(script=script))
    (command,) = find_blocks("sh adk")

    run = evaluate(shlex.split(command)[2:], tmp_path)

    assert shlex.split(command)[:2] == ["adk", "eval"]
    assert run.passed, run.output


def test_the_workflow_runs_commands_that_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    export = _COMMAND.fullmatch(find_blocks("console")[0])
    assert export
    assert _run(export[1]).exit_code == 0
    (workflow,) = find_blocks("yaml workflow")
    runs = [step["run"] for step in yaml.safe_load(workflow)["jobs"]["golden-traces"]["steps"] if "run" in step]

    commands = [run.removeprefix("adksim ") for run in runs if run.startswith("adksim ")]
    assert len(commands) == 2
    for command in commands:
        result = _run(command)
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize("block", find_blocks("sh"))
def test_the_options_of_the_other_commands_exist(block: str) -> None:
    commands = [line for line in block.splitlines() if line.startswith("adksim ")]

    assert commands
    for command in commands:
        name, *rest = shlex.split(command)[1:]
        options = {word for word in rest if word.startswith("--")}
        help_text = invoke_adksim(name, "--help").output
        assert all(option in help_text for option in options)


def test_its_pictures_exist() -> None:
    pictures = re.findall(r"\((screenshots/[^)]+)\)", PAGE)

    assert len(pictures) == 2
    for picture in pictures:
        assert (Path(__file__).parents[1] / "docs" / picture).is_file()
