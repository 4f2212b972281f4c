from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AgentJoined(_message.Message):
    __slots__ = ("app_name", "user_id", "adk_session_id", "state_json")
    APP_NAME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ADK_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_JSON_FIELD_NUMBER: _ClassVar[int]
    app_name: str
    user_id: str
    adk_session_id: str
    state_json: str
    def __init__(self, app_name: _Optional[str] = ..., user_id: _Optional[str] = ..., adk_session_id: _Optional[str] = ..., state_json: _Optional[str] = ...) -> None: ...

class UserSpoke(_message.Message):
    __slots__ = ("content_json",)
    CONTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    content_json: str
    def __init__(self, content_json: _Optional[str] = ...) -> None: ...

class TurnAsked(_message.Message):
    __slots__ = ("contents", "tools", "instruction", "config", "client_id")
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    contents: _containers.RepeatedScalarFieldContainer[bytes]
    tools: bytes
    instruction: bytes
    config: bytes
    client_id: str
    def __init__(self, contents: _Optional[_Iterable[bytes]] = ..., tools: _Optional[bytes] = ..., instruction: _Optional[bytes] = ..., config: _Optional[bytes] = ..., client_id: _Optional[str] = ...) -> None: ...

class TurnDecided(_message.Message):
    __slots__ = ("response_json", "duration_ms")
    RESPONSE_JSON_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    response_json: str
    duration_ms: float
    def __init__(self, response_json: _Optional[str] = ..., duration_ms: _Optional[float] = ...) -> None: ...

class TurnWithdrawn(_message.Message):
    __slots__ = ("abandoned",)
    ABANDONED_FIELD_NUMBER: _ClassVar[int]
    abandoned: bool
    def __init__(self, abandoned: bool = ...) -> None: ...

class TurnRevived(_message.Message):
    __slots__ = ("invocation_id", "client_id")
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    client_id: str
    def __init__(self, invocation_id: _Optional[str] = ..., client_id: _Optional[str] = ...) -> None: ...

class CancelAsked(_message.Message):
    __slots__ = ("call_id",)
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    def __init__(self, call_id: _Optional[str] = ...) -> None: ...

class ToolStarted(_message.Message):
    __slots__ = ("call_id", "tool_name", "arguments_json")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    tool_name: str
    arguments_json: str
    def __init__(self, call_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., arguments_json: _Optional[str] = ...) -> None: ...

class ToolFinished(_message.Message):
    __slots__ = ("call_id", "result_json", "duration_ms", "actions_json", "ran_tool", "left_unchanged", "mocked_json")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    RAN_TOOL_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    MOCKED_JSON_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    result_json: str
    duration_ms: float
    actions_json: str
    ran_tool: bool
    left_unchanged: bool
    mocked_json: str
    def __init__(self, call_id: _Optional[str] = ..., result_json: _Optional[str] = ..., duration_ms: _Optional[float] = ..., actions_json: _Optional[str] = ..., ran_tool: bool = ..., left_unchanged: bool = ..., mocked_json: _Optional[str] = ...) -> None: ...

class ToolFailed(_message.Message):
    __slots__ = ("call_id", "error_type", "error_message", "duration_ms", "traceback", "ran_tool", "left_unchanged", "mocked_json")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    RAN_TOOL_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    MOCKED_JSON_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    error_type: str
    error_message: str
    duration_ms: float
    traceback: str
    ran_tool: bool
    left_unchanged: bool
    mocked_json: str
    def __init__(self, call_id: _Optional[str] = ..., error_type: _Optional[str] = ..., error_message: _Optional[str] = ..., duration_ms: _Optional[float] = ..., traceback: _Optional[str] = ..., ran_tool: bool = ..., left_unchanged: bool = ..., mocked_json: _Optional[str] = ...) -> None: ...

