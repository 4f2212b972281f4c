"""Agents that pause: workflows that ask for input, and tools that need the user's credential."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    HTTPBearer,
    OAuth2,
    OAuthFlowAuthorizationCode,
    OAuthFlows,
)
from google.adk.agents import LlmAgent
from google.adk.agents.context import Context
from google.adk.apps import App
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes, OAuth2Auth
from google.adk.auth.auth_handler import AuthHandler
from google.adk.auth.auth_tool import AuthConfig
from google.adk.events import Event
from google.adk.events.request_input import RequestInput
from google.adk.models import BaseLlm
from google.adk.tools import FunctionTool, ToolContext, request_input
from google.adk.workflow import START, FunctionNode, Workflow
from google.genai import types
from pydantic import BaseModel

API_KEY = AuthConfig(
    auth_scheme=APIKey.model_validate({"in": APIKeyIn.header, "name": "X-Weather-Key"}),
    raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.API_KEY),
)
BASIC = AuthConfig(
    auth_scheme=HTTPBase(scheme="basic"), raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.HTTP)
)
BEARER = AuthConfig(auth_scheme=HTTPBearer(), raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.HTTP))
OAUTH = AuthConfig(
    auth_scheme=OAuth2(
        flows=OAuthFlows(
            authorizationCode=OAuthFlowAuthorizationCode(
                authorizationUrl="https://login.example/auth", tokenUrl="https://login.example/token", scopes={}
            )
        )
    ),
    raw_auth_credential=AuthCredential(
        auth_type=AuthCredentialTypes.OAUTH2,
        oauth2=OAuth2Auth(client_id="shop", client_secret="hush-client-secret"),  # noqa: S106 - a made-up one
    ),
)

AUTH_CONFIGS = {"api_key": API_KEY, "basic": BASIC, "bearer": BEARER, "oauth": OAUTH}


class Trip(BaseModel):
    """What the travel workflow asks for."""

    city: str
    nights: int = 1


def ask_for_trip(node_input: Any) -> Iterator[RequestInput]:
    yield RequestInput(message="Where to?", payload={"from": "Bern"}, response_schema=Trip, interrupt_id="trip")


def ask_for_code(node_input: Any) -> Iterator[RequestInput]:
    yield RequestInput(message="Which code?", response_schema=str, interrupt_id="code")


def ask_for_name(node_input: Any) -> Iterator[RequestInput]:
    yield RequestInput(message="Name?", response_schema=None, interrupt_id="name")


def ask_for_consent(node_input: Any) -> Iterator[RequestInput]:
    yield RequestInput(message="Is that right?", response_schema=bool, interrupt_id="consent")


def book_trip(node_input: Any) -> Iterator[Event]:
    text = types.Part(text=f"Booked {node_input!r}")
    yield Event(output=node_input, content=types.Content(role="model", parts=[text]))


def build_trip_app() -> App:
    """Return a workflow that asks for a trip and books it."""
    return App(name="trips", root_agent=Workflow(name="trips", edges=[(START, ask_for_trip, book_trip)]))


def build_code_app() -> App:
    """Return a workflow that asks for a text."""
    return App(name="codes", root_agent=Workflow(name="codes", edges=[(START, ask_for_code, book_trip)]))


def build_name_app() -> App:
    """Return a workflow that asks for anything: its request has no schema."""
    return App(name="names", root_agent=Workflow(name="names", edges=[(START, ask_for_name, book_trip)]))


def build_consent_node_app() -> App:
    """Return a workflow that asks for a truth value."""
    return App(name="consents", root_agent=Workflow(name="consents", edges=[(START, ask_for_consent, book_trip)]))


def build_asking_app(model: BaseLlm | str) -> App:
    """Return an agent whose model can ask the user, by ADK's tool for that."""
    return App(name="clerk", root_agent=LlmAgent(name="clerk", model=model, tools=[request_input]))


def build_confirming_app(model: BaseLlm | str) -> App:
    """Return an agent whose tool runs only after the user has confirmed the call."""

    def refund(amount: int) -> str:
        """Pay money back."""
        return f"refunded {amount}"

    tool = FunctionTool(refund, require_confirmation=True)
    return App(name="refunds", root_agent=LlmAgent(name="refunds", model=model, tools=[tool]))


def build_key_node_app() -> App:
    """Return a workflow with a node that needs an API key, and keeps it in the state."""

    def call_service(ctx: Context) -> Event:
        credential = AuthHandler(API_KEY).get_auth_response(ctx.state)
        assert credential is not None
        ctx.state["kept"] = credential
        text = types.Part(text=f"Called with {len(credential.api_key or '')} characters")
        return Event(content=types.Content(role="model", parts=[text]))

    node = FunctionNode(func=call_service, auth_config=API_KEY, rerun_on_resume=True)
    return App(name="service", root_agent=Workflow(name="service", edges=[(START, node)]))


def build_credential_app(model: BaseLlm | str, scheme: str = "api_key", *, echoes: bool = False) -> App:
    """Return an agent whose tool needs a credential; `echoes` returns and keeps what it got, as a careless one does."""
    config = AUTH_CONFIGS[scheme]

    def get_weather(city: str, tool_context: ToolContext) -> dict[str, Any]:
        """Return the weather."""
        credential = tool_context.get_auth_response(config)
        if credential is None:
            tool_context.request_credential(config)
            return {"status": "waiting for the user"}
        secret = _read_secret(credential)
        if echoes:
            tool_context.state["used"] = secret
            tool_context.state["kept"] = credential.model_dump(mode="json", exclude_none=True)
            return {"city": city, "sent": f"X-Weather-Key: {secret}"}
        return {"city": city, "secret_length": len(secret)}

    agent = LlmAgent(name="weather", model=model, instruction="Tell the weather.", tools=[get_weather])
    return App(name="weather", root_agent=agent)


def _read_secret(credential: AuthCredential) -> str:
    if credential.http is not None:
        return credential.http.credentials.password or credential.http.credentials.token or ""
    return credential.api_key or (credential.oauth2.access_token if credential.oauth2 else None) or ""
