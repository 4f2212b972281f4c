"""Rules from a file or a text: read whole and checked, or refused with a line and advice for each mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from adk_agent_sim.environment.actions import ACTIONS
from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, format_findings, suggest_closest
from adk_agent_sim.environment.rule_lint import ToolCatalog, lint_rules
from adk_agent_sim.environment.rule_match import ArgumentCondition, CallNumber, Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.yaml_document import YamlDocument, YamlUnreadable
from adk_agent_sim.errors import InvalidRules

_MAX_FILE_BYTES = 10_000_000
"""Bytes of a rules file."""


@dataclass(frozen=True, kw_only=True)
class RulesCheck:
    """What reading a rules file gave."""

    rules: Rules | None
    """None if the file cannot be read as rules at all."""

    findings: list[RuleFinding]

    @property
    def errors(self) -> list[RuleFinding]:
        """What makes the file unusable."""
        return [finding for finding in self.findings if finding.severity == "error"]


def load_rules(path: str | Path, *, exceptions: ExceptionFactories | None = None) -> Rules:
    """The rules of a YAML or JSON file.

    Args:
        path: The file.
        exceptions: The exceptions that `raise` may name, beside the built-in ones.

    Raises:
        InvalidRules: The file has mistakes; each is told with its line and what to do.
    """
    return _require_valid_rules(check_rules_file(path, exceptions=exceptions), str(path))


def parse_rules(text: str, *, source: str = "text", exceptions: ExceptionFactories | None = None) -> Rules:
    """As `load_rules`, from a text."""
    return _require_valid_rules(check_rules_text(text, source=source, exceptions=exceptions), source)


def check_rules_file(
    path: str | Path, *, exceptions: ExceptionFactories | None = None, catalog: ToolCatalog | None = None
) -> RulesCheck:
    """Everything that is wrong with a rules file."""
    try:
        data = Path(path).read_bytes()
        if len(data) > _MAX_FILE_BYTES:
            return _build_unreadable_check(str(path), 1, f"it is longer than {_MAX_FILE_BYTES:,} bytes")
        text = data.decode("utf-8-sig")
    except OSError as error:
        return _build_unreadable_check(str(path), 1, f"it cannot be opened: {error.strerror or error}")
    except UnicodeDecodeError:
        return _build_unreadable_check(str(path), 1, "it is no UTF-8 text")
    return check_rules_text(text, source=str(path), exceptions=exceptions, catalog=catalog)


def check_rules_text(
    text: str, *, source: str = "text", exceptions: ExceptionFactories | None = None, catalog: ToolCatalog | None = None
) -> RulesCheck:
    """Everything that is wrong with rules in a text."""
    try:
        read = YamlDocument(text)
    except YamlUnreadable as error:
        return _build_unreadable_check(source, error.line, str(error))
    findings = [_build_duplicate_key_finding(place, source, line) for place, line in read.duplicate_keys]
    rules: Rules | None = None
    try:
        rules = Rules.model_validate(read.value)
        found: Iterator[RuleFinding] = lint_rules(
            rules, exceptions={**BUILT_IN_EXCEPTIONS, **(exceptions or {})}, catalog=catalog
        )
    except ValidationError as error:
        found = _convert_validation_errors(error, read.value)
    if rules is not None and not rules.rules:
        found = iter([_build_no_rules_finding()])
    findings += [replace(finding, file=source, line=read.find_line(finding.key_path)) for finding in found]
    return RulesCheck(rules=rules, findings=sorted(findings, key=lambda finding: finding.line))


def _require_valid_rules(check: RulesCheck, source: str) -> Rules:
    if check.errors or check.rules is None:
        raise InvalidRules(source, format_findings(check.errors))
    return check.rules


def _build_unreadable_check(source: str, line: int, reason: str) -> RulesCheck:
    finding = RuleFinding(
        code="unreadable",
        key_path=(),
        message=f"the file cannot be read: {reason}",
        advice="Write YAML or JSON as docs/environment.md shows",
        file=source,
        line=line,
    )
    return RulesCheck(rules=None, findings=[finding])


def _build_duplicate_key_finding(key_path: KeyPath, source: str, line: int) -> RuleFinding:
    return RuleFinding(
        code="duplicate-key",
        key_path=key_path,
        message=f"{key_path[-1]!r} stands here a second time",
        advice="Keep one of them: the other would be lost",
        file=source,
        line=line,
    )


def _build_no_rules_finding() -> RuleFinding:
    return RuleFinding(
        code="says-nothing", key_path=("rules",), message="there are no rules", advice="Add one, or leave the file out"
    )


_KEYS_BY_SECTION: Mapping[str, list[str]] = {
    "": [*Rules.model_fields],
    "rules": [*Rule.model_fields],
    "match": [*Match.model_fields],
    "call": [*CallNumber.model_fields],
    "do": [*ACTIONS],
    "args": [*ArgumentCondition.model_fields],
}
"""What may stand where, to guess what was meant."""


def _convert_validation_errors(error: ValidationError, value: Any) -> Iterator[RuleFinding]:
    """One finding a place: of the ways in which a union was not met, the one that its shape shows was meant."""
    found: dict[KeyPath, RuleFinding] = {}
    for detail in error.errors(include_url=False):
        finding = _convert_error_detail(detail, value)
        if finding.code != "bad-delay" or finding.key_path not in found or isinstance(detail["input"], Mapping | list):
            place = (*finding.key_path, str(len(found))) if finding.code != "bad-delay" else finding.key_path
            found[place] = finding
    return iter(found.values())


def _convert_error_detail(detail: ErrorDetails, value: Any) -> RuleFinding:
    """A mistake that pydantic found, in a person's words."""
    place = _locate_in_file(detail["loc"], value)
    message = detail["msg"].removeprefix("Value error, ").removesuffix(".")
    code, advice = _classify_error(detail, place, message)
    if code in ("unknown-key", "unknown-action"):
        message = f"{place[-1]!r} is not known here" if code == "unknown-key" else "there is no such action"
    return RuleFinding(code=code, key_path=place, message=_lowercase_first(message), advice=advice)


