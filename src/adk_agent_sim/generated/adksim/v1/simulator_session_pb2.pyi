from adk_agent_sim.generated.adksim.v1 import facts_pb2 as _facts_pb2
from adk_agent_sim.generated.adksim.v1 import generation_pb2 as _generation_pb2
from adk_agent_sim.generated.adksim.v1 import response_pb2 as _response_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_STATUS_UNSPECIFIED: _ClassVar[SessionStatus]
    SESSION_STATUS_ACTIVE: _ClassVar[SessionStatus]
    SESSION_STATUS_COMPLETED: _ClassVar[SessionStatus]
    SESSION_STATUS_CANCELLED: _ClassVar[SessionStatus]
    SESSION_STATUS_NEW: _ClassVar[SessionStatus]
    SESSION_STATUS_WAITING: _ClassVar[SessionStatus]
    SESSION_STATUS_RUNNING: _ClassVar[SessionStatus]
    SESSION_STATUS_DONE: _ClassVar[SessionStatus]
    SESSION_STATUS_FAILED: _ClassVar[SessionStatus]
    SESSION_STATUS_STOPPED: _ClassVar[SessionStatus]
    SESSION_STATUS_ABANDONED: _ClassVar[SessionStatus]
    SESSION_STATUS_CLOSED: _ClassVar[SessionStatus]
    SESSION_STATUS_BROKEN: _ClassVar[SessionStatus]
    SESSION_STATUS_INTERRUPTED: _ClassVar[SessionStatus]

class RequestKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REQUEST_KIND_UNSPECIFIED: _ClassVar[RequestKind]
    REQUEST_KIND_MODEL: _ClassVar[RequestKind]
    REQUEST_KIND_CONSENT: _ClassVar[RequestKind]
    REQUEST_KIND_CREDENTIAL: _ClassVar[RequestKind]
    REQUEST_KIND_INPUT: _ClassVar[RequestKind]
    REQUEST_KIND_TOOL: _ClassVar[RequestKind]
    REQUEST_KIND_USER: _ClassVar[RequestKind]

