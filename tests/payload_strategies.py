"""Hypothesis strategies for all event payloads."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from genai_strategies import join_surrogates
from hypothesis import strategies as st

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    CancelAsked,
    Closed,
    EnvironmentDecided,
    Forked,
    Noted,
    Payload,
    Rewound,
    RunEnded,
    RunOutcome,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    ToolWithdrawn,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)

TEXT = st.text(st.characters(categories=["L", "N", "P", "Zs", "Cc", "Cs"]), max_size=10).map(join_surrogates)
TIME = st.floats(0, 1e10)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
_ID_TEXT = st.none() | TEXT
_CALL = st.fixed_dictionaries(
    {}, optional={"id": _ID_TEXT, "name": TEXT, "args": st.none() | st.dictionaries(TEXT, _JSON, max_size=3)}
)
_FUNCTION_RESPONSE = st.fixed_dictionaries(
    {}, optional={"id": _ID_TEXT, "name": TEXT, "response": st.none() | st.dictionaries(TEXT, _JSON, max_size=3)}
)
_BLOB = st.fixed_dictionaries(
    {"mime_type": TEXT, "data": st.binary(max_size=9).map(lambda data: b64encode(data).decode())}
)
_PART = st.fixed_dictionaries(
    {},
    optional={
        "text": st.none() | TEXT,
        "thought": st.booleans(),
        "function_call": _CALL,
        "function_response": _FUNCTION_RESPONSE,
        "inline_data": _BLOB,
        "part_metadata": _JSON,
    },
)
CONTENT = st.fixed_dictionaries({}, optional={"role": TEXT, "parts": st.none() | st.lists(_PART, max_size=3)})
"""A `types.Content` as JSON."""
_RESPONSE_FIELDS = {"content": st.none() | CONTENT, "error_code": _ID_TEXT, "error_message": _ID_TEXT, "extra": _JSON}
RESPONSE = st.fixed_dictionaries({}, optional=_RESPONSE_FIELDS)
"""An `LlmResponse` as JSON."""
_ACTIONS = st.fixed_dictionaries({}, optional={"state_delta": st.dictionaries(TEXT, _JSON, max_size=2)})
ADK_EVENT = st.fixed_dictionaries({}, optional={**_RESPONSE_FIELDS, "author": TEXT, "actions": st.none() | _ACTIONS})
"""An ADK `Event` as JSON."""
IDS = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=10)
"""What can identify a session, an event or a turn."""
NAMES = st.text(st.characters(categories=["L", "N", "P"]), max_size=10)
"""The name of an agent or app; empty if there is none."""
_INT32 = st.integers(0, 2**31 - 1)
_SEQ = st.integers(0, 2**63 - 1)
_OBJECT = st.dictionaries(TEXT, _JSON, max_size=3)
_ID = st.binary(max_size=4).map(lambda data: Block.from_data(data).block_id)
_IDS = st.lists(_ID, max_size=3).map(tuple)

_COMPLETED_EVENT = st.fixed_dictionaries(
    {"event_id": TEXT, "event_type": st.sampled_from(["AGENT", "USER", "ENV", "CONDITION"]), "event_time": TIME},
    optional={
        "dependencies": st.lists(TEXT, max_size=2),
        "action": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "app": st.none() | TEXT,
                "function": st.none() | TEXT | st.just("send_message_to_user"),
                "args": st.none()
                | st.lists(st.fixed_dictionaries({"name": TEXT}, optional={"value": st.none() | TEXT}), max_size=2),
            },
        ),
        "metadata": st.none() | st.fixed_dictionaries({}, optional={"exception": st.none() | TEXT}),
        "extra": _JSON,
    },
)
"""A completed event of the scenario format as JSON."""

PAYLOADS: dict[type[Payload], st.SearchStrategy[Any]] = {
    AgentJoined: st.builds(AgentJoined, app_name=NAMES, user_id=TEXT, adk_session_id=TEXT, state=_OBJECT),
    UserSpoke: st.builds(UserSpoke, content=CONTENT),
    TurnAsked: st.builds(
        TurnAsked,
        invocation_id=TEXT,
        contents=st.lists(_IDS, max_size=3).map(tuple),
        tools=_ID,
        instruction=_ID,
        config=_ID,
        client_id=TEXT,
    ),
    TurnDecided: st.builds(
        TurnDecided,
        decision_id=TEXT,
        response=RESPONSE,
        force=st.booleans(),
        duration_ms=st.none() | TIME,
        decided_by=TEXT,
    ),
    TurnWithdrawn: st.builds(TurnWithdrawn, abandoned=st.booleans()),
    TurnRevived: st.builds(TurnRevived, invocation_id=TEXT),
    CancelAsked: st.builds(CancelAsked, call_id=TEXT),
    ToolStarted: st.builds(ToolStarted, call_id=TEXT, tool_name=TEXT, arguments=_OBJECT),
    ToolFinished: st.builds(
        ToolFinished,
        call_id=TEXT,
        result=_JSON,
        duration_ms=TIME,
        actions=_ACTIONS,
        ran_tool=st.booleans(),
        left_unchanged=st.booleans(),
        mocked=st.none() | _OBJECT,
    ),
    ToolFailed: st.builds(
        ToolFailed,
        call_id=TEXT,
        error_type=TEXT,
        error_message=TEXT,
        duration_ms=TIME,
        traceback=st.none() | TEXT,
        ran_tool=st.booleans(),
        left_unchanged=st.booleans(),
        mocked=st.none() | _OBJECT,
    ),
    ToolAsked: st.builds(
        ToolAsked,
        request_id=_ID,
        call_id=TEXT,
        tool_name=TEXT,
        arguments=_OBJECT,
        description=TEXT,
        response_schema=st.none() | _OBJECT,
        invocation_id=TEXT,
        client_id=TEXT,
    ),
    ToolAnswered: st.builds(
        ToolAnswered,
        request_id=_ID,
        call_id=TEXT,
        decision_id=TEXT,
        result=_JSON,
        error_type=TEXT,
        error_message=TEXT,
        force=st.booleans(),
        answered_by=TEXT,
    ),
    ToolWithdrawn: st.builds(ToolWithdrawn, request_id=_ID, call_id=TEXT),
    EnvironmentDecided: st.builds(
        EnvironmentDecided,
        call_id=TEXT,
        tool_name=TEXT,
        rule=TEXT,
        actions=st.lists(TEXT, max_size=3),
        passed_over=st.lists(st.fixed_dictionaries({"rule": TEXT, "why": TEXT}, optional={"reason": TEXT}), max_size=3),
        unanswered=TEXT,
        environment=st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "rules": st.lists(
                    st.fixed_dictionaries(
                        {"name": TEXT, "tools": st.lists(TEXT, max_size=2)},
                        optional={"profiles": st.lists(TEXT, max_size=2)},
                    ),
                    max_size=2,
                ),
                "profile": st.none() | TEXT,
                "active_profiles": st.lists(TEXT, max_size=2),
                "tool_players": st.dictionaries(TEXT, TEXT, max_size=2),
                "draws": st.none() | st.fixed_dictionaries({"seed": st.integers(), "session": TEXT}),
                "uses_real_time": st.booleans(),
            },
        ),
        changed_answer=st.booleans(),
        left_unchanged=st.booleans(),
        near_miss=st.none()
        | st.fixed_dictionaries(
            {
                "rule": TEXT,
                "differences": st.dictionaries(
                    TEXT, st.fixed_dictionaries({"expected": TEXT, "found": TEXT}), max_size=2
                ),
            }
        ),
    ),
    WorldStarted: st.builds(
        WorldStarted,
        scenario_id=TEXT,
        start_time=TIME,
        seed=st.integers(-(2**63), 2**63 - 1),
        source=TEXT,
        digest=TEXT,
        options=_OBJECT,
    ),
    WorldEventHappened: st.builds(WorldEventHappened, event=_COMPLETED_EVENT, elapsed_seconds=TIME, call_id=TEXT),
    NotificationDelivered: st.builds(NotificationDelivered, kind=TEXT, text=TEXT, elapsed_seconds=TIME),
    WorldTimeChanged: st.builds(WorldTimeChanged, from_seconds=TIME, to_seconds=TIME, reason=TEXT),
    VerdictReached: st.builds(
        VerdictReached,
        turn=_INT32,
        passed=st.booleans(),
        reason=TEXT,
        verdict=st.none()
        | st.fixed_dictionaries({}, optional={"matches": st.dictionaries(TEXT, TEXT, max_size=2), "extra": _JSON}),
        judge=TEXT,
    ),
    AgentEvent: st.builds(AgentEvent, invocation_id=TEXT, event=ADK_EVENT, final=st.booleans()),
    ArtifactSaved: st.builds(
        ArtifactSaved,
        filename=TEXT,
        version=st.integers(0, 2**31 - 1),
        mime_type=TEXT,
        block=_ID,
        is_text=st.booleans(),
    ),
    RunEnded: st.builds(
        RunEnded, invocation_id=TEXT, outcome=st.sampled_from(RunOutcome), error_type=TEXT, error_message=TEXT
    ),
    Rewound: st.builds(
        Rewound,
        to_seq=_SEQ,
        kept_seqs=st.lists(_SEQ, max_size=3),
        from_seq=_SEQ,
        turn_id=TEXT,
        redone=st.booleans(),
    ),
    Forked: st.builds(Forked, source_session_id=TEXT, source_seq=_SEQ, turn_id=TEXT, difference=TEXT),
    Closed: st.builds(Closed, reason=TEXT, cancelled=st.booleans()),
    Noted: st.builds(Noted, row_index=st.integers(0, 9), about_seq=st.integers(0, 9), text=TEXT),
}

ANY_PAYLOAD: st.SearchStrategy[Payload] = st.one_of(list(PAYLOADS.values()))
