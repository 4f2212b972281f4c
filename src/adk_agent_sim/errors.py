"""Every error a user of the package can meet, as one tree.

SimulatorError
├── SessionNotFound          no such session on the timeline
├── SessionClosed            the session takes no more events
├── SessionExists            a session of that id is on the timeline already
├── EventExists              an event of that id is on the timeline already: it was sent twice
├── BlocksMissing            a request refers to pieces that the timeline does not have
├── InvalidField             a field of a request to the server; names it
├── ServerUnreachable        names the address, and how to start a server
├── PortInUse                another program listens there; says how to choose another
├── StoreFailed              the database did not do it: locked, read-only, full, damaged; nothing was written
│   ├── StoreNotOpened       not a database that can be used; says what to do
│   └── StoreTooNew          a newer release wrote the database; it was left untouched
├── DecisionRefused          a decision that does not fit its turn
│   ├── TurnNotFound
│   ├── TurnAlreadyDecided
│   ├── TurnAbandoned        the run that asked is over
│   ├── TurnNotNext          another turn of the session waits longer
│   ├── TurnHasOtherPlayer         the agent's own model, or a function, answers the turn
│   ├── EmptyDecision
│   └── DecisionMismatch     a person can insist with anyway=True
│       ├── ToolNotOffered
│       ├── InvalidArguments
│       └── InvalidAnswer
├── InvalidMessage        a user message that the agent's input_schema refuses
├── InvalidTransition        a step that the session's state does not allow
├── AgentLoadFailed           says what was looked for and found
├── InvalidCallSyntax           what a person typed is not a call
├── InvalidScript         says where the script is wrong
├── ReplayImpossible         a trace does not have what the agent asks for
├── InvalidPlayer            text that names no player, or a player that a seat does not support
│   └── PlayerNotAvailable   a player that this release does not have yet
├── AdkIncompatible          the installed google-adk lacks a name that a feature needs; names both versions
├── ToolsetUnavailable         a toolset, such as an MCP server, did not load
├── DeadlineExceeded           no person decided in time
├── MalformedValue          a text that should be JSON, or bytes, and is not
├── NotFound              no such agent, row, file or running call
├── OwnModelFailed           the agent's own model could not be asked
├── AgentNotLocal                  the agent does not run in this process: what needs it cannot be done
├── RunFailed                the agent's run ended with an exception
├── Cancelled                a person cancelled a tool call
├── ExportRefused
│   ├── AlreadyExported       a person can insist with again=True
│   ├── SessionIncomplete    names what is missing
│   ├── NotReplayable        `adk test` could not replay the session; a person can insist with anyway=True
│   └── NotAnEvalSet         the target file is something else and was left untouched
├── ImportRefused            a file that cannot be opened as a timeline; names what is wrong
├── InvalidScenario       a file that is no scenario; says where and why
├── NotConvertible           an EvalSet's case that cannot be a scenario, or the other way; says which step and why
├── InvalidStoryStep          a step of a story that the apps of its world cannot do
├── UnknownApp              a scenario has an app that nobody knows; says which there are
├── InvalidAppState          the state that a scenario gives an app has another shape
├── AppLoadFailed             an app of an installed distribution does not load; names the distribution
├── UnknownTool             an app has no such tool for who calls it; says what it has
├── InvalidRules             rules for tools that cannot be used; says where and what to do
│   └── PluginRequired         rules that a callback cannot follow
├── RuleFailed               a rule could not do to a call what it says
└── RealToolRefused          a tool would have run for real where none may
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Where a value does not fit its schema, and what would fit."""

    path: str
    """The field, as `items[0].quantity`; empty for the value as a whole."""

    message: str
    """What is wrong there and what would fit."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SimulatorError(Exception):
    """The root of the tree: catch this to catch everything the package raises by itself."""


class SessionNotFound(SimulatorError):
    """The session is not on this timeline."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"There is no session {session_id!r} on this timeline.")
        self.session_id = session_id


class SessionClosed(SimulatorError):
    """The session was closed; it can be read, but nothing can be added."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"Session {session_id!r} is closed. Start a new session to go on.")
        self.session_id = session_id


class SessionExists(SimulatorError):
    """A session of that id is on the timeline already; it is as it was before."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"There is already a session {session_id!r} on this timeline.")
        self.session_id = session_id


