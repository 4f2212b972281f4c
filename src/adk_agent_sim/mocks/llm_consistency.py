"""Whether a call, and what a model responds to it, is consistent with what exists in the session.

call --> is its resource there? --no--> a response like a 404
                 |
                 yes --> the model responds --> does its response contradict anything?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adk_agent_sim.mocks.llm_connections import BY_ID, ResourceUse, ToolConnections
from adk_agent_sim.mocks.llm_json import UnusableAnswer
from adk_agent_sim.mocks.llm_state import (
    MANY,
    AnsweredCall,
    SessionResources,
    WorldKnowledge,
    find_own_id,
    find_value,
    iter_items,
    list_ids,
)
from adk_agent_sim.mocks.tool_intent import ResourceOperation
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping


@dataclass(frozen=True, slots=True)
class MissingResource:
    """A resource that a call needs, and that does not exist."""

    resource: str
    resource_id: str
    was_deleted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsistencyCheck:
    """What exists at the time of a call."""

    connections: ToolConnections
    resources: SessionResources
    knowledge: WorldKnowledge

    def find_missing(self, tool: str, args: Mapping[str, Json]) -> MissingResource | None:
        """Return the first resource that a call needs and that does not exist; None if all do, or may."""
        for use in self.connections.list_uses(tool):
            for resource_id in list_ids(args.get(use.id_name)) if use.operation in BY_ID else ():
                was_deleted = self.resources.was_deleted(use.resource, resource_id)
                # What no tool creates comes from outside of the session, so any id of it may exist.
                may_exist = not self.connections.is_created(use.resource) or self._exists(use, resource_id)
                if was_deleted or not may_exist:
                    return MissingResource(use.resource, resource_id, was_deleted)
        return None

    def check_response(self, call: AnsweredCall) -> None:
        """Raise UnusableAnswer if the response of a call contradicts its arguments or what exists."""
        for use in self.connections.list_uses(call.tool):
            if use.operation is ResourceOperation.CREATE:
                self._check_new_id(use, call)
            elif use.operation in MANY:
                self._check_list(use, call)
            else:
                _check_subject(use, call)

    def _check_new_id(self, use: ResourceUse, call: AnsweredCall) -> None:
        if not use.id_name or use.id_name in call.args:
            return
        new_ids = list_ids(find_value(call.response, use.id_name))
        if not new_ids:
            raise UnusableAnswer(f"the result has no {use.id_name!r} with the id of the new {use.resource}")
        for new_id in new_ids:
            if self.resources.has(use.resource, new_id) or self.resources.was_deleted(use.resource, new_id):
                raise UnusableAnswer(f"the {use.resource} {new_id!r} exists already; give the new one another id")

    def _check_list(self, use: ResourceUse, call: AnsweredCall) -> None:
        if not self.connections.is_created(use.resource):
            return
        for item in iter_items(call.response):
            found_id = find_own_id(item, self.connections.list_id_names(use.resource))
            if found_id and not self._exists(use, found_id):
                raise UnusableAnswer(f"there is no {use.resource} {found_id!r}; list only what exists")

    def _exists(self, use: ResourceUse, resource_id: str) -> bool:
        return self.resources.has(use.resource, resource_id) or self.knowledge.mentions(resource_id)


def _check_subject(use: ResourceUse, call: AnsweredCall) -> None:
    fields = as_mapping(call.response)
    wanted, found = list_ids(call.args.get(use.id_name)), list_ids(fields.get(use.id_name))
    if wanted and found and wanted != found:
        raise UnusableAnswer(
            f"the result is about {use.id_name} {', '.join(found)!r}, and the call about {', '.join(wanted)!r}"
        )
