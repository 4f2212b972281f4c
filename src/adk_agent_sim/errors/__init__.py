"""Every error that the package raises, as one hierarchy; the modules of this package define it by topic.

SimulatorError
├── SessionNotFound              the timeline has no such session
├── SessionClosed                the session takes no more events
├── SessionExists                the timeline already has a session with this id
├── EventExists                  the timeline already has an event with this id: it was sent twice
├── LogChanged                   another process appended events to the session in the meantime
├── SeqOutOfRange                the session has no event with the `seq` that a follower wants to continue after
├── BlocksMissing                a model request refers to blocks that the timeline does not have
├── InvalidTransition            the state of the session does not allow the transition
├── StoreFailed                  a database operation failed: locked, read-only, full, damaged; nothing was written
│   ├── StoreNotOpened           the database cannot be used as a store
│   ├── StoreTooNew              a newer release wrote the database; it was not changed
│   └── StoreTooOld              a development version wrote the database; it was not changed
├── DecisionRefused              a decision was not accepted; the turn is unchanged
│   ├── TurnNotFound             the session has no such turn
│   ├── TurnAlreadyDecided       the turn already has another decision
│   ├── TurnAbandoned            the run that needed the decision has ended
│   ├── TurnNotNext              another turn of the session must be decided first
│   ├── TurnHasOtherPlayer       the agent's own model, or a function, decides the turn
│   ├── ToolRequestNotFound      no such tool call waits for the response of a person
│   ├── ToolAlreadyAnswered      the tool call already has another response
│   ├── ToolRequestAbandoned     the tool call that needed the response has ended
│   ├── InvalidCredential        the credential does not have the fields of the auth scheme
│   ├── EmptyDecision            the decision neither calls a tool nor contains an answer
│   └── DecisionMismatch         the decision does not match its request; override with force=True
│       ├── ToolNotOffered       the request does not declare the tool
│       ├── InvalidArguments     the arguments do not match the tool's schema
│       ├── InvalidInput         the input does not match the schema of the request
│       ├── InvalidToolResult    the result does not match the tool's output schema
│       └── InvalidAnswer        the final response does not match the agent's output_schema
├── InvalidMessage               the user message does not match the agent's input_schema; override with force=True
├── ServerUnreachable            no simulator server answers at the address
├── PortInUse                    the server cannot listen on the address
├── TokenRejected                the server does not accept the token, or got none
├── TokenNameTaken               there is an access token with this name already
├── InsecureFile                 other users can read or change a file that must be private
├── ExposureRefused              the server would be reachable from other machines without encryption
├── InvalidField                 a field of a request to the server is invalid
├── MalformedValue               a value, such as JSON or base64 text, cannot be parsed
├── NotFound                     the agent, row, file or running call does not exist
├── AgentNotLocal                the agent does not run in this process
├── AgentLoadFailed              the folder does not contain an agent that can be loaded
├── ToolsetUnavailable           a toolset, such as an MCP server, cannot be loaded
├── OwnModelFailed               the agent's own model failed
├── ModelUnavailable             ADK cannot create the model that was asked for
├── DeadlineExceeded             nobody decided the turn before the deadline
├── InvalidPlayer                the text names no player, or one that the seat does not support
│   └── PlayerNotAvailable       this release cannot play the player yet
├── AdkIncompatible              the installed google-adk lacks a name that a feature needs
├── ServiceFailed                a session, artifact or memory service of the user's cannot be used
├── StateKeyMissing              an instruction needs keys that the session state does not have
├── RunFailed                    the agent's run raised an exception
├── ForkRefused                  the session cannot be forked, undone or redone there
│   └── ReplayDiverged           the replay differs from the recording; override with force=True
├── RunUndone                    decisions of the run were undone, and another run has continued its session
├── Cancelled                    a person cancelled a tool call
├── ReplayImpossible             the golden trace does not contain what the agent's model is asked for
│   └── CassetteMismatch         a model request is not the one in the cassette
├── RecordedModelFailed          the agent's own model failed when the cassette was recorded
├── InvalidCassetteMode          the variable ADK_SIM_CASSETTE has a value that means nothing
├── InvalidScript                the file is not a valid script
├── InvalidCallSyntax            the line that a person typed is not a tool call
├── ExportRefused                the session cannot be exported; nothing was written
│   ├── InvalidExportOption      an option does not work with the format
│   ├── AlreadyExported          the session was exported before; override with again=True
│   ├── SessionIncomplete        the session cannot be a golden trace yet
│   ├── NotReplayable            `adk test` cannot replay the session; override with force=True
│   ├── NotAnEvalSet             the target file is something else and was not changed
│   └── InvalidCriteria          the criteria for `adk eval` are none, or their file is something else
├── ImportRefused                the file cannot be imported as a timeline
├── EditRefused                  a case of an EvalSet cannot be changed like that; the file is unchanged
│   └── EditConflict             another writer has changed the case in the meantime; the file is unchanged
├── InvalidScenario              the file is not a valid scenario
├── NotConvertible               an EvalSet case or a scenario cannot be converted to the other
├── InvalidStoryStep             the apps of the world cannot execute a step of a story
├── UnknownApp                   the scenario refers to an app class that is not registered
├── InvalidAppState              the state that a scenario defines for an app does not match the app
├── AppLoadFailed                an app of an installed distribution cannot be loaded
├── UnknownTool                  the app has no such tool for the caller
├── NotJudgeable                 a run cannot be judged: nothing is expected, or nothing happened
│   ├── JudgeFailed              the model that judges a run failed; asking it again may help
│   └── OracleFailed             an event of the scenario's own oracle run failed or never happened
├── InvalidAugmentation          options that disturb a run are invalid, or not supported
├── InvalidCheckerParam          an additional check for the judge is invalid
├── InvalidAnswersFile           the file with recorded answers to soft checks cannot be used
├── InvalidRunOption             an option of a run in a scenario's world means nothing
├── WorldToolConflict            an agent's own tool has the name of a tool of the world
├── InvalidBench                 the plan of a bench cannot be used
├── BenchFolderRefused           the folder has the results of another bench, or is in use
├── BenchesNotComparable         two benches have nothing in common, or it is not clear what to compare
├── InvalidLabels                verdicts and labels of people cannot be compared
├── InvalidFault                 the fault for the next call of a tool can never happen
├── InvalidRules                 the rules for simulated tools contain errors
│   └── PluginRequired           the rules need a plugin; a callback cannot apply them
├── HumanUnavailable             no person can be asked for the response of a tool
├── RuleFailed                   a rule could not be applied to a call
├── MockImpossible               no response can be generated for a tool
├── ModelRequestFailed           a rule lets a model request fail
├── SimulationModelFailed        the model that simulates tools gives no answer that can be used
└── RealToolRefused              a real tool would have run where none is allowed
"""

