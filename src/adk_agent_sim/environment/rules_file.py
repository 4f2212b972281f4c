"""Reads and checks rules files; reports each problem with its line and advice.

text --YamlDocument--> value with lines --pydantic--> Rules --lint_rules--> findings with lines
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from adk_agent_sim.environment.actions import ACTIONS, Mock
from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories
from adk_agent_sim.environment.argument_lint import ModelCheck
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.environment.recorded_sources import read_recorded_sources
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest
from adk_agent_sim.environment.rule_lint import ToolCatalog, lint_rules
from adk_agent_sim.environment.rules import OPERATORS, CallNumber, EarlierCall, Match, Rule, Rules
from adk_agent_sim.environment.variables import find_variable_problems
from adk_agent_sim.environment.yaml_document import AmbiguousText, YamlDocument, YamlUnreadable, read_yaml_file
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.timeline.canonical_json import Json


@dataclass(frozen=True, kw_only=True)
class RulesCheck:
    """The result of checking a rules file."""

    rules: Rules | None
    """None if the file is not valid."""

    findings: list[RuleFinding]

    @property
    def errors(self) -> list[RuleFinding]:
        """The findings that make the file unusable."""
        return [finding for finding in self.findings if finding.severity == "error"]


def load_rules(path: str | Path, *, exceptions: ExceptionFactories | None = None) -> Rules:
    """Read the rules in a YAML or JSON file.

    Args:
        path: The file.
        exceptions: The exceptions that `raise` may name, besides the built-in ones.

    Raises:
        InvalidRules: The file has errors; each is reported with its line and advice.
    """
    return _require_valid_rules(check_rules_file(path, exceptions=exceptions), str(path))


def parse_rules(text: str, *, source: str = "text", exceptions: ExceptionFactories | None = None) -> Rules:
    """Read rules from a text, like `load_rules`."""
    return _require_valid_rules(check_rules_text(text, source=source, exceptions=exceptions), source)


def check_rules_file(
    path: str | Path,
    *,
    exceptions: ExceptionFactories | None = None,
    catalog: ToolCatalog | None = None,
    models: ModelCheck | None = None,
) -> RulesCheck:
    """Find all problems of a rules file; those of the names of tools and models, if they can be checked."""
    try:
        document = read_yaml_file(path)
    except YamlUnreadable as error:
        return _build_unreadable_check(str(path), error.line, str(error))
    check = _check_document(document, str(path), exceptions, catalog, models, folder=Path(path).parent)
    for action in (action for rule in (check.rules.rules if check.rules else ()) for action in rule.do):
        if isinstance(action, Mock):
            action.locate_files(Path(path).parent)
    return check


def check_rules_text(
    text: str, *, source: str = "text", exceptions: ExceptionFactories | None = None, catalog: ToolCatalog | None = None
) -> RulesCheck:
    """Find all problems of rules in a text."""
    try:
        document = YamlDocument(text)
    except YamlUnreadable as error:
        return _build_unreadable_check(source, error.line, str(error))
    return _check_document(document, source, exceptions, catalog)


def _check_document(
    document: YamlDocument,
    source: str,
    exceptions: ExceptionFactories | None,
    catalog: ToolCatalog | None,
    models: ModelCheck | None = None,
    folder: Path | None = None,
) -> RulesCheck:
    findings = [_build_duplicate_key_finding(path, source, line) for path, line in document.duplicate_keys]
    ambiguous = map(_build_ambiguous_text_finding, document.ambiguous_texts)
    problems: list[RuleFinding] = list(find_variable_problems(document.value))
    rules: Rules | None = None
    # A value that refers to an unknown variable would be reported again, as a value of the wrong type.
    if not any(each.severity == "error" for each in problems):
        known = {**BUILT_IN_EXCEPTIONS, **(exceptions or {})}
        rules, others = _validate(document.value, known, catalog, models, folder)
        problems += others
    findings += [
        replace(each, file=source, line=document.find_line(each.key_path)) for each in chain(ambiguous, problems)
    ]
    return RulesCheck(rules=rules, findings=sorted(findings, key=lambda finding: finding.line))


def _validate(
    value: Json,
    exceptions: ExceptionFactories,
    catalog: ToolCatalog | None,
    models: ModelCheck | None,
    folder: Path | None,
) -> tuple[Rules | None, list[RuleFinding]]:
    try:
        rules = Rules.model_validate(value)
    except ValidationError as error:
        return None, list(_convert_validation_errors(error, value))
    if folder is not None:
        read_recorded_sources(rules, folder)
    if not rules.rules:
        advice = "Add a rule, or do not use the file"
        return rules, [RuleFinding(code="no-effect", key_path=("rules",), message="there are no rules", advice=advice)]
    found = lint_rules(rules, exceptions=exceptions, catalog=catalog, models=models)
    return rules, [*_check_empty_keys(rules, ()), *found]


def _require_valid_rules(check: RulesCheck, source: str) -> Rules:
    if check.errors or check.rules is None:
        raise InvalidRules(source, list(map(str, check.errors)))
    return check.rules


def _build_unreadable_check(source: str, line: int, reason: str) -> RulesCheck:
    finding = RuleFinding(
        code="unreadable",
        key_path=(),
        message=f"the file cannot be read: {reason}",
        advice="Write YAML or JSON as described in docs/environment.md",
        file=source,
        line=line,
    )
    return RulesCheck(rules=None, findings=[finding])


def _build_duplicate_key_finding(key_path: KeyPath, source: str, line: int) -> RuleFinding:
    return RuleFinding(
        code="duplicate-key",
        key_path=key_path,
        message=f"the key {key_path[-1]!r} is duplicated",
        advice="Keep one of the entries: only the last would be used",
        file=source,
        line=line,
    )


def _build_ambiguous_text_finding(ambiguous: AmbiguousText) -> RuleFinding:
    return RuleFinding(
        code="ambiguous-text",
        key_path=ambiguous.key_path,
        message=f"{ambiguous.text} is a string here, but other programs read it as {ambiguous.other}",
        advice=f"Write {ambiguous.other}, or '{ambiguous.text}' in quotes",
        severity="warning",
    )


def _check_empty_keys(model: StrictModel, key_path: KeyPath) -> Iterator[RuleFinding]:
    """Yield the keys that are written without a value, which is as if they were not there."""
    for name in sorted(model.model_fields_set):
        field, value = type(model).model_fields[name], getattr(model, name)
        path = (*key_path, field.alias or name)
        if value is None and field.annotation is not Any:
            yield RuleFinding(
                code="no-effect", key_path=path, message="it has no value", advice="Give it a value, or remove it"
            )
        elif isinstance(value, StrictModel):
            yield from _check_empty_keys(value, path)
        elif isinstance(value, list | dict):
            children = cast("dict[str, object] | list[object]", value)
            for key, child in children.items() if isinstance(children, dict) else enumerate(children):
                if isinstance(child, StrictModel):
                    yield from _check_empty_keys(child, (*path, key))


_KEYS_BY_SECTION: Mapping[str, list[str]] = {
    "": [*Rules.model_fields],
    "rules": [*Rule.model_fields],
    "match": [*Match.model_fields],
    "call": [*CallNumber.model_fields],
    "do": [*ACTIONS],
    "during": ["from", "to", "every"],
    "after": [*EarlierCall.model_fields],
    "args": sorted(OPERATORS),
}
"""The keys that each section of a file allows, to suggest corrections of unknown keys."""


def _convert_validation_errors(error: ValidationError, value: Any) -> Iterator[RuleFinding]:
    """Yield findings for pydantic's errors.

    For a delay that is neither a number nor a distribution, pydantic reports one error per variant; only the error of
    the variant that the value resembles is kept.
    """
    findings: dict[KeyPath, RuleFinding] = {}
    for detail in error.errors(include_url=False):
        finding = _convert_error_detail(detail, value)
        is_delay = finding.code == "bad-delay"
        if not is_delay or finding.key_path not in findings or isinstance(detail["input"], Mapping | list):
            # Other errors get a unique key, so that two of them at one position are both reported.
            key = finding.key_path if is_delay else (*finding.key_path, str(len(findings)))
            findings[key] = finding
    return iter(findings.values())


def _convert_error_detail(detail: ErrorDetails, value: Any) -> RuleFinding:
    """Convert one of pydantic's errors to a finding."""
    key_path = _locate_in_file(detail["loc"], value)
    message = detail["msg"].removeprefix("Value error, ").removesuffix(".")
    code, advice = _classify_error(detail, key_path, message)
    if code in _MESSAGES:
        message = _MESSAGES[code].format(key_path[-1] if key_path else "")
    return RuleFinding(code=code, key_path=key_path, message=_lowercase_first(message), advice=advice)


