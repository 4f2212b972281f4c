"""How tools depend on each other, as a model has analysed it: which tool makes what another one needs.

    {"resources": [{"name": "order", "uses": [{"tool": "create_order", "operation": "create", "id": "order_id"},
                                              {"tool": "get_order", "operation": "get", "id": "order_id"}]}]}

The model's text is not trusted: tools and arguments that do not exist are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from adk_agent_sim.mocks.llm_json import UnusableAnswer
from adk_agent_sim.mocks.name_words import fold_name
from adk_agent_sim.mocks.resource_store import fold_noun
from adk_agent_sim.mocks.tool_intent import ResourceOperation
from adk_agent_sim.mocks.tool_spec import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json

_MAX_USES = 2_000
"""How many uses of resources an analysis may have."""

BY_ID = frozenset({ResourceOperation.GET, ResourceOperation.UPDATE, ResourceOperation.DELETE})
"""What a call does to one resource that exists."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceUse:
    """What a tool does with a kind of resource."""

    resource: str
    """The kind of resource, in the singular."""

    tool: str
    operation: ResourceOperation

    id_name: str = ""
    """The argument with the id of the resource; of a tool that creates it, the field of the response, or the argument
    if the caller chooses it."""

    def __str__(self) -> str:
        by = f" by {self.id_name}" if self.id_name else ""
        return f"{self.operation} {self.resource}{by}"


@dataclass(frozen=True, slots=True)
class ToolConnections:
    """The uses of all tools."""

    uses: tuple[ResourceUse, ...] = ()

    def list_uses(self, tool: str) -> list[ResourceUse]:
        """Return what a tool does."""
        return [use for use in self.uses if use.tool == tool]

    def list_id_names(self, resource: str) -> list[str]:
        """Return the names under which ids of a kind of resource are known."""
        return list(dict.fromkeys(use.id_name for use in self.uses if use.resource == resource and use.id_name))

    def is_created(self, resource: str) -> bool:
        """Whether a tool creates this kind of resource, so that one that was never created does not exist."""
        return any(use.resource == resource and use.operation is ResourceOperation.CREATE for use in self.uses)


def parse_connections(answer: Mapping[str, Json], specs: Sequence[ToolSpec]) -> ToolConnections:
    """Return the connections in an answer of a model.

    Args:
        answer: The object that the model gave.
        specs: The tools that it was asked about.

    Raises:
        UnusableAnswer: The object has another shape.
    """
    resources = answer.get("resources")
    if not isinstance(resources, list):
        raise UnusableAnswer("`resources` must be a list of objects with `name` and `uses`")
    known = {spec.name: spec for spec in specs}
    found = list(dict.fromkeys(_iter_uses(cast("list[Json]", resources), known)))
    if len(found) > _MAX_USES:
        raise UnusableAnswer(f"there are more than {_MAX_USES:,} uses")
    return ToolConnections(tuple(found))


def _iter_uses(resources: Sequence[Json], known: Mapping[str, ToolSpec]) -> Iterator[ResourceUse]:
    for resource in resources:
        fields = cast("dict[str, Json]", resource) if isinstance(resource, dict) else {}
        name, uses = fields.get("name"), fields.get("uses")
        if not isinstance(name, str) or not name.strip() or not isinstance(uses, list):
            raise UnusableAnswer("each resource must have a `name` and a list of `uses`")
        for each in cast("list[Json]", uses):
            use = cast("dict[str, Json]", each) if isinstance(each, dict) else {}
            if not isinstance(use.get("tool"), str):
                raise UnusableAnswer(f"each use of {name[:80]!r} must be an object with `tool`, `operation` and `id`")
            parsed = _parse_use(fold_noun(name), use, known)
            if parsed is not None:
                yield parsed


def _parse_use(resource: str, use: Mapping[str, Json], known: Mapping[str, ToolSpec]) -> ResourceUse | None:
    spec = known.get(use["tool"])
    try:
        operation = ResourceOperation(str(use.get("operation")).lower())
    except ValueError:
        raise UnusableAnswer(f"`operation` must be one of {', '.join(ResourceOperation)}") from None
    if spec is None:
        return None
    id_name = use.get("id") if isinstance(use.get("id"), str) else ""
    # The spelling of the tool, not that of the model.
    arguments = {fold_name(name): name for name in spec.argument_names}
    id_name = arguments.get(fold_name(str(id_name)), str(id_name))
    if operation in BY_ID and id_name not in spec.argument_names:
        return None
    if operation in (ResourceOperation.LIST, ResourceOperation.SEARCH):
        id_name = ""
    return ResourceUse(resource=resource, tool=spec.name, operation=operation, id_name=id_name)