from __future__ import annotations

from adk_agent_sim.errors.base import Problem, SimulatorError
from adk_agent_sim.errors.decision_errors import (
    DecisionMismatch,
    DecisionRefused,
    EmptyDecision,
    InvalidAnswer,
    InvalidArguments,
    InvalidCredential,
    InvalidInput,
    InvalidMessage,
    InvalidToolResult,
    ToolAlreadyAnswered,
    ToolNotOffered,
    ToolRequestAbandoned,
    ToolRequestNotFound,
    TurnAbandoned,
    TurnAlreadyDecided,
    TurnHasOtherPlayer,
    TurnNotFound,
    TurnNotNext,
)
from adk_agent_sim.errors.run_errors import (
    AdkIncompatible,
    AgentLoadFailed,
    Cancelled,
    CassetteMismatch,
    DeadlineExceeded,
    ForkRefused,
    HumanUnavailable,
    InvalidCallSyntax,
    InvalidCassetteMode,
    InvalidFault,
    InvalidPlayer,
    InvalidRules,
    InvalidScript,
    MockImpossible,
    ModelRequestFailed,
    ModelUnavailable,
    OwnModelFailed,
    PlayerNotAvailable,
    PluginRequired,
    RealToolRefused,
    RecordedModelFailed,
    ReplayDiverged,
    ReplayImpossible,
    RuleFailed,
    RunFailed,
    RunUndone,
    ServiceFailed,
    SimulationModelFailed,
    StateKeyMissing,
    ToolsetUnavailable,
)
from adk_agent_sim.errors.scenario_errors import (
    AppLoadFailed,
    BenchesNotComparable,
    BenchFolderRefused,
    InvalidAnswersFile,
    InvalidAppState,
    InvalidAugmentation,
    InvalidBench,
    InvalidCheckerParam,
    InvalidLabels,
    InvalidRunOption,
    InvalidScenario,
    InvalidStoryStep,
    JudgeFailed,
    NotConvertible,
    NotJudgeable,
    OracleFailed,
    UnknownApp,
    UnknownTool,
    WorldToolConflict,
)
from adk_agent_sim.errors.session_errors import (
    AgentNotLocal,
    AlreadyExported,
    BlocksMissing,
    EditConflict,
    EditRefused,
    EventExists,
    ExportRefused,
    ExposureRefused,
    ImportRefused,
    InsecureFile,
    InvalidCriteria,
    InvalidExportOption,
    InvalidField,
    InvalidTransition,
    LogChanged,
    MalformedValue,
    NotAnEvalSet,
    NotFound,
    NotReplayable,
    PortInUse,
    SeqOutOfRange,
    ServerUnreachable,
    SessionClosed,
    SessionExists,
    SessionIncomplete,
    SessionNotFound,
    StoreFailed,
    StoreNotOpened,
    StoreTooNew,
    StoreTooOld,
    TokenNameTaken,
    TokenRejected,
)

