"""Recorded answers to soft checks: a JSON Lines file with which any verdict can be reproduced without a model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from adk_agent_sim.errors import InvalidAnswersFile, NotJudgeable
from adk_agent_sim.scenario.verdict.soft_check import SoftAnswer, SoftCheck, SoftJudge
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

REPLAY_PREFIX = "replay:"


def find_soft_judge(soft: SoftJudge | str | None) -> SoftJudge | None:
    """Return who answers soft checks: the given callable, recorded answers, or nobody.

    Raises:
        InvalidAnswersFile: The file with recorded answers cannot be used, or the text names none.
    """
    if soft is None or callable(soft):
        return soft
    if not soft.startswith(REPLAY_PREFIX):
        raise InvalidAnswersFile(soft, f"write {REPLAY_PREFIX}FILE, or pass a callable")
    return ReplayedAnswers(soft.removeprefix(REPLAY_PREFIX))


class ReplayedAnswers:
    """Answers soft checks as recorded."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._answers = read_answers(path)

    def __call__(self, check: SoftCheck) -> SoftAnswer:
        """Return the recorded answer.

        Raises:
            NotJudgeable: There is none.
        """
        found = self._answers.get(check.key)
        if found is None:
            raise NotJudgeable(
                check.tool,
                f"{self._path} has no answer to the check of {check.argument!r:.80}. Record it with --judge MODEL",
            )
        return found


class RecordedAnswers:
    """Passes soft checks on and appends each new answer to a file; known questions are answered from it."""

    def __init__(self, soft: SoftJudge, path: str | Path) -> None:
        self._soft = soft
        self._path = Path(path)
        self._answers = read_answers(path) if self._path.exists() else {}

    def __call__(self, check: SoftCheck) -> SoftAnswer:
        """Return the answer, and record it if it is new."""
        found = self._answers.get(check.key)
        if found is None:
            given = self._soft(check)
            found = given if isinstance(given, SoftAnswer) else SoftAnswer(passed=bool(given))
            self._answers[check.key] = found
            row = {"key": check.key, "passed": found.passed, "reply": found.reply, **asdict(check)}
            # Each answer is written at once, so that an interrupted run does not have to ask for it again.
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=True, default=str) + "\n")
        return found


def read_answers(path: str | Path) -> dict[str, SoftAnswer]:
    """Return the answers in a file by the keys of their checks.

    Raises:
        InvalidAnswersFile: The file cannot be read, or a line of it is no answer.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidAnswersFile(str(path), str(error)) from error
    answers: dict[str, SoftAnswer] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            key, answer = _read_answer(path, number, line)
            answers[key] = answer
    return answers


def _read_answer(path: str | Path, number: int, line: str) -> tuple[str, SoftAnswer]:
    try:
        value: Any = parse_json(line)
    except InvalidJson as error:
        raise InvalidAnswersFile(str(path), f"line {number}: {error.reason}") from error
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    key, passed, reply = row.get("key"), row.get("passed"), row.get("reply", "")
    if not isinstance(key, str) or not isinstance(passed, bool) or not isinstance(reply, str):
        raise InvalidAnswersFile(str(path), f"line {number}: an answer has `key`, `passed` (true or false) and `reply`")
    return key, SoftAnswer(passed=passed, reply=reply)
