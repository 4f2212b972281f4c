"""No text of a model, a tool, a file or another person commands the terminal that shows it."""

from __future__ import annotations

import ast
import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner
from source_trees import parse_modules
from terminal_safety import ATTACKS, HOSTILE, find_unsafe_characters
from timeline_builders import ask_turn, user_content
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.cli.play.prompts import make_completer
from adk_agent_sim.environment.report_fold import (
    DecisionFacts,
    Difference,
    NearestRule,
    ReportFold,
    RuleScope,
    SkipReason,
)
from adk_agent_sim.persistence.access_tokens import TokenKind, create_token
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.text.escaped_logging import EscapingFormatter, get_logger
from adk_agent_sim.text.escaping import escape_document, escape_json, escape_line, escape_message
from adk_agent_sim.text.terminal_output import join_text, print_uncaught, style
from adk_agent_sim.timeline.events import AgentEvent, AgentJoined, RunEnded, RunOutcome, ToolFailed, UserSpoke
from adk_agent_sim.timeline.store import Store
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline

_SOURCES = Path(__file__).parents[2] / "src" / "adk_agent_sim"
_OWN_COLOUR = re.compile(r"\x01?\x1b\[[0-9;]{1,5}m\x02?")
"""A colour of our own; in a prompt, with the marks that readline needs around it."""

_NAME = HOSTILE + "\nforged: line"
_AGENT_NAME = _NAME.replace("\ud83d", "")  # an agent's name must have an encoding
_FILE_NAME = "\x1b]0;owned\x07\x9b2J\u202efile"

_AGENT = f"""
from google.adk.agents import LlmAgent

HOSTILE = {HOSTILE!a}

def lookup(key: str) -> dict:
    return {{"value": HOSTILE + key, HOSTILE: 1}}

def fail() -> dict:
    raise ValueError(HOSTILE)

lookup.__doc__ = HOSTILE
root_agent = LlmAgent(name="hostile_agent", instruction=HOSTILE, tools=[lookup, fail])
"""