__all__ = [
    "AdkIncompatible",
    "AgentLoadFailed",
    "AgentNotLocal",
    "AlreadyExported",
    "AppLoadFailed",
    "BenchFolderRefused",
    "BenchesNotComparable",
    "BlocksMissing",
    "Cancelled",
    "CassetteMismatch",
    "DeadlineExceeded",
    "DecisionMismatch",
    "DecisionRefused",
    "EditConflict",
    "EditRefused",
    "EmptyDecision",
    "EventExists",
    "ExportRefused",
    "ExposureRefused",
    "ForkRefused",
    "HumanUnavailable",
    "ImportRefused",
    "InsecureFile",
    "InvalidAnswer",
    "InvalidAnswersFile",
    "InvalidAppState",
    "InvalidArguments",
    "InvalidAugmentation",
    "InvalidBench",
    "InvalidCallSyntax",
    "InvalidCassetteMode",
    "InvalidCheckerParam",
    "InvalidCredential",
    "InvalidCriteria",
    "InvalidExportOption",
    "InvalidFault",
    "InvalidField",
    "InvalidInput",
    "InvalidLabels",
    "InvalidMessage",
    "InvalidPlayer",
    "InvalidRules",
    "InvalidRunOption",
    "InvalidScenario",
    "InvalidScript",
    "InvalidStoryStep",
    "InvalidToolResult",
    "InvalidTransition",
    "JudgeFailed",
    "LogChanged",
    "MalformedValue",
    "MockImpossible",
    "ModelRequestFailed",
    "ModelUnavailable",
    "NotAnEvalSet",
    "NotConvertible",
    "NotFound",
    "NotJudgeable",
    "NotReplayable",
    "OracleFailed",
    "OwnModelFailed",
    "PlayerNotAvailable",
    "PluginRequired",
    "PortInUse",
    "Problem",
    "RealToolRefused",
    "RecordedModelFailed",
    "ReplayDiverged",
    "ReplayImpossible",
    "RuleFailed",
    "RunFailed",
    "RunUndone",
    "SeqOutOfRange",
    "ServerUnreachable",
    "ServiceFailed",
    "SessionClosed",
    "SessionExists",
    "SessionIncomplete",
    "SessionNotFound",
    "SimulationModelFailed",
    "SimulatorError",
    "StateKeyMissing",
    "StoreFailed",
    "StoreNotOpened",
    "StoreTooNew",
    "StoreTooOld",
    "TokenNameTaken",
    "TokenRejected",
    "ToolAlreadyAnswered",
    "ToolNotOffered",
    "ToolRequestAbandoned",
    "ToolRequestNotFound",
    "ToolsetUnavailable",
    "TurnAbandoned",
    "TurnAlreadyDecided",
    "TurnHasOtherPlayer",
    "TurnNotFound",
    "TurnNotNext",
    "UnknownApp",
    "UnknownTool",
    "WorldToolConflict",
]
