"""How endpoints get the services they use: as FastAPI dependencies, taken from the state of the app."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.exports.session_exporter import SessionExporter
from adk_agent_sim.server.sessions.environment_controls import EnvironmentControls
from adk_agent_sim.server.sessions.player_choice import PlayerChoice
from adk_agent_sim.server.sessions.served_session import ServedSession
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_reader import SessionReader
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.time_travel.time_travel_requests import TimeTravelRequests


def _get_services(request: Request) -> SessionServices:
    return request.app.state.services


ServicesDependency = Annotated[SessionServices, Depends(_get_services)]


def _get_agents(services: ServicesDependency) -> AgentCatalog:
    return services.agents


def _get_directory(services: ServicesDependency) -> SessionDirectory:
    return services.directory


def _get_reader(services: ServicesDependency) -> SessionReader:
    return services.reader


async def _open_session(services: ServicesDependency, session_id: str) -> ServedSession:
    return await services.open_session(session_id)


def _get_environment(services: ServicesDependency) -> EnvironmentControls:
    return services.environment


def _get_exporter(services: ServicesDependency) -> SessionExporter:
    return services.exporter


def _get_time_travel(services: ServicesDependency) -> TimeTravelRequests:
    return services.time_travel


def _get_players(services: ServicesDependency) -> PlayerChoice:
    return services.players


AgentsDependency = Annotated[AgentCatalog, Depends(_get_agents)]
DirectoryDependency = Annotated[SessionDirectory, Depends(_get_directory)]
ReaderDependency = Annotated[SessionReader, Depends(_get_reader)]
SessionDependency = Annotated[ServedSession, Depends(_open_session)]
EnvironmentDependency = Annotated[EnvironmentControls, Depends(_get_environment)]
ExporterDependency = Annotated[SessionExporter, Depends(_get_exporter)]
TimeTravelDependency = Annotated[TimeTravelRequests, Depends(_get_time_travel)]
PlayersDependency = Annotated[PlayerChoice, Depends(_get_players)]
