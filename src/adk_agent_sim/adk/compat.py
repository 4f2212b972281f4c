"""The only module that uses private names of ADK and of Python, which may change in any release without notice.

Every name is looked up when it is used, so the package imports with any ADK. A name that the installed ADK does not
have raises `AdkIncompatible`. tests/adk/test_compat.py fails when ADK changes the shape of one of them.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import version
from threading import Thread
from types import FrameType, ModuleType
from typing import Any, TypeAlias

from google.adk.agents import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.cli.utils import base_agent_loader
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.adk.tools import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.errors import AdkIncompatible

TESTED_ADK_VERSION = "2.13.0"
"""The release of google-adk that the tests of this module run with."""

SyncCallableRunner: TypeAlias = Callable[[Callable[..., Any], dict[str, Any]], Awaitable[Any]]
"""Runs a synchronous function with its keyword arguments."""

CallTool: TypeAlias = Callable[..., Awaitable[object]]
"""Calls a tool; the parameters are `(tool, args, tool_context)`."""

_PLAYER_WARNINGS = (
    # A player reports no token counts, so ADK would warn at every turn, over what a person reads.
    ("google_adk.google.adk.telemetry._metrics", re.compile("Skipping missing token usage metadata")),
    # Who calls a tool that is not offered does so on purpose, and sees the answer.
    ("google_adk.google.adk.flows.llm_flows.tools._caller", re.compile(r"Tool '[^']*' not found\.")),
)
"""The loggers and the beginnings of the warnings that a player causes."""

_CREDENTIAL_RECORD = ("google_adk.google.adk.workflow._node_runner", re.compile("node .* rehydrated resume_inputs"))
"""The logger and the beginning of the debug message in which ADK repeats the credential that the user gave."""

_FAILURE_RECORDS = (
    ("google_adk.google.adk.workflow._node_runner", re.compile("Node execution failed with exception")),
    ("google_adk.google.adk.runners", re.compile("Root node .* failed")),
)
"""The loggers and the beginnings of the messages with which ADK logs the traceback of a run that failed."""

_explains_failures: ContextVar[bool] = ContextVar("adksim_explains_failures", default=False)

_CALL_TOOL = "_call_tool_async"
_CALLER_MODULES = ("google.adk.flows.llm_flows.tools._caller", "google.adk.flows.llm_flows.tools._live_caller")


def use_sync_callable_runner(runner: SyncCallableRunner) -> AbstractContextManager[None]:
    """Let ADK run the synchronous functions of tools by `runner` inside the context.

    `google.adk.utils._sync_runner._use_sync_callable_runner` is the only way to move them off the event loop call by
    call: `RunConfig.tool_thread_pool_config` is a shared pool, in which a call that blocks starves the others and
    delays the exit of the process. Without it a synchronous tool would block the loop, and could not be cancelled.
    """
    bind_runner = _get_sync_callable_runner()
    return bind_runner(runner)


def check_sync_callable_runner() -> None:
    """Raise AdkIncompatible if `use_sync_callable_runner` cannot work.

    It is used inside the call of a tool, where an exception would be reported to the model as the tool's own.
    """
    _get_sync_callable_runner()


def is_node_tool(tool: BaseTool) -> bool:
    """Return whether a tool is a workflow node.

    `google.adk.tools._node_tool.NodeTool` wraps nodes that an agent lists as tools, and has no public name. Without it
    a workflow would be taken for a tool that reaches the outside, and be simulated or refused as a whole.
    """
    module, name = "google.adk.tools._node_tool", "NodeTool"
    return isinstance(tool, _get_private_name(module, name, "Telling workflow nodes from other tools"))


@contextmanager
def replace_tool_calls(wrap: Callable[[CallTool], CallTool]) -> Generator[None]:
    """Send every tool call of this process through what `wrap` makes of ADK's own function, inside the context.

    `_call_tool_async` is the one function that all calls go through, also those of apps without a plugin of ours. The
    module for live sessions imports it by name, so it has to be replaced there too. Without it the pytest marker
    `no_real_tools` could not refuse calls in apps that it does not know.
    """
    modules = [_import_private_module(name, "Refusing real tools") for name in _CALLER_MODULES]
    originals = [_get_attribute(module, _CALL_TOOL, "Refusing real tools") for module in modules]
    replacement = wrap(originals[0])
    try:
        for module in modules:
            setattr(module, _CALL_TOOL, replacement)
        yield
    finally:
        for module, original in zip(modules, originals, strict=True):
            setattr(module, _CALL_TOOL, original)


def create_invocation_context(runner: Runner, session: Session) -> InvocationContext:
    """Return a context as a run of `session` would have it, without starting one.

    `Runner._new_invocation_context` is what the runner itself uses; ADK keeps its signature stable because subclasses
    override it. Without it, instructions and toolsets that need a context cannot be resolved before the first turn.
    """
    create = _get_attribute(runner, "_new_invocation_context", "Resolving instruction and tools before the first turn")
    return create(session)


def get_invocation_context(context: ReadonlyContext) -> InvocationContext:
    """Return the invocation that a callback's or a tool's context belongs to.

    `_invocation_context` is the only way from a tool call to its agent object: the public `agent_name` is not enough to
    call the agent's own error callbacks. Without it `ToolErrorPlugin` would answer before the agent's callbacks do.
    """
    return _get_attribute(context, "_invocation_context", "Calling an agent's on_tool_error_callback")


def get_declaration(tool: BaseTool) -> types.FunctionDeclaration | None:
    """Return how a tool is declared to models; None if it is not, or not as a function.

    `_get_declaration` is what every tool class overrides, and there is no public counterpart: a request holds the same
    declarations, but only once a turn has begun. Without it tools have no schema before the first turn.
    """
    declare = _get_attribute(tool, "_get_declaration", "Reading the declaration of a tool")
    try:
        return declare()
    except NotImplementedError:
        return None  # a tool that offers itself to models in its own `process_llm_request`


def asks_for_consent(tool: BaseTool) -> bool:
    """Return whether a tool may ask the user for consent before it runs; a function may decide that call by call.

    `_require_confirmation` is where FunctionTool and McpTool keep their `require_confirmation`. The public
    `check_require_confirmation` needs the arguments of a call. Without it people are not warned before a call asks.
    """
    return bool(getattr(tool, "_require_confirmation", False))


def list_transfer_targets(agent: BaseAgent) -> list[str]:
    """Return the names of the agents that an agent can transfer to.

    `_get_transfer_targets` holds the rules about parents, peers and modes by which ADK offers `transfer_to_agent`.
    Without it the tool is not listed before the first turn.
    """
    module, name = "google.adk.flows.llm_flows.extensions._agent_transfer", "_get_transfer_targets"
    find_targets = _get_private_name(module, name, "Listing transfer_to_agent before the first turn")
    return [target.name for target in find_targets(agent)]


def list_child_nodes(node: BaseNode) -> list[BaseNode]:
    """Return the nodes directly below a node: sub-agents, the nodes of a workflow, and workflows used as tools.

    `_iter_static_children` is where each kind of node says what it holds. Without it agents in workflows are not found,
    and a key of the state that their instructions need is named only when a run fails; nothing is raised.
    """
    iter_children = getattr(node, "_iter_static_children", None)
    return list(iter_children()) if iter_children is not None else list(getattr(node, "sub_agents", ()))


def unwrap_load_error(error: BaseException) -> BaseException:
    """Return the error of an agent's own code, which ADK wraps in its own if it is a ValueError.

    `google.adk.cli.utils.base_agent_loader._AgentLoadError` has no public name. Without it people read ADK's class
    instead of that of their own error; nothing is raised, because this is only called when something failed already.
    """
    wrapper = getattr(base_agent_loader, "_AgentLoadError", ())
    return error.__cause__ if isinstance(error, wrapper) and error.__cause__ is not None else error


def find_connection_params(toolset: BaseToolset) -> Any:
    """Return how an McpToolset connects to its server; None for toolsets that do not say.

    `_connection_params` is only used to name the server in an error message, so nothing is raised if it is missing.
    """
    return getattr(toolset, "_connection_params", None)


def hide_player_warnings(is_played: Callable[[], bool]) -> Callable[[], None]:
    """Hide what ADK warns about only because a player takes the model's place; the returned function ends that.

    Records are hidden while `is_played` returns true in the task that logs them: those of other tasks, whose models are
    real ones, and all other records stay. Handlers, levels and the user's own filters are not touched. A record that
    contains a credential of the user is always hidden.
    """
    added = ExitStack()
    for name, text in _PLAYER_WARNINGS:
        _add_filter(added, name, _PlayerWarningFilter(text, is_played))
    name, text = _CREDENTIAL_RECORD
    _add_filter(added, name, _PlayerWarningFilter(text, lambda: True))
    return added.close


def hide_explained_failures(is_explained: Callable[[BaseException], bool]) -> Callable[[], None]:
    """Hide the tracebacks that ADK logs of failures which people are told in words; the returned function ends that.

    Only records of the current task, and of those that it starts, are hidden. A logger at the level DEBUG shows them.
    """
    added = ExitStack()
    added.callback(_explains_failures.reset, _explains_failures.set(True))
    for name, text in _FAILURE_RECORDS:
        _add_filter(added, name, _FailureFilter(text, is_explained))
    return added.close


def _add_filter(added: ExitStack, logger_name: str, record_filter: logging.Filter) -> None:
    logger = logging.getLogger(logger_name)
    logger.addFilter(record_filter)
    added.callback(logger.removeFilter, record_filter)


class _FailureFilter(logging.Filter):
    """Hides the records of failures that are explained."""

    def __init__(self, text: re.Pattern[str], is_explained: Callable[[BaseException], bool]) -> None:
        super().__init__()
        self._text = text
        self._is_explained = is_explained

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or not _explains_failures.get() or not self._text.match(record.getMessage()):
            return True
        return logging.getLogger(record.name).isEnabledFor(logging.DEBUG) or not self._is_explained(error)


class _PlayerWarningFilter(logging.Filter):
    """One per run, so that the run that ends first does not remove the filter of the others."""

    def __init__(self, text: re.Pattern[str], is_played: Callable[[], bool]) -> None:
        super().__init__()
        self._text = text
        self._is_played = is_played

    def filter(self, record: logging.LogRecord) -> bool:
        return not (self._text.match(record.getMessage()) and self._is_played())


def get_thread_frame(thread: Thread) -> FrameType | None:
    """Return where a thread is; None if it has ended."""
    frames: dict[int, FrameType] = vars(sys)["_current_frames"]()
    return frames.get(thread.ident or 0)


def is_being_imported(module: ModuleType) -> bool:
    """Return whether a thread is importing the module: Python fails if it disappears from `sys.modules` meanwhile."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _get_sync_callable_runner() -> Callable[[SyncCallableRunner], AbstractContextManager[None]]:
    module, name = "google.adk.utils._sync_runner", "_use_sync_callable_runner"
    return _get_private_name(module, name, "Running synchronous tools in threads")


def _get_private_name(module: str, name: str, feature: str) -> Any:
    return _get_attribute(_import_private_module(module, feature), name, feature)


def _import_private_module(name: str, feature: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise _build_error(feature, name) from error


def _get_attribute(owner: object, name: str, feature: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError as error:
        where = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__name__
        raise _build_error(feature, f"{where}.{name}") from error


def _build_error(feature: str, name: str) -> AdkIncompatible:
    return AdkIncompatible(feature, name, installed_version=version("google-adk"), tested_version=TESTED_ADK_VERSION)