class _Files:
    """Files whose names and contents are hostile."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.agent = folder / "hostile_agent"
        self.agent.mkdir()
        (self.agent / "agent.py").write_text(_AGENT, encoding="utf-8")
        self.eval_set = folder / "hostile.evalset.json"
        self.timeline = folder / "hostile.jsonl"
        self.database = str(folder / "hostile.db")

    def write(self, name: str, value: object) -> Path:
        path = self.folder / f"{_FILE_NAME}{name}"
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    def write_scenario(self) -> Path:
        user = build_world_event("u", "USER", delay=0)
        events = [user, build_world_event(_NAME, after=("u",)), build_reply_event("r", "u")]
        events.append(build_world_event("bad", "AGENT", ("u",), "Emails__delete_email", email_id=HOSTILE))
        scenario = build_scenario_file(*events, scenario_id=_NAME, tags=[_NAME], hints=[_NAME])
        scenario["metadata"]["annotation"] = {"annotator": _NAME, "comment": _NAME}
        return self.write("scenario.json", scenario)

    def record_session(self) -> None:
        async def play() -> None:
            async with Simulation(load_app(self.agent)) as sim:
                turn = await sim.send(HOSTILE)
                turn = await turn.call("lookup", {"key": HOSTILE})  # type: ignore[union-attr]
                turn = await turn.call("fail", {})
                await turn.respond(HOSTILE)
                sim.export(self.eval_set)
                await sim.export_jsonl(self.timeline)

        asyncio.run(play())

    def store_session(self) -> None:
        async def store() -> None:
            async with open_store(self.database) as opened:
                await _append_hostile_events(opened)

        asyncio.run(store())


async def _append_hostile_events(store: Store) -> None:
    timeline = Timeline(store)
    session_id = (await timeline.create_session(_NAME)).session_id
    call = {"function_call": {"id": "c", "name": HOSTILE, "args": {HOSTILE: HOSTILE}}}
    answer = {"content": {"role": "model", "parts": [{"text": HOSTILE}]}}
    payloads = [
        AgentJoined(app_name=_AGENT_NAME, user_id=HOSTILE, adk_session_id=HOSTILE, state={}),
        UserSpoke(content=user_content(HOSTILE)),
        AgentEvent(invocation_id="i", event={"content": {"role": "model", "parts": [call]}}, final=False),
        ToolFailed(call_id="c", error_type=_NAME, error_message=HOSTILE, duration_ms=1),
        AgentEvent(invocation_id="i", event=answer, final=True),
        RunEnded(invocation_id="i", outcome=RunOutcome.DONE),
    ]
    await timeline.append(EventBatch(session_id, payloads, agent_name=_AGENT_NAME))
    await ask_turn(timeline, session_id, "t", agent_name=_AGENT_NAME)


_Lines = Iterator[tuple[list[object], str | None]]


def _run_sessions(files: _Files) -> _Lines:
    files.store_session()
    yield ["sessions", "--db", files.database], None
    yield ["sessions", "--db", files.database, "--json"], None
    yield ["sessions", "--db", f"{HOSTILE[:20]}://x"], None


_TOKEN_NAME = _NAME.encode("utf-8", "ignore").decode()
"""Without lone surrogates, which no command accepts in a name."""


def _run_token_list(files: _Files) -> _Lines:
    async def store() -> None:
        async with open_store(files.database) as opened:
            _, row = create_token(_TOKEN_NAME, TokenKind.NAMED, now=1.0, expires_at=None)
            await opened.tokens.add_token(row)

    asyncio.run(store())
    yield ["token", "list", "--db", files.database], None
    yield ["token", "list", "--db", files.database, "--json"], None


def _run_token_new(files: _Files) -> _Lines:
    yield ["token", "new", "\x1b[2J", "--db", files.database], None
    yield ["token", "new", "a", "--expires", "\x9b2J", "--db", files.database], None


def _run_token_revoke(files: _Files) -> _Lines:
    yield from _run_token_list(files)
    yield ["token", "revoke", "\x1b[2J", "--db", files.database], None
    yield ["token", "revoke", _TOKEN_NAME, "--db", files.database], None


def _run_export(files: _Files) -> _Lines:
    files.store_session()
    for arguments in (["--format", "markdown"], ["--format", "jsonl"], ["--format", "markdown", "--json"]):
        yield ["export", "last", "--db", files.database, *arguments], None
    yield ["export", "last", "--db", files.database, "--out", files.folder / f"{_FILE_NAME}.evalset.json"], None
    yield ["export", "\x1b[2J", "--db", files.database], None


def _run_fork(files: _Files) -> _Lines:
    files.store_session()
    session: list[object] = ["fork", "last", "--db", files.database]
    yield session, None
    yield [*session, "--json"], None
    edited = [*session, "--turn", "1", "--agent", files.agent, "--message", HOSTILE]
    yield [*edited, "--response", _NAME, "--json"], None
    yield edited, "/turns\n/quit\n"
    yield [*session, "--turn", "9", "--agent", files.folder / _FILE_NAME], None
    yield ["fork", "\x1b[2J", "--db", files.database], None


def _run_replay(files: _Files) -> _Lines:
    files.record_session()
    eval_set = json.loads(files.eval_set.read_text(encoding="utf-8"))
    eval_set["eval_cases"][0]["eval_id"] = _NAME
    (files.agent / "agent.py").write_text(_AGENT.replace("+ key", '+ "changed"'), encoding="utf-8")
    path = files.write("replayed.json", eval_set)
    yield ["replay", path, "--agent", files.agent], None
    yield ["replay", path, "--agent", files.agent, "--json"], None
    yield ["replay", path, "--agent", files.agent, "--case", "\x9b2J"], None


def _run_evals(files: _Files) -> _Lines:
    files.record_session()
    eval_set = json.loads(files.eval_set.read_text(encoding="utf-8"))
    eval_set["eval_cases"][0]["eval_id"] = _NAME
    (files.agent / "agent.py").write_text(_AGENT.replace("+ key", '+ "changed"'), encoding="utf-8")
    path = files.write("cases.evalset.json", eval_set)
    yield ["evals", path], None
    yield ["evals", path, "--agent", files.agent], None
    yield ["evals", path, "--agent", files.agent, "--json"], None
    yield ["evals", path, "--agent", files.agent, "--case", _NAME], None
    yield ["evals", path, "--case", "\x9b2J"], None


def _run_env_check(files: _Files) -> _Lines:
    rules: list[dict[str, Any]] = [{"name": _NAME, "match": {"tool": "a\x1b[2J", HOSTILE: 1}, "do": {HOSTILE: _NAME}}]
    yield ["env", "check", files.write("rules.json", {"rules": rules})], None
    yield ["env", "check", files.write("rules.json", {"rules": rules}), "--json"], None
    yield ["env", "check", files.folder / _FILE_NAME], None


def _run_env_record(files: _Files) -> _Lines:
    steps: list[dict[str, Any]] = [
        {"user": HOSTILE},
        {"call": "lookup", "args": {"key": HOSTILE}},
        {"call": "fail", "args": {}},
    ]
    script = files.write("script.json", {"steps": [*steps, {"respond": HOSTILE}]})
    do = {"respond": {"value": HOSTILE}}
    rules = files.write("rules.json", {"rules": [{"match": {"tool": "lookup"}, "do": do}]})
    record = ["env", "record", "--agent", files.agent, "--script", script]
    yield [*record, "--out", files.folder / f"{_FILE_NAME}.yaml"], None
    yield [*record, "--check", rules], None
    yield [*record, "--check", rules, "--json"], None
    yield [*record, "--check", files.write("bad.json", {_NAME: 1})], None
    yield ["env", "record", "--agent", files.agent, "--trace", files.write("x.json", [_NAME]), "--out", "x"], None
    unmet = files.write("unmet.json", {"steps": [*steps[:1], {**steps[1], "expect": {HOSTILE: 1}}]})
    yield ["env", "record", "--agent", files.agent, "--script", unmet, "--out", "x"], None


def _run_env_from_trace(files: _Files) -> _Lines:
    files.record_session()
    yield ["env", "from-trace", files.eval_set], None
    yield ["env", "from-trace", files.timeline, "--json"], None
    yield ["env", "from-trace", files.write("x.json", [1])], None


def _run_env_report(files: _Files) -> _Lines:
    files.store_session()
    lines = _invoke(["export", "last", "--db", files.database, "--format", "jsonl"], None).stdout
    path = files.folder / f"{_FILE_NAME}.jsonl"
    path.write_text(lines, encoding="utf-8")
    yield ["env", "report", path], None
    yield ["env", "report", path, "--json"], None


def _run_run(files: _Files) -> _Lines:
    steps: list[dict[str, Any]] = [{"user": "hi"}, {"call": "lookup", "args": {"key": HOSTILE}, "expect": {_NAME: 1}}]
    script = files.write("script.yaml", {"steps": steps})
    yield ["run", files.agent, "--script", script], None
    yield ["run", files.agent, "--script", script, "--json"], None
    yield ["run", files.agent, "--script", files.write("bad.yaml", {"steps": [{HOSTILE: 1}]})], None
    typed = f"hi\n/tools\n/tools lookup\n/request\nlookup key=1\nfail\nnope {HOSTILE[:5]}\nsay {HOSTILE[:60]}\n/quit\n"
    yield ["run", files.agent], typed.replace("\r", "")


def _run_demo(files: _Files) -> _Lines:
    yield ["demo", "--scripted", "--eval-set", files.folder / f"{_FILE_NAME}.evalset.json"], None


def _run_doctor(files: _Files) -> _Lines:
    yield ["doctor"], None
    yield ["doctor", "--json"], None


def _run_on_scenario(*arguments: str) -> Callable[[_Files], _Lines]:
    def run(files: _Files) -> _Lines:
        command, *rest = arguments
        scenario = files.write_scenario()
        yield ["scenario", command, scenario, *rest], None
        yield ["scenario", command, scenario, *rest, "--json"], None
        yield ["scenario", command, files.write("broken.json", {"metadata": {HOSTILE: 1}}), *rest], None
        yield ["scenario", command, files.folder / _FILE_NAME, *rest], None

    return run


def _run_scenario(files: _Files) -> _Lines:
    yield from _run_on_scenario("run", "--oracle")(files)
    ask = build_world_event("u", "USER", call="AgentUserInterface__send_message_to_agent", delay=0, content=HOSTILE)
    mail: dict[str, Any] = {"sender": "a@example.org", "subject": HOSTILE, "content": HOSTILE}
    arrives = build_world_event("mail", "ENV", ("u",), "Emails__send_email_to_user_only", delay=5, **mail)
    scenario = build_scenario_file(ask, arrives, build_reply_event("r", "mail"), scenario_id=_NAME)
    yield ["scenario", "run", files.write("played.json", scenario), "--player", "human"], _PLAYED


def _run_convert(files: _Files) -> _Lines:
    out = files.folder / f"{_FILE_NAME}out.json"
    yield ["scenario", "convert", files.write_scenario(), out], None
    yield ["scenario", "convert", files.write_scenario(), out, "--json"], None
    yield ["scenario", "convert", files.write_scenario(), out, "--strictness", "\x1b[2J"], None


def _run_judge(files: _Files) -> _Lines:
    scenario, trace, answers = (
        files.write_scenario(),
        files.folder / f"{_FILE_NAME}trace.json",
        files.folder / "a.jsonl",
    )
    user = build_world_event("u", "USER", delay=0)
    events = [user, build_world_event(_NAME, "AGENT", ("u",), subject=HOSTILE), build_reply_event(HOSTILE, "u")]
    judged = files.write("judged.json", build_scenario_file(*events, scenario_id=_NAME))
    yield ["scenario", "run", "--oracle", judged, "--trace", trace], None
    changed = json.loads(trace.read_text(encoding="utf-8"))
    for event in changed["completed_events"][1:]:
        event["action"]["args"][0]["value"] = json.dumps([HOSTILE])
    other = files.write("changed.json", changed)
    for given in (trace, other, scenario):
        yield ["scenario", "judge", judged, given, "--explain"], None
        yield ["scenario", "judge", judged, given, "--json"], None
    answers.write_text(HOSTILE, encoding="utf-8", errors="surrogatepass")
    yield ["scenario", "judge", judged, other, "--judge", f"replay:{answers}"], None
    yield ["scenario", "judge", scenario, trace, "--judge", "replay:\x1b[2J"], None
    yield ["scenario", "judge", files.write("broken.json", {"metadata": {HOSTILE: 1}}), files.folder / _FILE_NAME], None


def _run_check(files: _Files) -> _Lines:
    yield from _run_on_scenario("check")(files)
    user = build_world_event("u", "USER", delay=0)
    mail = build_world_event(_NAME, "AGENT", ("u",), subject=HOSTILE)
    reply: dict[str, Any] = {"sender": "a@example.org", "email_id": f"{{{{{_NAME}}}}}", "content": HOSTILE}
    answer = build_world_event(f"{_NAME}2", "ENV", (_NAME,), "Emails__reply_to_email_from_user", **reply)
    read = build_world_event(HOSTILE, "AGENT", ("u",), "Emails__list_emails", folder_name="INBOX")
    for number, events in enumerate([(user, mail, answer), (user, read), (user, build_reply_event(HOSTILE, "u"))]):
        scenario = files.write(f"{number}.json", build_scenario_file(*events, scenario_id=_NAME))
        yield ["scenario", "check", scenario], None
        yield ["scenario", "check", scenario, files.folder, "--json"], None
    yield ["scenario", "check", files.folder / "1.json", "--judge", "replay:\x1b[2J"], None


def _run_agreement(files: _Files) -> _Lines:
    traces = [f"{number}{_NAME}" for number in range(3)]
    rows = [{"trace": name, "passed": name[0] != "0", "reason": HOSTILE} for name in traces]
    runs, labels = files.write("verdicts.json", rows), files.folder / f"{_FILE_NAME}labels.csv"
    names = [name.replace('"', '""') for name in traces[:2]]
    text = "run,label\n" + "".join(f'"{name}",fail\n' for name in names) + '"\x1b[2J",pass\n'
    labels.write_text(text, encoding="utf-8", errors="replace")
    yield ["scenario", "agreement", runs, labels], None
    yield ["scenario", "agreement", runs, labels, "--json"], None
    labels.write_text("run,label\n\x1b[2J,\x1b[2J\n", encoding="utf-8")
    yield ["scenario", "agreement", runs, labels], None
    yield ["scenario", "agreement", files.write("other.json", {HOSTILE: 1}), labels], None


def _run_bench(files: _Files) -> _Lines:
    out = files.folder / _FILE_NAME
    yield ["bench", files.write("broken.json", {"metadata": {HOSTILE: 1}}), "--player", "oracle", "--out", out], None
    yield ["bench", files.write_scenario(), "--filter", "\x1b[2J", "--out", out], None
    yield ["bench", "\x1b[2J", "--player", "oracle", "--out", out], None


def _write_bench(files: _Files, name: str, *, passed: bool) -> Path:
    folder = files.folder / f"{_FILE_NAME}{name}"
    folder.mkdir()
    texts: dict[str, Any] = dict.fromkeys(("scenario", "agent", "model", "player", "rules"), _NAME)
    outcome: dict[str, Any] = {"outcome": "passed" if passed else "failed", "passed": passed, "reason": _NAME}
    line = json.dumps({**texts, **outcome, "tags": [_NAME], "report": _NAME})
    (folder / "results.jsonl").write_text(line + "\n", encoding="utf-8")
    return folder


def _run_bench_report(files: _Files) -> _Lines:
    folder = _write_bench(files, "bench", passed=False)
    yield ["bench", "report", folder], None
    yield ["bench", "report", folder, "--json"], None


def _run_bench_diff(files: _Files) -> _Lines:
    folders = [_write_bench(files, name, passed=name == "a") for name in ("a", "b")]
    yield ["bench", "diff", *folders], None
    yield ["bench", "diff", *folders, "--json"], None
    yield ["bench", "diff", *folders, "--before", "\x1b[2J"], None


_PLAYED = (
    "/step\n/world\n/world Emails\n/world \x1b[2J\n/jump \x1b[2J\n"
    "Emails__get_email_by_id email_id=\x1b[2J\n/undo\nsay \x1b[2J\n"
)

_COMMANDS: Mapping[str, Callable[[_Files], _Lines]] = {
    "demo": _run_demo,
    "run": _run_run,
    "sessions": _run_sessions,
    "token list": _run_token_list,
    "token new": _run_token_new,
    "token revoke": _run_token_revoke,
    "export": _run_export,
    "fork": _run_fork,
    "replay": _run_replay,
    "evals": _run_evals,
    "env check": _run_env_check,
    "env from-trace": _run_env_from_trace,
    "env report": _run_env_report,
    "env record": _run_env_record,
    "scenario lint": _run_on_scenario("lint"),
    "scenario check": _run_check,
    "scenario show": _run_on_scenario("show"),
    "scenario run": _run_scenario,
    "scenario judge": _run_judge,
    "scenario agreement": _run_agreement,
    "scenario annotate": _run_on_scenario("annotate"),
    "scenario convert": _run_convert,
    "bench run": _run_bench,
    "bench report": _run_bench_report,
    "bench diff": _run_bench_diff,
    "doctor": _run_doctor,
}

_NOT_RUN = {
    "serve": "it prints its own addresses, and logs through the loggers tested below",
    "bench watch": "it prints its own address, and logs in the same way",
    "env schema": "it prints a constant",
    "open": "it prints an address of a server of the same user",
}


def _invoke(arguments: list[object], typed: str | None) -> Any:
    # With colours, because without them click would strip some of the escape sequences that a test must find.
    return CliRunner().invoke(adksim, [str(each) for each in arguments], input=typed, color=True)


def _iter_command_names(group: click.Group = adksim, prefix: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _iter_command_names(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}"


def test_every_command_is_attacked_or_has_a_reason_not_to_be() -> None:
    assert {*_COMMANDS, *_NOT_RUN} == {*_iter_command_names()}


@pytest.mark.parametrize("name", _COMMANDS)
def test_no_command_prints_what_a_terminal_interprets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / _FILE_NAME
    folder.mkdir()
    monkeypatch.chdir(folder)
    printed = ""
    for arguments, typed in _COMMANDS[name](_Files(tmp_path)):
        result = _invoke(arguments, typed)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        for stream in (result.stdout, result.stderr):
            assert not find_unsafe_characters(_OWN_COLOUR.sub("", stream)), (arguments, stream)
            assert not re.search(r"^forged: line", stream, re.MULTILINE), stream
        if "--json" in arguments and result.exit_code in (0, 1) and result.stdout:
            json.loads(result.stdout)
        printed += result.stdout + result.stderr
    # Otherwise the hostile text was never printed, and the test proves nothing.
    assert any(escape in printed for escape in ("\\x1b", "\\u001b", "\\x9b", "\\u009b")), printed


def test_a_name_does_not_break_the_row_of_a_table(tmp_path: Path) -> None:
    files = _Files(tmp_path)
    files.store_session()

    assert len(_invoke(["sessions", "--db", files.database], None).stdout.splitlines()) == 1


def test_rules_from_a_trace_keep_hostile_values_exactly(tmp_path: Path) -> None:
    files = _Files(tmp_path)
    files.record_session()

    rules = yaml.safe_load(_invoke(["env", "from-trace", files.eval_set], None).stdout)["rules"]

    expected = (HOSTILE * 2).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    found = rules[0]["do"]["respond"]["value"].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert found == expected


@pytest.mark.parametrize("arguments", [["\x1b[2J"], ["run", "--\x9b2J"], ["export"], ["serve", "--port", "\u202e"]])
def test_click_quotes_arguments_escaped(arguments: list[str]) -> None:
    result = _invoke([*arguments], None)

    assert result.exit_code == 2
    assert not find_unsafe_characters(_OWN_COLOUR.sub("", result.output))


@pytest.mark.parametrize("name", ATTACKS)
def test_escaping_removes_every_attack_and_json_keeps_the_value(name: str) -> None:
    text = f"a {ATTACKS[name]} b"

    assert not find_unsafe_characters(escape_line(text), "")
    assert not find_unsafe_characters(escape_document(text))
    assert not find_unsafe_characters(escape_message(text))
    encoded = escape_json(json.dumps([text], ensure_ascii=False))
    assert not find_unsafe_characters(encoded)
    assert json.loads(encoded) == [text]


def test_texts_that_people_write_are_not_changed() -> None:
    text = "Grüße, שלום, سلام, 日本\u3000語, 👩\u200d🔬 ✈\ufe0f a\u00a0b \\x1b"

    assert escape_line(text) == text
    assert escape_document(f"{text}\n\t{text}\r\n") == f"{text}\n\t{text}\n"
    assert escape_message("a\nb") == "a\n  b"


def test_colours_are_added_after_escaping_and_forgetting_it_is_harmless() -> None:
    red = style("\x1b[2J", fg="red")

    assert red == "\x1b[31m\\x1b[2J\x1b[0m"
    assert join_text("\r", red) == f"\\r{red}"
    assert not find_unsafe_characters(join_text(f"{red}"))


def test_loggers_of_the_package_escape_messages_and_tracebacks(caplog: pytest.LogCaptureFixture) -> None:
    logger = get_logger("adk_agent_sim.attacks")
    try:
        raise ValueError(_NAME)
    except ValueError as error:
        logger.warning("From %s: %r", _NAME, error, exc_info=True)

    assert "forged: line" in caplog.text
    assert not find_unsafe_characters(caplog.text)
    assert not re.search(r"^forged: line", caplog.text, re.MULTILINE)


def test_loggers_of_other_packages_are_escaped_by_the_commands() -> None:
    record = logging.LogRecord("other", logging.WARNING, "f", 1, "From %s", (_NAME,), None)

    formatted = EscapingFormatter("%(message)s").format(record)

    assert not find_unsafe_characters(formatted)
    assert "\n  forged: line" in formatted


def test_tracebacks_of_unexpected_errors_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    error = ValueError(HOSTILE)

    print_uncaught(ValueError, error, None)

    shown = capsys.readouterr().err
    assert "owned" in shown
    assert not find_unsafe_characters(shown)


def test_the_report_of_an_environment_has_one_line_per_fact() -> None:
    fold = ReportFold()
    fold.add_rules({_NAME: RuleScope([_NAME]), f"{_NAME}2": RuleScope([_NAME], [_NAME])}, uses_real_time=False)
    fold.real[_NAME] += 1
    nearest = NearestRule(_NAME, (Difference(_NAME, _NAME, _NAME),))
    skipped = [(_NAME, SkipReason.ARGUMENTS.value)]
    fold.add_decision(DecisionFacts(tool=_NAME, rule="", skipped=skipped, unanswered="live", nearest=nearest))
    report = str(fold.build_report())

    assert len(report.splitlines()) == 10  # among them one for each of the two rules, and the inactive one
    assert not find_unsafe_characters(report)


def test_tab_does_not_complete_to_a_name_that_commands_the_terminal() -> None:
    complete = make_completer(["add", "add\x1b[2J", "adopt"])

    assert [complete("ad", index) for index in range(3)] == ["add", "adopt", None]


def test_nothing_else_prints_or_makes_loggers() -> None:
    allowed = {
        "text/terminal_output.py": "the one module that prints",
        "text/escaped_logging.py": "the one module that makes loggers",
        "adk/compat.py": "filters a warning of ADK's logger",
        "cli/benches/bench_progress.py": "draws a bar and counts with rich, and no text from outside",
        "server/web/openapi.py": "writes the constant description of the web API for `make web-types`",
    }
    found = {path for path, tree in parse_modules(_PRINTING_WORDS) if any(map(_is_printing, ast.walk(tree)))}

    assert found == {*allowed}


_PRINTING = re.compile(
    r"click\.(echo|secho|style|prompt|confirm|echo_via_pager)|sys\.std(out|err)\.write\w*|(\w+\.)*\w*Console"
)
_PRINTING_WORDS = r"\bprint\(|getLogger|click\.|sys\.std|Console"


def _is_printing(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    return name in ("print", "getLogger", "logging.getLogger") or bool(_PRINTING.fullmatch(name))
