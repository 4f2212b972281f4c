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
    __slots__ = ("call_id", "result_json", "duration_ms", "actions_json", "ran_tool", "left_unchanged")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    RAN_TOOL_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    result_json: str
    duration_ms: float
    actions_json: str
    ran_tool: bool
    left_unchanged: bool
    def __init__(self, call_id: _Optional[str] = ..., result_json: _Optional[str] = ..., duration_ms: _Optional[float] = ..., actions_json: _Optional[str] = ..., ran_tool: bool = ..., left_unchanged: bool = ...) -> None: ...

class ToolFailed(_message.Message):
    __slots__ = ("call_id", "error_type", "error_message", "duration_ms", "traceback", "ran_tool", "left_unchanged")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    RAN_TOOL_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    error_type: str
    error_message: str
    duration_ms: float
    traceback: str
    ran_tool: bool
    left_unchanged: bool
    def __init__(self, call_id: _Optional[str] = ..., error_type: _Optional[str] = ..., error_message: _Optional[str] = ..., duration_ms: _Optional[float] = ..., traceback: _Optional[str] = ..., ran_tool: bool = ..., left_unchanged: bool = ...) -> None: ...

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
    __slots__ = ("filename", "version", "mime_type", "block", "data")
    FILENAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    filename: str
    version: int
    mime_type: str
    block: str
    data: bytes
    def __init__(self, filename: _Optional[str] = ..., version: _Optional[int] = ..., mime_type: _Optional[str] = ..., block: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

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

class Closed(_message.Message):
    __slots__ = ("reason", "cancelled")
    REASON_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    cancelled: bool
    def __init__(self, reason: _Optional[str] = ..., cancelled: bool = ...) -> None: ...
