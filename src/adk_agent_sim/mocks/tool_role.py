"""What a tool does with the resources of a session: inferred from its name and arguments, or declared.

place_order(order)               creates an order          by its name
orders_get(id), getOrderById     gets an order             by its name and an argument with the order's id
tickets(action="close", id)      changes a ticket          by the argument that says what to do
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.mocks.resource_store import fold_noun
from adk_agent_sim.mocks.tool_intent import (
    BOOKING_NOUNS,
    NEW_VERBS,
    ResourceOperation,
    fold_name,
    read_intent,
    split_words,
)
from adk_agent_sim.timeline.canonical_json import Json

_ACTION_ARGUMENTS = ("action", "operation", "op", "command", "method", "verb")
_ID_ENDINGS = ("id", "number", "code", "key", "sku", "ref", "reference", "uuid")
_BY_ID = frozenset({ResourceOperation.GET, ResourceOperation.UPDATE, ResourceOperation.DELETE})


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRole:
    """What a call does, and to what."""

    operation: ResourceOperation

    noun: str
    """The kind of resource, in the singular."""

    id_argument: str = ""
    """The argument with the id of the resource; empty if there is none."""

    action_argument: str = ""
    """The argument that says what to do, if the tool does several things."""

    status: str = ""
    """The status that the call sets, if its verb says so."""

    is_declared: bool = False
    """Whether the rules say so; otherwise it is inferred."""


def infer_role(spec: ToolSpec, args: Mapping[str, Json] | None = None) -> ToolRole | None:
    """Return what a call of a tool does; None if its name and arguments do not say.

    Args:
        spec: The tool.
        args: The arguments of the call, if the tool does several things.
    """
    action_argument = find_action_argument(spec)
    intent = read_intent(spec.name)
    operation, noun, status = intent.operation, intent.noun, intent.status
    if action_argument:
        action = read_intent(str((args or {}).get(action_argument, "")))
        operation, noun, status = action.operation, noun or action.noun, action.status
    if operation is None or not noun:
        return None
    noun = fold_noun(noun)
    id_argument = find_id_argument(spec, noun)
    if operation is ResourceOperation.LIST and id_argument and not action_argument:
        operation = ResourceOperation.GET  # get_orders(order_id)
    elif operation is ResourceOperation.GET and not id_argument:
        operation = ResourceOperation.LIST
    elif operation is ResourceOperation.CREATE and id_argument and not action_argument:
        if intent.verb in BOOKING_NOUNS:
            noun, id_argument = BOOKING_NOUNS[intent.verb], ""
        elif intent.verb not in NEW_VERBS:
            operation = ResourceOperation.UPDATE
    if operation in _BY_ID and not id_argument:
        return None
    if operation in (ResourceOperation.LIST, ResourceOperation.SEARCH):
        id_argument = ""
    return ToolRole(
        operation=operation, noun=noun, id_argument=id_argument, action_argument=action_argument, status=status
    )


def declare_role(
    spec: ToolSpec, args: Mapping[str, Json], operation: ResourceOperation | None, noun: str, id_argument: str
) -> ToolRole | None:
    """Return what a call does, with the parts that rules declare; None if that is not enough."""
    inferred = infer_role(spec, args)
    if inferred is None:
        intent = read_intent(spec.name)
        operation, noun = operation or intent.operation, noun or intent.noun
        if operation is None or not noun:
            return None
        inferred = ToolRole(operation=operation, noun=noun, action_argument=find_action_argument(spec))
    noun = fold_noun(noun) if noun else inferred.noun
    return replace(
        inferred,
        operation=operation or inferred.operation,
        noun=noun,
        id_argument=id_argument or inferred.id_argument or find_id_argument(spec, noun),
        is_declared=True,
    )


def find_action_argument(spec: ToolSpec) -> str:
    """Return the argument that says what a tool does; empty if the tool does one thing."""
    return next((name for name in spec.argument_names if fold_name(name) in _ACTION_ARGUMENTS), "")


def find_id_argument(spec: ToolSpec, noun: str) -> str:
    """Return the argument with the id of a resource of a kind; empty if there is none."""
    nouns = {fold_name(noun), fold_name(noun.rsplit("_", maxsplit=1)[-1])}
    wanted = ["id", *(f"{each}{ending}" for each in nouns for ending in _ID_ENDINGS), *nouns]
    properties = spec.parameters.get("properties", {})
    # The object of `place_order(order)` is no id.
    names = {fold_name(name): name for name in properties if not _is_object(properties[name])}
    return next((names[each] for each in wanted if each in names), "")


@lru_cache(maxsize=256)
def list_created_nouns(specs: tuple[ToolSpec, ...]) -> frozenset[str]:
    """Return the kinds of resources that tools create. One of them that was never created does not exist."""
    roles = [infer_role(spec, args) for spec in specs for args in _list_actions(spec)]
    return frozenset(role.noun for role in roles if role and role.operation is ResourceOperation.CREATE)


def find_referenced_noun(argument: str) -> str:
    """Return the kind of resource whose id an argument is, such as `order` for `order_id`; empty if it is no id."""
    words = split_words(argument)
    return "_".join(words[:-1]) if len(words) > 1 and words[-1] == "id" else ""


def _list_actions(spec: ToolSpec) -> list[dict[str, Json]]:
    name = find_action_argument(spec)
    choices = spec.parameters.get("properties", {}).get(name, {}).get("enum", ()) if name else ()
    return [{name: choice} for choice in choices] or [{}]


def _is_object(schema: Mapping[str, Json]) -> bool:
    return bool({"$ref", "properties"} & schema.keys()) or schema.get("type") in ("object", "array")
