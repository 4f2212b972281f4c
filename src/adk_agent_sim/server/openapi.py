"""The API as an OpenAPI document, the messages of the WebSocket among its components.

`python -m adk_agent_sim.server.openapi` prints it; the browser's TypeScript types are made from it. The same code gives
the same text, byte by byte.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema

from adk_agent_sim.server.api_models import FollowRequest, SessionGone, SessionListUpdate, SessionUpdate
from adk_agent_sim.server.web_app import create_app

_SOCKET_MESSAGES = (FollowRequest, SessionUpdate, SessionListUpdate, SessionGone)
"""What the WebSocket carries, which OpenAPI has no words for."""


def build_document() -> dict[str, Any]:
    """The document."""
    found = create_app(None).openapi()
    _, schemas = models_json_schema(
        [(shape, "serialization" if shape is not FollowRequest else "validation") for shape in _SOCKET_MESSAGES],
        ref_template="#/components/schemas/{model}",
    )
    components: dict[str, Any] = found["components"]["schemas"]
    for name, schema in schemas["$defs"].items():
        components.setdefault(name, schema)
    found["components"]["schemas"] = dict(sorted(components.items()))
    return found


def render_document() -> str:
    """The document as it is written."""
    return json.dumps(build_document(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render_document())