class ToolAsked(_message.Message):
    __slots__ = ("request_id", "call_id", "tool_name", "arguments_json", "description", "response_schema_json", "invocation_id", "client_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    call_id: str
    tool_name: str
    arguments_json: str
    description: str
    response_schema_json: str
    invocation_id: str
    client_id: str
    def __init__(self, request_id: _Optional[str] = ..., call_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., arguments_json: _Optional[str] = ..., description: _Optional[str] = ..., response_schema_json: _Optional[str] = ..., invocation_id: _Optional[str] = ..., client_id: _Optional[str] = ...) -> None: ...

class ToolAnswered(_message.Message):
    __slots__ = ("request_id", "call_id", "decision_id", "result_json", "error_type", "error_message", "force", "answered_by")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_BY_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    call_id: str
    decision_id: str
    result_json: str
    error_type: str
    error_message: str
    force: bool
    answered_by: str
    def __init__(self, request_id: _Optional[str] = ..., call_id: _Optional[str] = ..., decision_id: _Optional[str] = ..., result_json: _Optional[str] = ..., error_type: _Optional[str] = ..., error_message: _Optional[str] = ..., force: bool = ..., answered_by: _Optional[str] = ...) -> None: ...

class ToolWithdrawn(_message.Message):
    __slots__ = ("request_id", "call_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    call_id: str
    def __init__(self, request_id: _Optional[str] = ..., call_id: _Optional[str] = ...) -> None: ...

class EnvironmentDecided(_message.Message):
    __slots__ = ("call_id", "tool_name", "rule", "actions_json", "passed_over_json", "unanswered", "environment_json", "near_miss_json", "changed_answer", "left_unchanged")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    PASSED_OVER_JSON_FIELD_NUMBER: _ClassVar[int]
    UNANSWERED_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_JSON_FIELD_NUMBER: _ClassVar[int]
    NEAR_MISS_JSON_FIELD_NUMBER: _ClassVar[int]
    CHANGED_ANSWER_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    tool_name: str
    rule: str
    actions_json: str
    passed_over_json: str
    unanswered: str
    environment_json: str
    near_miss_json: str
    changed_answer: bool
    left_unchanged: bool
    def __init__(self, call_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., rule: _Optional[str] = ..., actions_json: _Optional[str] = ..., passed_over_json: _Optional[str] = ..., unanswered: _Optional[str] = ..., environment_json: _Optional[str] = ..., near_miss_json: _Optional[str] = ..., changed_answer: bool = ..., left_unchanged: bool = ...) -> None: ...

class WorldStarted(_message.Message):
    __slots__ = ("scenario_id", "start_time", "seed", "source", "digest", "options_json")
    SCENARIO_ID_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    scenario_id: str
    start_time: float
    seed: int
    source: str
    digest: str
    options_json: str
    def __init__(self, scenario_id: _Optional[str] = ..., start_time: _Optional[float] = ..., seed: _Optional[int] = ..., source: _Optional[str] = ..., digest: _Optional[str] = ..., options_json: _Optional[str] = ...) -> None: ...

class WorldEventHappened(_message.Message):
    __slots__ = ("event_json", "elapsed_seconds", "call_id")
    EVENT_JSON_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    event_json: str
    elapsed_seconds: float
    call_id: str
    def __init__(self, event_json: _Optional[str] = ..., elapsed_seconds: _Optional[float] = ..., call_id: _Optional[str] = ...) -> None: ...

class NotificationDelivered(_message.Message):
    __slots__ = ("kind", "text", "elapsed_seconds")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_SECONDS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    text: str
    elapsed_seconds: float
    def __init__(self, kind: _Optional[str] = ..., text: _Optional[str] = ..., elapsed_seconds: _Optional[float] = ...) -> None: ...

class WorldTimeChanged(_message.Message):
    __slots__ = ("from_seconds", "to_seconds", "reason")
    FROM_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TO_SECONDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    from_seconds: float
    to_seconds: float
    reason: str
    def __init__(self, from_seconds: _Optional[float] = ..., to_seconds: _Optional[float] = ..., reason: _Optional[str] = ...) -> None: ...

class VerdictReached(_message.Message):
    __slots__ = ("turn", "passed", "reason", "verdict_json", "judge")
    TURN_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VERDICT_JSON_FIELD_NUMBER: _ClassVar[int]
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    turn: int
    passed: bool
    reason: str
    verdict_json: str
    judge: str
    def __init__(self, turn: _Optional[int] = ..., passed: bool = ..., reason: _Optional[str] = ..., verdict_json: _Optional[str] = ..., judge: _Optional[str] = ...) -> None: ...

class AgentEvent(_message.Message):
    __slots__ = ("invocation_id", "event_json", "final")
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_JSON_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    event_json: str
    final: bool
    def __init__(self, invocation_id: _Optional[str] = ..., event_json: _Optional[str] = ..., final: bool = ...) -> None: ...

class ArtifactSaved(_message.Message):
    __slots__ = ("filename", "version", "mime_type", "block", "data", "is_text")
    FILENAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    IS_TEXT_FIELD_NUMBER: _ClassVar[int]
    filename: str
    version: int
    mime_type: str
    block: str
    data: bytes
    is_text: bool
    def __init__(self, filename: _Optional[str] = ..., version: _Optional[int] = ..., mime_type: _Optional[str] = ..., block: _Optional[str] = ..., data: _Optional[bytes] = ..., is_text: bool = ...) -> None: ...

class RunEnded(_message.Message):
    __slots__ = ("invocation_id", "outcome", "error_type", "error_message")
    class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        OUTCOME_UNSPECIFIED: _ClassVar[RunEnded.Outcome]
        OUTCOME_DONE: _ClassVar[RunEnded.Outcome]
        OUTCOME_FAILED: _ClassVar[RunEnded.Outcome]
        OUTCOME_CANCELLED: _ClassVar[RunEnded.Outcome]
    OUTCOME_UNSPECIFIED: RunEnded.Outcome
    OUTCOME_DONE: RunEnded.Outcome
    OUTCOME_FAILED: RunEnded.Outcome
    OUTCOME_CANCELLED: RunEnded.Outcome
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    outcome: RunEnded.Outcome
    error_type: str
    error_message: str
    def __init__(self, invocation_id: _Optional[str] = ..., outcome: _Optional[_Union[RunEnded.Outcome, str]] = ..., error_type: _Optional[str] = ..., error_message: _Optional[str] = ...) -> None: ...

class Rewound(_message.Message):
    __slots__ = ("to_seq", "kept_seqs_json", "from_seq", "turn_id", "redone")
    TO_SEQ_FIELD_NUMBER: _ClassVar[int]
    KEPT_SEQS_JSON_FIELD_NUMBER: _ClassVar[int]
    FROM_SEQ_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    REDONE_FIELD_NUMBER: _ClassVar[int]
    to_seq: int
    kept_seqs_json: str
    from_seq: int
    turn_id: str
    redone: bool
    def __init__(self, to_seq: _Optional[int] = ..., kept_seqs_json: _Optional[str] = ..., from_seq: _Optional[int] = ..., turn_id: _Optional[str] = ..., redone: bool = ...) -> None: ...

class Forked(_message.Message):
    __slots__ = ("source_session_id", "source_seq", "turn_id", "difference")
    SOURCE_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SEQ_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    source_session_id: str
    source_seq: int
    turn_id: str
    difference: str
    def __init__(self, source_session_id: _Optional[str] = ..., source_seq: _Optional[int] = ..., turn_id: _Optional[str] = ..., difference: _Optional[str] = ...) -> None: ...

class Closed(_message.Message):
    __slots__ = ("reason", "cancelled")
    REASON_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    cancelled: bool
    def __init__(self, reason: _Optional[str] = ..., cancelled: bool = ...) -> None: ...

class Noted(_message.Message):
    __slots__ = ("row_index", "about_seq", "text")
    ROW_INDEX_FIELD_NUMBER: _ClassVar[int]
    ABOUT_SEQ_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    row_index: int
    about_seq: int
    text: str
    def __init__(self, row_index: _Optional[int] = ..., about_seq: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...