class Player(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAYER_UNSPECIFIED: _ClassVar[Player]
    PLAYER_REAL: _ClassVar[Player]
    PLAYER_HUMAN: _ClassVar[Player]
    PLAYER_RECORDED: _ClassVar[Player]
    PLAYER_SIMULATED: _ClassVar[Player]
SESSION_STATUS_UNSPECIFIED: SessionStatus
SESSION_STATUS_ACTIVE: SessionStatus
SESSION_STATUS_COMPLETED: SessionStatus
SESSION_STATUS_CANCELLED: SessionStatus
SESSION_STATUS_NEW: SessionStatus
SESSION_STATUS_WAITING: SessionStatus
SESSION_STATUS_RUNNING: SessionStatus
SESSION_STATUS_DONE: SessionStatus
SESSION_STATUS_FAILED: SessionStatus
SESSION_STATUS_STOPPED: SessionStatus
SESSION_STATUS_ABANDONED: SessionStatus
SESSION_STATUS_CLOSED: SessionStatus
SESSION_STATUS_BROKEN: SessionStatus
SESSION_STATUS_INTERRUPTED: SessionStatus
REQUEST_KIND_UNSPECIFIED: RequestKind
REQUEST_KIND_MODEL: RequestKind
REQUEST_KIND_CONSENT: RequestKind
REQUEST_KIND_CREDENTIAL: RequestKind
REQUEST_KIND_INPUT: RequestKind
REQUEST_KIND_TOOL: RequestKind
REQUEST_KIND_USER: RequestKind
PLAYER_UNSPECIFIED: Player
PLAYER_REAL: Player
PLAYER_HUMAN: Player
PLAYER_RECORDED: Player
PLAYER_SIMULATED: Player

class SimulatorSession(_message.Message):
    __slots__ = ("id", "created_at", "description")
    ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    created_at: _timestamp_pb2.Timestamp
    description: str
    def __init__(self, id: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., description: _Optional[str] = ...) -> None: ...

class AgentPath(_message.Message):
    __slots__ = ("branch", "parent_call_id")
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    PARENT_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    branch: str
    parent_call_id: str
    def __init__(self, branch: _Optional[str] = ..., parent_call_id: _Optional[str] = ...) -> None: ...

class PendingRequest(_message.Message):
    __slots__ = ("kind", "request_id", "agent_name", "agent_path", "requested_at", "seq", "invocation_id", "client_id", "tool_name", "claimed_by", "claimed_until", "call_id")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_PATH_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_AT_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_BY_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    kind: RequestKind
    request_id: str
    agent_name: str
    agent_path: AgentPath
    requested_at: float
    seq: int
    invocation_id: str
    client_id: str
    tool_name: str
    claimed_by: str
    claimed_until: float
    call_id: str
    def __init__(self, kind: _Optional[_Union[RequestKind, str]] = ..., request_id: _Optional[str] = ..., agent_name: _Optional[str] = ..., agent_path: _Optional[_Union[AgentPath, _Mapping]] = ..., requested_at: _Optional[float] = ..., seq: _Optional[int] = ..., invocation_id: _Optional[str] = ..., client_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., claimed_by: _Optional[str] = ..., claimed_until: _Optional[float] = ..., call_id: _Optional[str] = ...) -> None: ...

class SessionEvent(_message.Message):
    __slots__ = ("event_id", "session_id", "timestamp", "turn_id", "agent_name", "llm_request", "llm_response", "history_complete", "cancel_asked", "turn_revived", "agent_joined", "user_spoke", "tool_started", "tool_finished", "tool_failed", "agent_event", "artifact_saved", "run_ended", "closed", "turn_withdrawn", "environment_decided", "rewound", "forked", "noted", "tool_asked", "tool_answered", "tool_withdrawn", "world_started", "world_event_happened", "notification_delivered", "world_time_changed", "verdict_reached", "turn_asked", "turn_decided", "seq", "player", "exact_json", "invocation_id", "decision_id", "force", "agent_path", "decided_by", "exact_time", "texts_json")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    LLM_REQUEST_FIELD_NUMBER: _ClassVar[int]
    LLM_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    HISTORY_COMPLETE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_ASKED_FIELD_NUMBER: _ClassVar[int]
    TURN_REVIVED_FIELD_NUMBER: _ClassVar[int]
    AGENT_JOINED_FIELD_NUMBER: _ClassVar[int]
    USER_SPOKE_FIELD_NUMBER: _ClassVar[int]
    TOOL_STARTED_FIELD_NUMBER: _ClassVar[int]
    TOOL_FINISHED_FIELD_NUMBER: _ClassVar[int]
    TOOL_FAILED_FIELD_NUMBER: _ClassVar[int]
    AGENT_EVENT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_SAVED_FIELD_NUMBER: _ClassVar[int]
    RUN_ENDED_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    TURN_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_DECIDED_FIELD_NUMBER: _ClassVar[int]
    REWOUND_FIELD_NUMBER: _ClassVar[int]
    FORKED_FIELD_NUMBER: _ClassVar[int]
    NOTED_FIELD_NUMBER: _ClassVar[int]
    TOOL_ASKED_FIELD_NUMBER: _ClassVar[int]
    TOOL_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    TOOL_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    WORLD_STARTED_FIELD_NUMBER: _ClassVar[int]
    WORLD_EVENT_HAPPENED_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_DELIVERED_FIELD_NUMBER: _ClassVar[int]
    WORLD_TIME_CHANGED_FIELD_NUMBER: _ClassVar[int]
    VERDICT_REACHED_FIELD_NUMBER: _ClassVar[int]
    TURN_ASKED_FIELD_NUMBER: _ClassVar[int]
    TURN_DECIDED_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    EXACT_JSON_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    AGENT_PATH_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    EXACT_TIME_FIELD_NUMBER: _ClassVar[int]
    TEXTS_JSON_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    session_id: str
    timestamp: _timestamp_pb2.Timestamp
    turn_id: str
    agent_name: str
    llm_request: _generation_pb2.GenerateContentRequest
    llm_response: _response_pb2.GenerateContentResponse
    history_complete: HistoryComplete
    cancel_asked: _facts_pb2.CancelAsked
    turn_revived: _facts_pb2.TurnRevived
    agent_joined: _facts_pb2.AgentJoined
    user_spoke: _facts_pb2.UserSpoke
    tool_started: _facts_pb2.ToolStarted
    tool_finished: _facts_pb2.ToolFinished
    tool_failed: _facts_pb2.ToolFailed
    agent_event: _facts_pb2.AgentEvent
    artifact_saved: _facts_pb2.ArtifactSaved
    run_ended: _facts_pb2.RunEnded
    closed: _facts_pb2.Closed
    turn_withdrawn: _facts_pb2.TurnWithdrawn
    environment_decided: _facts_pb2.EnvironmentDecided
    rewound: _facts_pb2.Rewound
    forked: _facts_pb2.Forked
    noted: _facts_pb2.Noted
    tool_asked: _facts_pb2.ToolAsked
    tool_answered: _facts_pb2.ToolAnswered
    tool_withdrawn: _facts_pb2.ToolWithdrawn
    world_started: _facts_pb2.WorldStarted
    world_event_happened: _facts_pb2.WorldEventHappened
    notification_delivered: _facts_pb2.NotificationDelivered
    world_time_changed: _facts_pb2.WorldTimeChanged
    verdict_reached: _facts_pb2.VerdictReached
    turn_asked: _facts_pb2.TurnAsked
    turn_decided: _facts_pb2.TurnDecided
    seq: int
    player: Player
    exact_json: str
    invocation_id: str
    decision_id: str
    force: bool
    agent_path: AgentPath
    decided_by: str
    exact_time: float
    texts_json: str
    def __init__(self, event_id: _Optional[str] = ..., session_id: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., turn_id: _Optional[str] = ..., agent_name: _Optional[str] = ..., llm_request: _Optional[_Union[_generation_pb2.GenerateContentRequest, _Mapping]] = ..., llm_response: _Optional[_Union[_response_pb2.GenerateContentResponse, _Mapping]] = ..., history_complete: _Optional[_Union[HistoryComplete, _Mapping]] = ..., cancel_asked: _Optional[_Union[_facts_pb2.CancelAsked, _Mapping]] = ..., turn_revived: _Optional[_Union[_facts_pb2.TurnRevived, _Mapping]] = ..., agent_joined: _Optional[_Union[_facts_pb2.AgentJoined, _Mapping]] = ..., user_spoke: _Optional[_Union[_facts_pb2.UserSpoke, _Mapping]] = ..., tool_started: _Optional[_Union[_facts_pb2.ToolStarted, _Mapping]] = ..., tool_finished: _Optional[_Union[_facts_pb2.ToolFinished, _Mapping]] = ..., tool_failed: _Optional[_Union[_facts_pb2.ToolFailed, _Mapping]] = ..., agent_event: _Optional[_Union[_facts_pb2.AgentEvent, _Mapping]] = ..., artifact_saved: _Optional[_Union[_facts_pb2.ArtifactSaved, _Mapping]] = ..., run_ended: _Optional[_Union[_facts_pb2.RunEnded, _Mapping]] = ..., closed: _Optional[_Union[_facts_pb2.Closed, _Mapping]] = ..., turn_withdrawn: _Optional[_Union[_facts_pb2.TurnWithdrawn, _Mapping]] = ..., environment_decided: _Optional[_Union[_facts_pb2.EnvironmentDecided, _Mapping]] = ..., rewound: _Optional[_Union[_facts_pb2.Rewound, _Mapping]] = ..., forked: _Optional[_Union[_facts_pb2.Forked, _Mapping]] = ..., noted: _Optional[_Union[_facts_pb2.Noted, _Mapping]] = ..., tool_asked: _Optional[_Union[_facts_pb2.ToolAsked, _Mapping]] = ..., tool_answered: _Optional[_Union[_facts_pb2.ToolAnswered, _Mapping]] = ..., tool_withdrawn: _Optional[_Union[_facts_pb2.ToolWithdrawn, _Mapping]] = ..., world_started: _Optional[_Union[_facts_pb2.WorldStarted, _Mapping]] = ..., world_event_happened: _Optional[_Union[_facts_pb2.WorldEventHappened, _Mapping]] = ..., notification_delivered: _Optional[_Union[_facts_pb2.NotificationDelivered, _Mapping]] = ..., world_time_changed: _Optional[_Union[_facts_pb2.WorldTimeChanged, _Mapping]] = ..., verdict_reached: _Optional[_Union[_facts_pb2.VerdictReached, _Mapping]] = ..., turn_asked: _Optional[_Union[_facts_pb2.TurnAsked, _Mapping]] = ..., turn_decided: _Optional[_Union[_facts_pb2.TurnDecided, _Mapping]] = ..., seq: _Optional[int] = ..., player: _Optional[_Union[Player, str]] = ..., exact_json: _Optional[str] = ..., invocation_id: _Optional[str] = ..., decision_id: _Optional[str] = ..., force: bool = ..., agent_path: _Optional[_Union[AgentPath, _Mapping]] = ..., decided_by: _Optional[str] = ..., exact_time: _Optional[float] = ..., texts_json: _Optional[str] = ...) -> None: ...

class HistoryComplete(_message.Message):
    __slots__ = ("event_count",)
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    event_count: int
    def __init__(self, event_count: _Optional[int] = ...) -> None: ...
