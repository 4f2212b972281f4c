"""Rules from a file or a text: read whole and checked, or refused with a line and advice for each mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from adk_agent_sim.environment.actions import ACTIONS
from adk_agent_sim.environment.actions.raised import BUILT_IN, Exceptions
from adk_agent_sim.environment.finding import Finding, Place, closest, told
from adk_agent_sim.environment.lint import Catalogue, lint
from adk_agent_sim.environment.match import CallNumber, Condition, Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.yaml_text import Text, TextUnreadable
from adk_agent_sim.errors import RulesRefused

_LONGEST = 10_000_000
"""Bytes of a rules file."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What reading a rules file gave."""

    rules: Rules | None
    """None if the file cannot be read as rules at all."""

    findings: list[Finding]

    @property
    def errors(self) -> list[Finding]:
        """What makes the file unusable."""
        return [finding for finding in self.findings if finding.severity == "error"]


def load_rules(path: str | Path, *, exceptions: Exceptions | None = None) -> Rules:
    """The rules of a YAML or JSON file.

    Args:
        path: The file.
        exceptions: The exceptions that `raise` may name, beside the built-in ones.

    Raises:
        RulesRefused: The file has mistakes; each is told with its line and what to do.
    """
    return _usable(check_file(path, exceptions=exceptions), str(path))


def read_rules(text: str, *, source: str = "text", exceptions: Exceptions | None = None) -> Rules:
    """As `load_rules`, from a text."""
    return _usable(check_text(text, source=source, exceptions=exceptions), source)


def check_file(
    path: str | Path, *, exceptions: Exceptions | None = None, catalogue: Catalogue | None = None
) -> Checked:
    """Everything that is wrong with a rules file."""
    try:
        data = Path(path).read_bytes()
        if len(data) > _LONGEST:
            return _unreadable(str(path), 1, f"it is longer than {_LONGEST:,} bytes")
        text = data.decode("utf-8-sig")
    except OSError as error:
        return _unreadable(str(path), 1, f"it cannot be opened: {error.strerror or error}")
    except UnicodeDecodeError:
        return _unreadable(str(path), 1, "it is no UTF-8 text")
    return check_text(text, source=str(path), exceptions=exceptions, catalogue=catalogue)


def check_text(
    text: str, *, source: str = "text", exceptions: Exceptions | None = None, catalogue: Catalogue | None = None
) -> Checked:
    """Everything that is wrong with rules in a text."""
    try:
        read = Text(text)
    except TextUnreadable as error:
        return _unreadable(source, error.line, str(error))
    findings = [_repeated(place, source, line) for place, line in read.repeated]
    rules: Rules | None = None
    try:
        rules = Rules.model_validate(read.value)
        found: Iterator[Finding] = lint(rules, exceptions={**BUILT_IN, **(exceptions or {})}, catalogue=catalogue)
    except ValidationError as error:
        found = _findings(error, read.value)
    if rules is not None and not rules.rules:
        found = iter([_empty()])
    findings += [replace(finding, file=source, line=read.line(finding.place)) for finding in found]
    return Checked(rules=rules, findings=sorted(findings, key=lambda finding: finding.line))


def _usable(checked: Checked, source: str) -> Rules:
    if checked.errors or checked.rules is None:
        raise RulesRefused(source, told(checked.errors))
    return checked.rules


def _unreadable(source: str, line: int, why: str) -> Checked:
    finding = Finding(
        code="unreadable",
        place=(),
        message=f"the file cannot be read: {why}",
        advice="Write YAML or JSON as docs/environment.md shows",
        file=source,
        line=line,
    )
    return Checked(rules=None, findings=[finding])


def _repeated(place: Place, source: str, line: int) -> Finding:
    return Finding(
        code="duplicate-key",
        place=place,
        message=f"{place[-1]!r} stands here a second time",
        advice="Keep one of them: the other would be lost",
        file=source,
        line=line,
    )


def _empty() -> Finding:
    return Finding(
        code="says-nothing", place=("rules",), message="there are no rules", advice="Add one, or leave the file out"
    )


_KEYS: Mapping[str, list[str]] = {
    "": [*Rules.model_fields],
    "rules": [*Rule.model_fields],
    "match": [*Match.model_fields],
    "call": [*CallNumber.model_fields],
    "do": [*ACTIONS],
    "args": [*Condition.model_fields],
}
"""What may stand where, to guess what was meant."""


def _findings(error: ValidationError, value: Any) -> Iterator[Finding]:
    """One finding a place: of the ways in which a union was not met, the one that its shape shows was meant."""
    found: dict[Place, Finding] = {}
    for detail in error.errors(include_url=False):
        finding = _finding(detail, value)
        if finding.code != "bad-delay" or finding.place not in found or isinstance(detail["input"], Mapping | list):
            place = (*finding.place, str(len(found))) if finding.code != "bad-delay" else finding.place
            found[place] = finding
    return iter(found.values())


def _finding(detail: ErrorDetails, value: Any) -> Finding:
    """A mistake that pydantic found, in a person's words."""
    place = _existing(detail["loc"], value)
    message = detail["msg"].removeprefix("Value error, ").removesuffix(".")
    code, advice = _told(detail, place, message)
    if code in ("unknown-key", "unknown-action"):
        message = f"{place[-1]!r} is not known here" if code == "unknown-key" else "there is no such action"
    return Finding(code=code, place=place, message=_decapitalised(message), advice=advice)


def _told(detail: ErrorDetails, place: Place, message: str) -> tuple[str, str]:
    last = str(place[-1]) if place else ""
    kind = detail["type"]
    if kind == "extra_forbidden":
        return "unknown-key", closest(last, _allowed(place), "Take it out, or write one of")
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return "unknown-action", closest(_stated_key(detail["input"]), ACTIONS, "The actions are")
    if kind == "missing":
        return "missing-key", f"Add {str(detail['loc'][-1])!r}"
    if last == "probability":
        return "bad-probability", "Write a number from 0 to 1"
    if {"delay", "timeout"} & set(map(str, place)):
        return "bad-delay", "Write seconds from 0 to 86400, or {uniform: [low, high]}, or {lognormal: {median, sigma}}"
    if "can never hold" in message:
        return "never-fires", "Mend the condition, or take the rule out"
    if (last == "args" and kind == "too_short") or "says nothing" in message:
        return "says-nothing", "Leave the key out to mean all calls"
    return "bad-value", "Mend the value; docs/environment.md shows each key"


def _allowed(place: Place) -> list[str]:
    """What may stand beside a key."""
    inside = [step for step in place[:-1] if isinstance(step, str)]
    return _KEYS.get(inside[-1] if inside else "", [])


def _stated_key(stated: object) -> str:
    keys = list(cast("Mapping[str, Any]", stated)) if isinstance(stated, Mapping) else [str(stated)]
    return keys[0] if keys else ""


def _existing(loc: tuple[str | int, ...], value: Any) -> Place:
    """Where in the file: pydantic's places also name the kind of action, which is no step in the file."""
    place: list[str | int] = []
    for step in loc:
        inside = _step(value, step)
        if inside is not None:
            value = inside[0]
            place.append(step)
    return tuple(place)


def _step(value: Any, step: str | int) -> tuple[Any] | None:
    if isinstance(value, Mapping) and step in value:
        return (cast("Mapping[str, Any]", value)[str(step)],)
    if isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
        return (cast("list[Any]", value)[step],)
    return None


def _decapitalised(message: str) -> str:
    return message[:1].lower() + message[1:]
