"""The web API as an OpenAPI document, including the WebSocket's messages as components.

`python -m adk_agent_sim.server.web.openapi` prints it, and the browser's TypeScript types are generated from it; with
`--session-defaults` it prints the defaults of a session's fields. The output depends only on the code, byte for byte.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema
from pydantic_core import to_jsonable_python

from adk_agent_sim.server.sessions.session_api_models import (
    AgentsUpdate,
    FollowRequest,
    SessionDetail,
    SessionGone,
    SessionListUpdate,
    SessionUpdate,
)
from adk_agent_sim.server.web.web_app import create_app

_SOCKET_MESSAGES = (FollowRequest, SessionUpdate, SessionListUpdate, SessionGone, AgentsUpdate)
"""The WebSocket's messages, which OpenAPI cannot describe as endpoints."""


def build_document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    document = create_app(None).openapi()
    _, schemas = models_json_schema(
        [(model, "serialization" if model is not FollowRequest else "validation") for model in _SOCKET_MESSAGES],
        ref_template="#/components/schemas/{model}",
    )
    components: dict[str, Any] = document["components"]["schemas"]
    for name, schema in schemas["$defs"].items():
        components.setdefault(name, schema)
    document["components"]["schemas"] = dict(sorted(components.items()))
    return document


def render_document() -> str:
    """Return the document as text."""
    return json.dumps(build_document(), indent=2, sort_keys=True) + "\n"


def render_session_defaults() -> str:
    """Return the fields of a session that have a default, as JSON: what the browser knows of one nobody plays."""
    fields = SessionDetail.model_fields.items()
    defaults = {name: field.get_default(call_default_factory=True) for name, field in fields if not field.is_required()}
    return json.dumps(to_jsonable_python(defaults), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render_session_defaults() if "--session-defaults" in sys.argv else render_document())
