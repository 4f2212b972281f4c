"""The message of the web API that a page loads first."""

from __future__ import annotations

from pydantic import Field

from adk_agent_sim.golden.export_formats import ExportFormat
from adk_agent_sim.server.agents.api_models import AgentInfo
from adk_agent_sim.use_cases.record import Record


class ServerInfo(Record):
    """What a page loads first."""

    version: str
    server_id: str = Field(description="Identifies the set of sessions: a new one has other sessions")
    agents: list[AgentInfo]
    export_formats: list[ExportFormat] = Field(description="What a session can be exported to, in display order")
    is_persistent: bool = Field(description="Whether sessions are stored in a database")
    scenario_count: int = Field(default=0, description="The number of scenarios on this server")
    has_evals: bool = Field(default=False, description="Whether there are pages of eval cases")
    eval_file_count: int = Field(
        default=0, description="The number of files of eval cases that the server was started with"
    )
    bench_count: int = Field(default=0, description="The number of benches on this server")
