"""Every block of docs/scenarios.md runs, in its order and in one folder; docs/app-tools.md is current."""

import contextlib
import doctest
import importlib.util
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adk_agent_sim.cli.main import adksim

_DOCS = Path(__file__).parents[1] / "docs"
_BLOCKS: list[tuple[str, str]] = re.findall(
    r"```(\w+)\n(.*?)```", (_DOCS / "scenarios.md").read_text(encoding="utf-8"), flags=re.S
)
_PROMPT = re.compile(r"^\d+ s, model of \w+> (.*)$", re.MULTILINE)


def test_every_block_does_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "example"}
    printed = ""
    for language, text in _BLOCKS:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(text, namespace)  # noqa: S102 - our own documentation
            printed = output.getvalue()
        elif language == "json":
            Path("by_hand.json").write_text(text, encoding="utf-8")
        elif language == "text":
            _compare(text, printed)
        else:
            assert language == "console"
            _run_commands(text)

    assert {language for language, _ in _BLOCKS} == {"python", "json", "text", "console"}


def _run_commands(block: str) -> None:
    """Run the commands of a block; what a person types at a prompt is the input."""
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE):
        program, *arguments = shlex.split(command)
        typed = "".join(f"{line}\n" for line in _PROMPT.findall(expected))
        result = CliRunner().invoke(adksim, arguments, input=typed)

        assert (program, result.exit_code) == ("adksim", 0), result.output
        _compare(expected, result.output)


def _compare(expected: str, actual: str) -> None:
    """Compare output; `...` in the page stands for anything."""
    matches = doctest.OutputChecker().check_output(expected, actual, doctest.ELLIPSIS)
    assert matches, f"The page says:\n{expected}\nIt is:\n{actual}"


def test_the_reference_of_apps_is_current() -> None:
    spec = importlib.util.spec_from_file_location("app_tools_index", _DOCS / "app_tools_index.py")
    assert spec is not None
    assert spec.loader is not None
    index = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(index)

    assert (_DOCS / "app-tools.md").read_text(encoding="utf-8") == index.render_document(), "Run `make app-tools`."