_MESSAGES: Mapping[str, str] = {
    "unknown-key": "{!r} is not known here",
    "unknown-action": "there is no such action",
    "two-actions": "{!r} is a second action in the same mapping",
}
"""The messages for errors that pydantic describes in its own terms."""


def _classify_error(detail: ErrorDetails, key_path: KeyPath, message: str) -> tuple[str, str]:
    last = str(key_path[-1]) if key_path else ""
    kind = detail["type"]
    if kind == "unknown_operator":
        intended = cast("Mapping[str, str]", detail.get("ctx", {}))["intended"]
        return "unknown-operator", f"Write {intended}; or {{equals: ...}}, if the argument is this object"
    if kind == "extra_forbidden" and last in ACTIONS and _is_action(detail["loc"]):
        return "two-actions", "Write a list: do: [{delay: 1}, {respond: ...}]"
    if kind == "extra_forbidden":
        return "unknown-key", suggest_closest(last, _list_allowed_keys(key_path), "Remove it, or write one of")
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return "unknown-action", suggest_closest(_read_action_key(detail["input"]), ACTIONS, "The actions are")
    if kind == "missing":
        return "missing-key", f"Add {str(detail['loc'][-1])!r}"
    if last == "probability":
        return "bad-probability", "Write a number from 0 to 1"
    if {"delay", "timeout"} & set(map(str, key_path)):
        return "bad-delay", "Write seconds from 0 to 86400, or {uniform: [low, high]}, or {lognormal: {median, sigma}}"
    if "can never hold" in message:
        return "never-fires", "Fix the condition, or remove the rule"
    if (last in ("args", "state", "result", "same", "per") and kind == "too_short") or "is empty" in message:
        return "no-effect", "Leave the key out to match all calls"
    return "bad-value", "Fix the value; docs/environment.md describes each key"


