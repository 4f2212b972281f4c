import pytest

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    SessionState,
    SessionTransition,
    ToolCall,
    UserQuery,
    advance,
    derive_state,
)


@pytest.mark.req("000/SessionState")
def test_the_states_have_the_names_and_values_of_the_spec() -> None:
    assert {state.name: state.value for state in SessionState} == {
        "SELECTING_AGENT": "selecting_agent",
        "AWAITING_QUERY": "awaiting_query",
        "ACTIVE": "active",
        "COMPLETED": "completed",
    }


@pytest.mark.req("000/transition-4")
def test_a_further_query_reopens_a_completed_session() -> None:
    assert advance(SessionState.COMPLETED, SessionTransition.SUBMIT_QUERY) is SessionState.ACTIVE


@pytest.mark.parametrize(
    ("state", "step"),
    [
        (SessionState.AWAITING_QUERY, SessionTransition.RESPOND),
        (SessionState.ACTIVE, SessionTransition.SUBMIT_QUERY),
        (SessionState.COMPLETED, SessionTransition.RESPOND),
    ],
)
def test_a_step_that_the_state_does_not_allow_is_refused_naming_what_it_allows(
    state: SessionState, step: SessionTransition
) -> None:
    with pytest.raises(InvalidTransition, match=f"{state.value} does not allow {step.value}; allowed: "):
        advance(state, step)


@pytest.mark.req("000/transition-2", "000/transition-3", "000/transition-4")
def test_the_state_follows_from_the_history() -> None:
    query = UserQuery(content="2+2?")
    called = ToolCall(tool_name="add", arguments={}, call_id="c")
    answer = FinalResponse(content="4")
    entries: list[HistoryEntry] = [query, called, answer, query]
    states = [derive_state(entries[:count]) for count in range(5)]

    assert states == [
        SessionState.AWAITING_QUERY,
        SessionState.ACTIVE,
        SessionState.ACTIVE,
        SessionState.COMPLETED,
        SessionState.ACTIVE,
    ]
