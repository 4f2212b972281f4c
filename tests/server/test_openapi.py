"""The OpenAPI document, from which the browser's types are generated."""

from __future__ import annotations

import os
import pkgutil
from importlib import import_module

import fork_server
import pytest

from adk_agent_sim import server
from adk_agent_sim.adk.evals.recording_replay import BadgeState
from adk_agent_sim.golden.eval_criteria import EvalCriteria
from adk_agent_sim.golden.export_formats import ExportFormat
from adk_agent_sim.server.web.openapi import build_document, render_document
from adk_agent_sim.timeline.events import AgentPath
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus, TimelineRow
from adk_agent_sim.use_cases.record import Record


def test_every_message_of_the_web_api_is_in_it_including_those_of_the_socket() -> None:
    schemas = set(build_document()["components"]["schemas"])
    modules = pkgutil.walk_packages(server.__path__, f"{server.__name__}.")
    declared = {
        name
        for module in map(import_module, [module.name for module in modules])
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Record) and value.__module__ == module.__name__
    }
    assert len(declared) > 70
    # What is shared with the database, the protocol and the commands, which know no records.
    enumerations = (SessionStatus, RequestKind, RowKind, RowStatus, BadgeState)
    sent = (AgentPath, EvalCriteria, ExportEntry, ExportFormat, PendingRequest, TimelineRow)
    declared |= {shared.__name__ for shared in (*enumerations, *sent)}

    assert declared - schemas == set()


@pytest.mark.process
def test_it_is_the_same_text_every_time() -> None:
    printed = fork_server.run(["-m", "adk_agent_sim.server.web.openapi"], environment=os.environ).stdout

    assert printed == render_document()


def test_fields_of_updates_are_always_present() -> None:
    update = build_document()["components"]["schemas"]["SessionUpdate"]

    assert update["required"] == ["type", "session", "rows"]


def test_every_response_that_is_not_a_success_is_an_error_body() -> None:
    for path in build_document()["paths"].values():
        for operation in path.values():
            assert set(operation["responses"]) in ({"200", "default"}, {"204", "default"})
