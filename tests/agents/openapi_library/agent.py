"""A librarian whose tools are generated from an OpenAPI document; the service runs on a port of this process."""

from __future__ import annotations

from google.adk.agents import LlmAgent
from google.adk.tools.openapi_tool import OpenAPIToolset

from .library_server import build_document, start_library

root_agent = LlmAgent(
    name="openapi_library",
    model="gemini-2.5-flash",
    description="Lends books.",
    instruction="Find the book, then lend it.",
    tools=[OpenAPIToolset(spec_dict=build_document(start_library()), allow_private_network_access=True)],
)