class EventExists(SimulatorError):
    """An event of that id is on the timeline already; nothing was added."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"There is already an event {event_id!r} on this timeline.")
        self.event_id = event_id


class BlocksMissing(SimulatorError):
    """A request refers to blocks that its session does not have; nothing was added."""

    def __init__(self, session_id: str, count: int) -> None:
        super().__init__(f"Session {session_id!r} lacks {count} blocks of the request: send them along.")
        self.session_id = session_id


class InvalidField(SimulatorError):
    """A request to the server has a field that is not as it must be; nothing was done."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}.")
        self.field = field


class ServerUnreachable(SimulatorError):
    """No server answers at the address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"No simulator server answers at {url}: {reason}. "
            "Start one with `adksim serve`, or set ADK_SIM_SERVER_URL to the address of one that runs."
        )
        self.url = url


class PortInUse(SimulatorError):
    """The server cannot listen at the address."""

    def __init__(self, address: str, option: str) -> None:
        super().__init__(f"Cannot listen at {address}: another program does, or it may not be used. Choose {option}.")
        self.address = address


class StoreFailed(SimulatorError):
    """The database did not do what was asked; nothing of it was written."""

    def __init__(self, database: str, action: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot {action} {database}: {reason}. {advice}")
        self.database = database
        self.reason = reason


class StoreNotOpened(StoreFailed):
    """The database cannot be used as a store."""

    def __init__(self, database: str, reason: str, advice: str) -> None:
        super().__init__(database, "open the database", reason, advice)


class StoreTooNew(StoreFailed):
    """The tables are of a later version than this release knows."""

    def __init__(self, database: str, found_version: int, supported_version: int) -> None:
        super().__init__(
            database,
            "open the database",
            f"its tables have version {found_version}, and this release knows versions up to {supported_version}",
            "Upgrade with `pip install --upgrade adk-agent-sim`, or choose another database.",
        )
        self.found_version = found_version
        self.supported_version = supported_version


class DecisionRefused(SimulatorError):
    """A decision was not accepted; the turn is as it was before."""


class TurnNotFound(DecisionRefused):
    """The session has never asked this turn."""

    def __init__(self, session_id: str, turn_id: str) -> None:
        super().__init__(f"Session {session_id!r} has no turn {turn_id!r}.")
        self.turn_id = turn_id


class TurnAlreadyDecided(DecisionRefused):
    """Somebody else's decision was first."""

    def __init__(self, turn_id: str, event_id: str) -> None:
        super().__init__(f"Turn {turn_id!r} already has a decision (event {event_id!r}); the first one counts.")
        self.turn_id = turn_id
        self.event_id = event_id


class TurnAbandoned(DecisionRefused):
    """The run that asked the turn is over; nobody waits for a decision."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(f"Turn {turn_id!r} waits no longer: the run that asked it is over.")
        self.turn_id = turn_id


class TurnNotNext(DecisionRefused):
    """Turns of one session are decided in the order in which they were asked."""

    def __init__(self, turn_id: str, head_turn_id: str, head_agent: str) -> None:
        super().__init__(
            f"Turn {turn_id!r} is not the next one of its session: "
            f"decide turn {head_turn_id!r} of agent {head_agent!r} first."
        )
        self.turn_id = turn_id
        self.head_turn_id = head_turn_id


class TurnHasOtherPlayer(DecisionRefused):
    """The turn is answered by another player than a person; it can only be watched."""

    def __init__(self, turn_id: str, player: str) -> None:
        super().__init__(f"Turn {turn_id!r} waits for no person: its player is {str(player)!r}.")
        self.turn_id = turn_id


class EmptyDecision(DecisionRefused):
    """A decision must call a tool or say something."""

    def __init__(self, turn_id: str) -> None:
        super().__init__("The decision is empty: call at least one tool, or give an answer.")
        self.turn_id = turn_id


class DecisionMismatch(DecisionRefused):
    """A decision that a model could make but probably should not; `anyway=True` sends it all the same."""

    def __init__(self, summary: str) -> None:
        super().__init__(f"{summary}. {_OVERRIDE_HINT}")
        self.summary = summary
        """What is wrong, without how to insist in Python."""


class ToolNotOffered(DecisionMismatch):
    """The request of the turn declares no tool of that name."""

    def __init__(self, tool_name: str, offered: Sequence[str]) -> None:
        names = ", ".join(offered) if offered else "none"
        super().__init__(f"Tool {tool_name!r} is not offered in this turn; the tools are: {names}")
        self.tool_name = tool_name
        self.offered = tuple(offered)


class InvalidArguments(DecisionMismatch):
    """The arguments of a call do not fit the tool's schema."""

    def __init__(self, tool_name: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"The arguments of {tool_name!r} do not fit its schema: {_join_problems(problems)}")
        self.tool_name = tool_name
        self.problems = tuple(problems)