def _is_action(location: tuple[str | int, ...]) -> bool:
    """Whether an error is about a key of an action itself, not about one inside its value."""
    # Pydantic's location names the action's variant of the union: rules, 0, do, 1, delay, respond.
    return len(location) >= 3 and location[-2] in ACTIONS and isinstance(location[-3], int)


def _list_allowed_keys(key_path: KeyPath) -> list[str]:
    """Return the keys that are allowed beside a key."""
    sections = [step for step in key_path[:-1] if isinstance(step, str)]
    return _KEYS_BY_SECTION.get(sections[-1] if sections else "", [])


def _read_action_key(value: object) -> str:
    keys = list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else [str(value)]
    return keys[0] if keys else ""


def _locate_in_file(location: tuple[str | int, ...], value: Any) -> KeyPath:
    """Return the position in the file, without the union variants that pydantic's location also names."""
    key_path: list[str | int] = []
    for step, following in zip(location, (*location[1:], ""), strict=False):
        if step in ACTIONS and _descend(value, following) is not None:
            continue  # the variant of the action, before the key itself: rules, 0, do, 1, delay, delay
        child = _descend(value, step)
        if child is not None:
            value = child[0]
            key_path.append(step)
    return tuple(key_path)


def _descend(value: Any, step: str | int) -> tuple[Any] | None:
    """Return the child in a tuple, because the child itself may be None."""
    if isinstance(value, Mapping) and step in value:
        return (cast("Mapping[str, Any]", value)[str(step)],)
    if isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
        return (cast("list[Any]", value)[step],)
    return None


def _lowercase_first(message: str) -> str:
    return message[:1].lower() + message[1:]