def _classify_error(detail: ErrorDetails, key_path: KeyPath, message: str) -> tuple[str, str]:
    last = str(key_path[-1]) if key_path else ""
    kind = detail["type"]
    if kind == "extra_forbidden":
        return "unknown-key", suggest_closest(last, _list_allowed_keys(key_path), "Take it out, or write one of")
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return "unknown-action", suggest_closest(_read_action_key(detail["input"]), ACTIONS, "The actions are")
    if kind == "missing":
        return "missing-key", f"Add {str(detail['loc'][-1])!r}"
    if last == "probability":
        return "bad-probability", "Write a number from 0 to 1"
    if {"delay", "timeout"} & set(map(str, key_path)):
        return "bad-delay", "Write seconds from 0 to 86400, or {uniform: [low, high]}, or {lognormal: {median, sigma}}"
    if "can never hold" in message:
        return "never-fires", "Mend the condition, or take the rule out"
    if (last == "args" and kind == "too_short") or "says nothing" in message:
        return "says-nothing", "Leave the key out to mean all calls"
    return "bad-value", "Mend the value; docs/environment.md shows each key"


def _list_allowed_keys(key_path: KeyPath) -> list[str]:
    """What may stand beside a key."""
    inside = [step for step in key_path[:-1] if isinstance(step, str)]
    return _KEYS_BY_SECTION.get(inside[-1] if inside else "", [])


def _read_action_key(value: object) -> str:
    keys = list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else [str(value)]
    return keys[0] if keys else ""


def _locate_in_file(location: tuple[str | int, ...], value: Any) -> KeyPath:
    """Where in the file: pydantic's places also name the kind of action, which is no step in the file."""
    place: list[str | int] = []
    for step in location:
        inside = _descend(value, step)
        if inside is not None:
            value = inside[0]
            place.append(step)
    return tuple(place)


def _descend(value: Any, step: str | int) -> tuple[Any] | None:
    if isinstance(value, Mapping) and step in value:
        return (cast("Mapping[str, Any]", value)[str(step)],)
    if isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
        return (cast("list[Any]", value)[step],)
    return None


def _lowercase_first(message: str) -> str:
    return message[:1].lower() + message[1:]
