"""Says what the validator found in words for the person who fills a form: the field, and what would fit there.

The words for one keyword are in `messages.py`; here is what needs the whole schema, or all variants of a union.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.dialect import JsonSchema, subschema
from adk_agent_sim.forms.formats import FORMATS
from adk_agent_sim.forms.messages import choices_in_words, dotted, kinds_in_words, message, shown, stated_by, tag_of


class Wording:
    """The words for one schema."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root

    def problems(self, error: ValidationError) -> Iterable[Problem]:
        """One error of the validator as problems at the fields they concern."""
        if error.validator in ("anyOf", "oneOf") and error.context:
            return self._no_variant(error)
        return [Problem(path=dotted(error.absolute_path), message=self._message(error))]

    def _message(self, error: ValidationError) -> str:
        if error.validator == "required":
            wanted = self._wanted(stated_by(error).get("properties", {}).get(error.path[-1]))
            return f"is required ({wanted})" if wanted else "is required"
        if error.validator == "propertyNames" and error.context:
            return f"its name {self._message(error.context[0])}"
        return message(error)

    def _no_variant(self, error: ValidationError) -> Iterable[Problem]:
        """A value that fits no variant of a union: what is wrong with the variant that was meant, if that is clear."""
        if missing := _missing_tag(error):
            return [missing]
        groups = _by_variant(error)
        meant = [errors for errors in groups if not any(map(_is_other_kind, errors))]
        tagged = [errors for errors in meant if not any(map(_is_other_tag, errors))]
        if len(tagged) == 1 or len(meant) == 1:
            return [problem for one in (tagged or meant)[0] for problem in self.problems(one)]
        if meant and not tagged and (wrong := _wrong_tag(meant)):
            return [wrong]
        return [Problem(path=dotted(error.absolute_path), message=self._none_fits(error, groups, meant))]

    def _none_fits(self, error: ValidationError, groups: Sequence[Any], meant: Sequence[Any]) -> str:
        variants = cast("Sequence[Any]", error.validator_value)
        kinds = [self._kind(variant) for variant in variants]
        if all(kinds) and (not meant or len(set(kinds)) == len(kinds)):
            distinct = dict.fromkeys(cast("list[str]", kinds))
            if len(distinct) == len(kinds):
                return f"is {shown(error.instance)}, must be {' or '.join(distinct)}"
        closest = min(meant, key=len) if meant else None
        hint = f"; closest: {next(iter(self.problems(closest[0])))}" if closest else ""
        return f"is {shown(error.instance)}, fits none of {len(variants)} variants{hint}"

    def _kind(self, schema: object) -> str | None:
        """What a schema wants, in a word or two; None if that takes more."""
        found = self._followed(schema)
        if "const" in found:
            return shown(found["const"])
        if "enum" in found:
            return f"one of: {choices_in_words(found['enum'])}"
        stated = found.get("type")
        return kinds_in_words(stated) if stated else None

    def _wanted(self, schema: object) -> str | None:
        found = self._followed(schema)
        if isinstance(name := found.get("format"), str) and name in FORMATS:
            return FORMATS[name].wanted
        variants = cast("Sequence[Any]", found.get("anyOf") or found.get("oneOf") or ())
        kinds = dict.fromkeys(self._kind(variant) for variant in variants)
        if variants and all(kinds):
            return " or ".join(map(str, kinds))
        return self._kind(found)

    def _followed(self, schema: object) -> Mapping[str, Any]:
        """The schema, or what its reference names; a chain of references is followed a little way only."""
        for _ in range(5):
            if not isinstance(schema, Mapping):
                return {}
            found = cast("Mapping[str, Any]", schema)
            if "$ref" not in found:
                return found
            schema = subschema(self._root, found["$ref"])
        return {}


def _by_variant(error: ValidationError) -> list[list[ValidationError]]:
    variants: dict[object, list[ValidationError]] = {}
    for one in error.context or ():
        variants.setdefault(one.relative_schema_path[0], []).append(one)
    return list(variants.values())


def _is_other_kind(error: ValidationError) -> bool:
    """Whether the value itself, not something in it, is of another type than the variant."""
    return error.validator in ("type", "const", "enum") and not error.relative_path


def _is_other_tag(error: ValidationError) -> bool:
    """Whether a field of the value says that another variant was meant."""
    return error.validator in ("const", "enum") and len(error.relative_path) == 1


def _missing_tag(error: ValidationError) -> Problem | None:
    """What to say when the field that tells the variants apart is not there."""
    name = tag_of(error)
    value = cast("object", error.instance)
    if name is None or not isinstance(value, Mapping) or name in value:
        return None
    values = cast("object", stated_by(error)["discriminator"].get("mapping"))
    known = (
        f" (one of: {choices_in_words(list(cast('Mapping[str, Any]', values)))})" if isinstance(values, Mapping) else ""
    )
    return Problem(path=dotted([*error.absolute_path, name]), message=f"is required{known}")


def _wrong_tag(groups: Sequence[Sequence[ValidationError]]) -> Problem | None:
    """What to say when one field, in every variant, wants other values than it has."""
    fields = [{one.relative_path[0]: one for one in errors if _is_other_tag(one)} for errors in groups]
    shared = [name for name in fields[0] if all(name in tags for tags in fields)]
    if not shared:
        return None
    tags = [one[shared[0]] for one in fields]
    wanted = [value for tag in tags for value in _values(tag)]
    message = f"is {shown(tags[0].instance)}, must be one of: {choices_in_words(wanted)}"
    return Problem(path=dotted(tags[0].absolute_path), message=message)


def _values(error: ValidationError) -> Sequence[Any]:
    stated = cast("Any", error.validator_value)
    return stated if error.validator == "enum" else [stated]
