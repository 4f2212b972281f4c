from adk_agent_sim.generated.adksim.v1 import facts_pb2 as _facts_pb2
from adk_agent_sim.generated.adksim.v1 import generation_pb2 as _generation_pb2
from adk_agent_sim.generated.adksim.v1 import response_pb2 as _response_pb2
from adk_agent_sim.generated.adksim.v1 import simulator_session_pb2 as _simulator_session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateSessionRequest(_message.Message):
    __slots__ = ("description", "session_id")
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    description: str
    session_id: str
    def __init__(self, description: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session", "web_url")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    WEB_URL_FIELD_NUMBER: _ClassVar[int]
    session: _simulator_session_pb2.SimulatorSession
    web_url: str
    def __init__(self, session: _Optional[_Union[_simulator_session_pb2.SimulatorSession, _Mapping]] = ..., web_url: _Optional[str] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("session_id", "client_id", "after_seq", "all_kinds", "as_stored", "without_requests")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    ALL_KINDS_FIELD_NUMBER: _ClassVar[int]
    AS_STORED_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    client_id: str
    after_seq: int
    all_kinds: bool
    as_stored: bool
    without_requests: bool
    def __init__(self, session_id: _Optional[str] = ..., client_id: _Optional[str] = ..., after_seq: _Optional[int] = ..., all_kinds: bool = ..., as_stored: bool = ..., without_requests: bool = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _simulator_session_pb2.SessionEvent
    def __init__(self, event: _Optional[_Union[_simulator_session_pb2.SessionEvent, _Mapping]] = ...) -> None: ...

class SubmitRequestRequest(_message.Message):
    __slots__ = ("session_id", "turn_id", "agent_name", "request", "exact_json", "invocation_id", "player", "asked", "blocks", "agent_path")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    EXACT_JSON_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    AGENT_PATH_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    turn_id: str
    agent_name: str
    request: _generation_pb2.GenerateContentRequest
    exact_json: str
    invocation_id: str
    player: _simulator_session_pb2.Player
    asked: _facts_pb2.TurnAsked
    blocks: _containers.RepeatedScalarFieldContainer[bytes]
    agent_path: _simulator_session_pb2.AgentPath
    def __init__(self, session_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., agent_name: _Optional[str] = ..., request: _Optional[_Union[_generation_pb2.GenerateContentRequest, _Mapping]] = ..., exact_json: _Optional[str] = ..., invocation_id: _Optional[str] = ..., player: _Optional[_Union[_simulator_session_pb2.Player, str]] = ..., asked: _Optional[_Union[_facts_pb2.TurnAsked, _Mapping]] = ..., blocks: _Optional[_Iterable[bytes]] = ..., agent_path: _Optional[_Union[_simulator_session_pb2.AgentPath, _Mapping]] = ...) -> None: ...

class SubmitRequestResponse(_message.Message):
    __slots__ = ("event_id", "seq")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    seq: int
    def __init__(self, event_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class SubmitDecisionRequest(_message.Message):
    __slots__ = ("session_id", "turn_id", "response", "decision_id", "exact_json", "player", "force", "duration_ms", "decided_by")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    EXACT_JSON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    turn_id: str
    response: _response_pb2.GenerateContentResponse
    decision_id: str
    exact_json: str
    player: _simulator_session_pb2.Player
    force: bool
    duration_ms: float
    decided_by: str
    def __init__(self, session_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., response: _Optional[_Union[_response_pb2.GenerateContentResponse, _Mapping]] = ..., decision_id: _Optional[str] = ..., exact_json: _Optional[str] = ..., player: _Optional[_Union[_simulator_session_pb2.Player, str]] = ..., force: bool = ..., duration_ms: _Optional[float] = ..., decided_by: _Optional[str] = ...) -> None: ...

class SubmitDecisionResponse(_message.Message):
    __slots__ = ("event_id", "seq")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    seq: int
    def __init__(self, event_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class SubmitToolResponseRequest(_message.Message):
    __slots__ = ("session_id", "request_id", "result_json", "error_type", "error_message", "decision_id", "force", "answered_by")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_BY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    request_id: str
    result_json: str
    error_type: str
    error_message: str
    decision_id: str
    force: bool
    answered_by: str
    def __init__(self, session_id: _Optional[str] = ..., request_id: _Optional[str] = ..., result_json: _Optional[str] = ..., error_type: _Optional[str] = ..., error_message: _Optional[str] = ..., decision_id: _Optional[str] = ..., force: bool = ..., answered_by: _Optional[str] = ...) -> None: ...

class SubmitToolResponseResponse(_message.Message):
    __slots__ = ("event_id", "seq")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    seq: int
    def __init__(self, event_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[_simulator_session_pb2.SimulatorSession]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[_simulator_session_pb2.SimulatorSession, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session", "status", "last_seq", "web_url", "exact_status", "pending")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    WEB_URL_FIELD_NUMBER: _ClassVar[int]
    EXACT_STATUS_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    session: _simulator_session_pb2.SimulatorSession
    status: _simulator_session_pb2.SessionStatus
    last_seq: int
    web_url: str
    exact_status: _simulator_session_pb2.SessionStatus
    pending: _containers.RepeatedCompositeFieldContainer[_simulator_session_pb2.PendingRequest]
    def __init__(self, session: _Optional[_Union[_simulator_session_pb2.SimulatorSession, _Mapping]] = ..., status: _Optional[_Union[_simulator_session_pb2.SessionStatus, str]] = ..., last_seq: _Optional[int] = ..., web_url: _Optional[str] = ..., exact_status: _Optional[_Union[_simulator_session_pb2.SessionStatus, str]] = ..., pending: _Optional[_Iterable[_Union[_simulator_session_pb2.PendingRequest, _Mapping]]] = ...) -> None: ...

class CloseSessionRequest(_message.Message):
    __slots__ = ("session_id", "reason", "status")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reason: str
    status: _simulator_session_pb2.SessionStatus
    def __init__(self, session_id: _Optional[str] = ..., reason: _Optional[str] = ..., status: _Optional[_Union[_simulator_session_pb2.SessionStatus, str]] = ...) -> None: ...

class CloseSessionResponse(_message.Message):
    __slots__ = ("event_id", "seq")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    seq: int
    def __init__(self, event_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class AppendEventsRequest(_message.Message):
    __slots__ = ("session_id", "events")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    events: _containers.RepeatedCompositeFieldContainer[_simulator_session_pb2.SessionEvent]
    def __init__(self, session_id: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_simulator_session_pb2.SessionEvent, _Mapping]]] = ...) -> None: ...

class AppendEventsResponse(_message.Message):
    __slots__ = ("event_ids", "last_seq")
    EVENT_IDS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    event_ids: _containers.RepeatedScalarFieldContainer[str]
    last_seq: int
    def __init__(self, event_ids: _Optional[_Iterable[str]] = ..., last_seq: _Optional[int] = ...) -> None: ...

class ReadBlocksRequest(_message.Message):
    __slots__ = ("session_id", "block_ids")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    BLOCK_IDS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    block_ids: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, session_id: _Optional[str] = ..., block_ids: _Optional[_Iterable[bytes]] = ...) -> None: ...

class ReadBlocksResponse(_message.Message):
    __slots__ = ("blocks",)
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, blocks: _Optional[_Iterable[bytes]] = ...) -> None: ...

class RestartReport(_message.Message):
    __slots__ = ("session_ids", "order_id", "callbacks", "is_planned", "waits_for", "has_arrived", "difference", "problem")
    SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    ORDER_ID_FIELD_NUMBER: _ClassVar[int]
    CALLBACKS_FIELD_NUMBER: _ClassVar[int]
    IS_PLANNED_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_FIELD_NUMBER: _ClassVar[int]
    HAS_ARRIVED_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    order_id: str
    callbacks: _containers.RepeatedScalarFieldContainer[str]
    is_planned: bool
    waits_for: str
    has_arrived: bool
    difference: str
    problem: str
    def __init__(self, session_ids: _Optional[_Iterable[str]] = ..., order_id: _Optional[str] = ..., callbacks: _Optional[_Iterable[str]] = ..., is_planned: bool = ..., waits_for: _Optional[str] = ..., has_arrived: bool = ..., difference: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class RestartOrder(_message.Message):
    __slots__ = ("order_id", "session_id", "target_session_id", "completed_seqs", "interrupted_seqs", "only_plan", "is_lenient", "is_ready", "cancelled_because", "message_json", "state_json")
    ORDER_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_SEQS_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTED_SEQS_FIELD_NUMBER: _ClassVar[int]
    ONLY_PLAN_FIELD_NUMBER: _ClassVar[int]
    IS_LENIENT_FIELD_NUMBER: _ClassVar[int]
    IS_READY_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_JSON_FIELD_NUMBER: _ClassVar[int]
    STATE_JSON_FIELD_NUMBER: _ClassVar[int]
    order_id: str
    session_id: str
    target_session_id: str
    completed_seqs: _containers.RepeatedScalarFieldContainer[int]
    interrupted_seqs: _containers.RepeatedScalarFieldContainer[int]
    only_plan: bool
    is_lenient: bool
    is_ready: bool
    cancelled_because: str
    message_json: str
    state_json: str
    def __init__(self, order_id: _Optional[str] = ..., session_id: _Optional[str] = ..., target_session_id: _Optional[str] = ..., completed_seqs: _Optional[_Iterable[int]] = ..., interrupted_seqs: _Optional[_Iterable[int]] = ..., only_plan: bool = ..., is_lenient: bool = ..., is_ready: bool = ..., cancelled_because: _Optional[str] = ..., message_json: _Optional[str] = ..., state_json: _Optional[str] = ...) -> None: ...