class InvalidAnswer(DecisionMismatch):
    """The final answer does not fit the agent's output_schema."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"The answer does not fit the agent's output_schema: {_join_problems(problems)}")
        self.problems = tuple(problems)


class InvalidMessage(SimulatorError):
    """The user's message does not fit the agent's input_schema."""

    def __init__(self, agent_name: str, problems: Sequence[Problem]) -> None:
        self.summary = f"The message does not fit the input_schema of agent {agent_name!r}: {_join_problems(problems)}"
        """What is wrong, without how to insist in Python."""
        super().__init__(f"{self.summary}. {_OVERRIDE_HINT}")
        self.problems = tuple(problems)


class InvalidTransition(SimulatorError):
    """The session's state does not allow the step."""


class AgentLoadFailed(SimulatorError):
    """The folder holds no agent that can be loaded."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(f"Cannot load an agent from {folder}: {reason}.")
        self.folder = folder


class InvalidCallSyntax(SimulatorError):
    """What a person typed is not a call; says how to write it."""


class InvalidScript(SimulatorError):
    """The file is not a script."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Cannot read the script {path}: {reason}")
        self.path = path


class ReplayImpossible(SimulatorError):
    """A golden trace cannot play the agent's model here."""


class InvalidPlayer(SimulatorError, ValueError):
    """The text names no player, or one that the seat does not support."""

    def __init__(self, player: str, reason: str) -> None:
        super().__init__(f"The player {player!r} cannot be used: {reason}.")
        self.player = player


class PlayerNotAvailable(InvalidPlayer):
    """The player is part of the grammar, but this release cannot play it yet."""


class AdkIncompatible(SimulatorError):
    """The installed google-adk has no name that a feature needs, because the name is private and was changed."""

    def __init__(self, feature: str, name: str, *, installed_version: str, tested_version: str) -> None:
        super().__init__(
            f"{feature} needs {name}, which the installed google-adk {installed_version} does not have. "
            f"This release of adk-agent-sim was tested with google-adk {tested_version}: upgrade adk-agent-sim, or "
            f"install that version with `pip install google-adk=={tested_version}`."
        )
        self.name = name
        self.installed_version = installed_version


class ToolsetUnavailable(SimulatorError):
    """A toolset did not load, so the agent would run without its tools."""

    def __init__(self, agent_name: str, toolset: str, error: Exception) -> None:
        why = str(error) or type(error).__name__
        super().__init__(
            f"Agent {agent_name!r} cannot load its tools from {toolset}: {why}. "
            "Start the server, or take the toolset out of the agent's tools."
        )
        self.toolset = toolset


class DeadlineExceeded(SimulatorError):
    """No person decided in time; the turn was taken back."""

    def __init__(self, agent_name: str, seconds: float) -> None:
        super().__init__(
            f"Nobody answered agent {agent_name!r} within {seconds:g} seconds. "
            'Give more time with `deadline=`, or pass on_deadline="real_model".'
        )
        self.agent_name = agent_name


class MalformedValue(SimulatorError):
    """What was sent cannot be read as what it should be."""

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"{subject} cannot be read: {reason}.")
        self.reason = reason


class NotFound(SimulatorError):
    """What was named is not there."""


class OwnModelFailed(SimulatorError):
    """The agent's own model gave no answer; the turn still waits."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(
            f"The agent's own model {model!r} gave no answer: {reason}. "
            "Set what it needs, such as its API key, before you start; or decide yourself."
        )
        self.model = model


class AgentNotLocal(SimulatorError):
    """The session's agent does not run in this process."""

    def __init__(self, session_id: str, action: str) -> None:
        super().__init__(
            f"Cannot {action} in session {session_id!r}: its agent does not run here. Start a new session to go on."
        )
        self.session_id = session_id


class RunFailed(SimulatorError):
    """The agent's run ended with an exception, which is this error's cause."""


class Cancelled(SimulatorError):
    """A person cancelled the tool call."""


class ExportRefused(SimulatorError):
    """Nothing was written."""


class AlreadyExported(ExportRefused):
    """The session is in a file already; exporting it again adds it once more."""

    def __init__(self, path: str, eval_id: str) -> None:
        super().__init__(f"The session was exported before, as {eval_id!r} to {path}; again, it would be there twice.")
        self.eval_id = eval_id


