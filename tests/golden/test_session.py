from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.workflow import Workflow
from pydantic import ValidationError

from adk_agent_sim import SimulatedAgentConfig
from adk_agent_sim.golden.session import SimulationSession
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    SessionState,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
)

AGENT = LlmAgent(name="math", model="gemini-2.5-flash")
QUERY = UserQuery(content="2+2?")
CALL = ToolCall(tool_name="add", arguments={"a": 2, "b": 2}, call_id="c1")
OUTPUT = ToolOutput(call_id="c1", result=4, duration_ms=1)
ANSWER = FinalResponse(content="4")


def config(name: str = "Math") -> SimulatedAgentConfig:
    return SimulatedAgentConfig(name=name, agent=AGENT, eval_set_path="evals/math.evalset.json")


def session(*entries: HistoryEntry, state: SessionState = SessionState.COMPLETED, **more: Any) -> SimulationSession:
    fields: dict[str, Any] = {
        "session_id": "s1",
        "agent_config": config(),
        "agent_name": "Math",
        "agent": AGENT,
        "state": state,
        "history": list(entries),
        "start_timestamp": 1_766_500_200.0,
        **more,
    }
    return SimulationSession(**fields)


class TestConfig:
    @pytest.mark.req("000/SimulatedAgentConfig")
    def test_it_holds_a_name_an_agent_and_a_path(self) -> None:
        found = config()

        assert (found.name, found.agent, found.eval_set_path) == ("Math", AGENT, "evals/math.evalset.json")

    @pytest.mark.parametrize("name", ["", "  "])
    @pytest.mark.req("000/validation-1")
    def test_an_empty_name_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="name is empty"):
            config(name)

    @pytest.mark.req("000/validation-2")
    def test_a_value_that_is_not_an_agent_is_refused(self) -> None:
        not_an_agent: Any = {"name": "math"}
        with pytest.raises(TypeError, match="is a dict: it must be an ADK agent"):
            SimulatedAgentConfig(name="Math", agent=not_an_agent, eval_set_path="x.json")

    @pytest.mark.req("000/validation-2")
    def test_a_workflow_can_be_simulated_too(self) -> None:
        flow = Workflow(name="flow", edges=[("START", AGENT)])

        assert SimulatedAgentConfig(name="Flow", agent=flow, eval_set_path="x.json").agent is flow

    @pytest.mark.parametrize("path", ["", " ", "evals/", "a\0b"])
    @pytest.mark.req("000/validation-3")
    def test_a_path_that_is_not_a_file_is_refused(self, path: str) -> None:
        with pytest.raises(ValueError, match="must be the path of a file"):
            SimulatedAgentConfig(name="Math", agent=AGENT, eval_set_path=path)

    @pytest.mark.req("000/SimulatedAgentConfig")
    def test_a_relative_path_starts_at_the_working_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)

        assert config().resolve_eval_set_path() == tmp_path / "evals/math.evalset.json"

    @pytest.mark.req("000/SimulatedAgentConfig")
    def test_an_absolute_path_stays_as_it_is(self, tmp_path: Path) -> None:
        found = SimulatedAgentConfig(name="Math", agent=AGENT, eval_set_path=tmp_path / "x.json")

        assert found.resolve_eval_set_path() == tmp_path / "x.json"


class TestSession:
    @pytest.mark.req("000/SimulationSession", "000/SessionState")
    def test_it_starts_by_selecting_an_agent_with_an_empty_history(self) -> None:
        found = SimulationSession(
            session_id="s1", agent_config=config(), agent_name="Math", agent=AGENT, start_timestamp=1.0
        )

        assert found.state is SessionState.SELECTING_AGENT
        assert (found.history, found.tools, found.adk_session) == ([], [], None)

    @pytest.mark.req("000/validation-4")
    def test_an_empty_agent_name_is_refused(self) -> None:
        with pytest.raises(ValidationError, match="agent_name"):
            session(QUERY, ANSWER, agent_name="")

    @pytest.mark.parametrize("state", [SessionState.ACTIVE, SessionState.COMPLETED])
    @pytest.mark.parametrize("entries", [[], [CALL, ANSWER]])
    @pytest.mark.req("000/validation-5")
    def test_an_active_session_starts_with_a_query(self, state: SessionState, entries: list[HistoryEntry]) -> None:
        with pytest.raises(ValidationError, match="must start with a UserQuery"):
            session(*entries, state=state)

    @pytest.mark.req("000/validation-6")
    def test_a_completed_session_ends_with_a_final_response(self) -> None:
        with pytest.raises(ValidationError, match="must end with a FinalResponse"):
            session(QUERY, CALL, OUTPUT)

    @pytest.mark.req("000/validation-7")
    def test_a_call_id_is_used_once(self) -> None:
        with pytest.raises(ValidationError, match="'c1' is used by two ToolCalls"):
            session(QUERY, CALL, CALL, ANSWER)

    @pytest.mark.parametrize(
        "entry", [OUTPUT, ToolError(call_id="c1", error_type="E", error_message="m", duration_ms=1)]
    )
    @pytest.mark.req("000/validation-8", "000/relationship-3")
    def test_a_result_belongs_to_a_call(self, entry: HistoryEntry) -> None:
        with pytest.raises(ValidationError, match="matches no earlier ToolCall"):
            session(QUERY, entry, ANSWER)

    def test_an_invalid_assignment_is_refused_too(self) -> None:
        found = session(QUERY, CALL, OUTPUT, state=SessionState.ACTIVE)

        with pytest.raises(ValidationError, match="must end with a FinalResponse"):
            found.state = SessionState.COMPLETED
