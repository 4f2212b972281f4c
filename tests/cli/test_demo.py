"""`adksim demo` in a pseudo-terminal and in a pipe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.adk.evaluation.eval_set import EvalSet
from processes import run_adksim
from pseudo_terminal import Terminal

pytestmark = pytest.mark.process


def _read_eval_set(path: Path) -> EvalSet:
    return EvalSet.model_validate_json(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("agent", ["math", "shop"])
def test_without_a_terminal_it_plays_by_itself_exports_and_exits_0(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "demo.evalset.json"
    done = run_adksim("demo", "--terminal", "--agent", agent, "--eval-set", str(path))

    assert done.returncode == 0, done.stderr
    assert len(_read_eval_set(path).eval_cases) == 1
    assert re.search(r"adk eval \S*/adk/demo/\w+_agent \S+\.json", done.stdout)
    assert {"math": "Tool Error  ZeroDivisionError: division by zero", "shop": "order ORD-0001"}[agent] in done.stdout
    assert done.stderr == ""


def test_help_teaches() -> None:
    whole, one = run_adksim("--help"), run_adksim("demo", "--help")

    assert "Start with `adksim demo`" in whole.stdout
    assert "--eval-set" in one.stdout
    assert whole.returncode == one.returncode == 0


def test_an_unknown_command_is_an_error() -> None:
    done = run_adksim("nonsense")

    assert done.returncode == 2
    assert "No such command 'nonsense'" in done.stderr


@pytest.fixture
def open_terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(*arguments: str) -> Terminal:
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.end()


def test_a_person_plays_makes_mistakes_and_exports(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    path = tmp_path / "mine.evalset.json"
    terminal = open_terminal("demo", "--terminal", "--eval-set", str(path))
    terminal.read_until("user> ")
    terminal.type("/tolls")
    terminal.read_until("There is no command /tolls for the user. Type /help for the commands")
    terminal.start_turn("What is 2+2?")
    terminal.type("ad a=2 b=2")
    terminal.read_until("Tool 'ad' is not offered in this turn; the tools are: add, multiply")
    terminal.type("add a=two b=2")
    terminal.read_until("a: is 'two', must be a number")
    terminal.read_until("model of math_agent> ")
    terminal.type("add a=2 b=2")
    terminal.read_until(r"result.*4")
    terminal.type("say The answer is 4")
    terminal.read_until("user> ")
    terminal.type("/done")
    terminal.read_until("Exported math_agent_")

    assert terminal.wait() == 0
    (case,) = _read_eval_set(path).eval_cases
    assert len(case.conversation or ()) == 1


def test_ctrl_c_cancels_a_running_call_and_the_session_goes_on(
    tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = open_terminal("demo", "--terminal", "--eval-set", str(tmp_path / "x.json"))
    terminal.start_turn("count")
    terminal.type("count_slowly to=1000")
    terminal.read_until("running for 1 s; Ctrl-C cancels the call")
    terminal.interrupt()
    terminal.read_until("Tool Error.*Cancelled: .*it still runs")
    terminal.type("say Enough.")
    terminal.read_until("user> ")
    terminal.type("/quit")

    assert terminal.wait() == 0
    assert not list(tmp_path.iterdir())


def test_leaving_an_unfinished_session_says_what_is_missing(
    tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = open_terminal("demo", "--terminal", "--eval-set", str(tmp_path / "x.json"))
    terminal.start_turn("What is 2+2?")
    terminal.press(b"\x04")
    terminal.read_until("Nothing was exported: no user turn has a final response")

    assert terminal.wait() == 0
    assert not list(tmp_path.iterdir())


def test_leaving_in_the_middle_keeps_the_finished_turns(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    path = tmp_path / "x.json"
    terminal = open_terminal("demo", "--terminal", "--eval-set", str(path))
    terminal.start_turn("first")
    terminal.type("say done")
    terminal.start_turn("second")
    terminal.type("/done")
    terminal.read_until("The agent is waiting: answer with say TEXT first, or leave with /quit")
    terminal.read_until("model of math_agent> ")
    terminal.interrupt()
    terminal.read_until(r"Exported math_agent_\S+ to \S+ \(1 of 2 user turns; the others have no final response\)")

    assert terminal.wait() == 0
    (case,) = _read_eval_set(path).eval_cases
    assert len(case.conversation or ()) == 1


def test_a_line_that_is_not_a_call_is_explained_and_tab_completes(
    tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = open_terminal("demo", "--terminal", "--eval-set", str(tmp_path / "x.json"))
    terminal.start_turn("What is 2+2?")
    terminal.type("The answer is 4")
    terminal.read_until("There is no tool 'The' here. To send this text as the answer, write: say The answer is 4")
    terminal.type("/bogus")
    terminal.read_until("There is no command /bogus. Type /help for the commands")
    terminal.type("say")
    terminal.read_until("The decision is empty")
    terminal.type("/tools divide")
    terminal.read_until('"divisor"')
    terminal.press(b"mult\t")
    terminal.read_until("multiply")
    terminal.type(" a=2 b=3")
    terminal.read_until("result.*6")
    terminal.read_until("model of math_agent> ")  # before readline reads, the kernel cuts lines at 4,096 characters
    terminal.type(f"say {'x' * 5_000}END")
    terminal.read_until("answer.*END")
    terminal.type("/quit")

    assert terminal.wait() == 0