class SessionIncomplete(ExportRefused):
    """The session cannot be a golden trace yet."""

    def __init__(self, session_id: str, missing: Sequence[str]) -> None:
        super().__init__(f"Session {session_id!r} cannot be exported yet: {'; '.join(missing)}.")
        self.missing = tuple(missing)


class NotReplayable(ExportRefused):
    """`adk test` cannot do again what happened in the session."""

    def __init__(self, session_id: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"Session {session_id!r} cannot be replayed by `adk test`: {'; '.join(reasons)}. "
            "Export it as an EvalSet, or pass anyway=True to write the fixture all the same."
        )
        self.reasons = tuple(reasons)


class NotAnEvalSet(ExportRefused):
    """The file exists and is not an EvalSet; it was left as it is."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} is not an EvalSet and was left untouched: {reason}. Choose another path, or repair the file."
        )
        self.path = path


class ImportRefused(SimulatorError):
    """The file cannot be opened; nothing was read from it."""

    def __init__(self, path: str, expected: str, reason: str) -> None:
        super().__init__(f"{path} cannot be opened as {expected}: {reason}.")
        self.path = path
        self.reason = reason


class InvalidScenario(SimulatorError):
    """The file is not a scenario; nothing was read from it."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"Cannot read a scenario from {source}: {_join_problems(problems)}.")
        self.source = source
        self.problems = tuple(problems)


class NotConvertible(SimulatorError):
    """What was to be converted has something that the other form has no place for; nothing was written."""

    def __init__(self, source: str, target: str, reason: str) -> None:
        super().__init__(f"{source} cannot become {target}: {reason}.")
        self.reason = reason


class InvalidStoryStep(SimulatorError):
    """A step of a story cannot be done by the apps of its world; the story is as it was before."""

    def __init__(self, step: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"{step} does not fit: {_join_problems(problems)}.")
        self.step = step
        self.problems = tuple(problems)


class UnknownApp(SimulatorError):
    """A scenario has an app of a class that nobody knows."""

    def __init__(self, name: str, class_name: str, known_classes: Sequence[str]) -> None:
        super().__init__(
            f"Cannot make the app {name[:80]!r}: its class {class_name[:80]!r} is not known. "
            f"There are: {', '.join(known_classes)}. Others join by the entry point 'adk_agent_sim.apps'."
        )
        self.class_name = class_name


class InvalidAppState(SimulatorError):
    """The state that a scenario gives an app has another shape than the app's."""

    def __init__(self, app: str, class_name: str, reason: str) -> None:
        super().__init__(
            f"The state of app {app!r:.80} ({class_name}) does not fit: {reason[:200]}. "
            "Correct its app_state in the scenario; a scenario that ARE or this project exported shows the shape."
        )


class AppLoadFailed(SimulatorError):
    """An app that an installed distribution adds does not load."""

    def __init__(self, app: str, distribution: str, reason: str) -> None:
        super().__init__(
            f"The app {app} of {distribution} does not load: {reason}. Repair or uninstall that distribution; "
            "its entry point must name a subclass of adk_agent_sim.scenario.apps.App."
        )


class UnknownTool(SimulatorError):
    """An app has no such tool for who calls it."""


class InvalidRules(SimulatorError):
    """The rules for simulated tools have mistakes; none of them is used."""

    def __init__(self, source: str, findings: Sequence[str]) -> None:
        listed = "\n  ".join(findings)
        super().__init__(f"The rules in {source} cannot be used:\n  {listed}")
        self.source = source
        self.findings = tuple(findings)


class PluginRequired(InvalidRules):
    """Rules that act inside the call of a tool, which a callback does not reach."""

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__("a callback", [*findings, "Use EnvironmentSimulationFactory.create_plugin(...) instead."])


class RuleFailed(SimulatorError):
    """A rule could not do to a call what it says; the call fails with this."""

    def __init__(self, rule: str, tool: str, reason: str) -> None:
        super().__init__(f"Rule {rule!r} cannot answer the call of {tool}: {reason}.")
        self.rule = rule
        self.tool = tool


class RealToolRefused(SimulatorError):
    """The tool's own code would have run, and nothing may run for real here."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool} would run for real: {reason}. Add a rule that answers it.")
        self.tool = tool


_OVERRIDE_HINT = "Pass anyway=True to send it all the same."


def _join_problems(problems: Sequence[Problem]) -> str:
    return "; ".join(str(problem) for problem in problems)
