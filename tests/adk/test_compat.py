"""The private names of ADK still have the shape that compat.py relies on, and a missing one gives a clear error.

A failure here after an upgrade of google-adk names what to adapt in adk/compat.py or timeline/framework_calls.py.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.apps import App
from google.adk.flows.llm_flows.tools import _caller, _live_caller
from google.adk.runners import InMemoryRunner
from google.adk.tools import BaseTool, FunctionTool, ToolContext, exit_loop, transfer_to_agent
from google.adk.tools._node_tool import NodeTool
from google.adk.tools.mcp_tool.mcp_session_manager import StreamableHTTPConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool
from google.adk.utils import _function_call_names
from google.adk.workflow import START, Workflow
from google.genai import types
from source_trees import parse_modules

from adk_agent_sim.adk import compat
from adk_agent_sim.adk.environment.real_tool_guard import is_framework_tool
from adk_agent_sim.errors import AdkIncompatible
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline import framework_calls

SOURCE = Path(compat.__file__).parents[1]
ROOT = SOURCE.parents[1]


def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def _create_agent(**settings: Any) -> LlmAgent:
    return LlmAgent(name="calculator", model="no/such/model", tools=[double], **settings)


def _create_node_tool() -> BaseTool:
    workflow = Workflow(name="doubling", description="Doubles.", edges=[(START, double)])
    return NodeTool(node=workflow, name="doubling", description="Doubles.")


class TestShapes:
    async def test_use_sync_callable_runner_gets_the_function_and_its_arguments(self) -> None:
        received: list[tuple[Callable[..., Any], dict[str, Any]]] = []

        async def run(function: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
            received.append((function, kwargs))
            return function(**kwargs)

        async with Simulation(_create_agent()) as sim:
            context = ToolContext(compat.create_invocation_context(sim.agent_run._runner, _get_adk_session(sim)))  # pyright: ignore[reportPrivateUsage]
            with compat.use_sync_callable_runner(run):
                result = await FunctionTool(double).run_async(args={"number": 4}, tool_context=context)

        assert result == 8
        assert received == [(double, {"number": 4})]

    def test_is_node_tool_recognizes_a_workflow_and_no_function(self) -> None:
        assert compat.is_node_tool(_create_node_tool())
        assert not compat.is_node_tool(FunctionTool(double))

    def test_call_tool_is_the_same_function_in_both_modules_with_three_parameters(self) -> None:
        original = _caller._call_tool_async  # pyright: ignore[reportPrivateUsage]

        assert _get_live_call_tool() is original
        assert list(inspect.signature(original).parameters) == ["tool", "args", "tool_context"]

    async def test_replace_tool_calls_sees_every_call_and_restores_the_original(self) -> None:
        original = _caller._call_tool_async  # pyright: ignore[reportPrivateUsage]
        called: list[str] = []

        def wrap(call_tool: compat.CallTool) -> compat.CallTool:
            async def call(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> object:
                called.append(tool.name)
                return await call_tool(tool, args=args, tool_context=tool_context)

            return call

        with compat.replace_tool_calls(wrap):
            async with Simulation(_create_agent()) as sim:
                turn = await sim.send("hi")
                turn = await turn.call("double", {"number": 2})
                await turn.respond("4")

        assert called == ["double"]
        assert _caller._call_tool_async is original  # pyright: ignore[reportPrivateUsage]
        assert _get_live_call_tool() is original

    async def test_create_invocation_context_returns_the_context_of_the_session(self) -> None:
        runner = InMemoryRunner(app=App(name="app", root_agent=_create_agent()))
        session = await runner.session_service.create_session(app_name="app", user_id="u")

        context = compat.create_invocation_context(runner, session)

        assert isinstance(context, InvocationContext)
        assert context.session is session
        assert context.agent is runner.agent

    @pytest.mark.parametrize("kind", [CallbackContext, ToolContext])
    async def test_get_invocation_context_returns_the_invocation(self, kind: type[Any]) -> None:
        runner = InMemoryRunner(app=App(name="app", root_agent=_create_agent()))
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        invocation = compat.create_invocation_context(runner, session)

        assert compat.get_invocation_context(kind(invocation)) is invocation

    def test_get_declaration_returns_the_declaration(self) -> None:
        declaration = compat.get_declaration(FunctionTool(double))

        assert isinstance(declaration, types.FunctionDeclaration)
        assert (declaration.name, declaration.description) == ("double", "Double a number.")

    def test_list_child_nodes_returns_what_agents_and_workflows_hold(self) -> None:
        workflow = Workflow(name="inner", description="Calculates.", edges=[(START, _create_agent())])
        agent = LlmAgent(name="outer", sub_agents=[_create_agent()], tools=[NodeTool(node=workflow, name="inner")])
        assert [node.name for node in compat.list_child_nodes(workflow)] == ["calculator"]
        assert [node.name for node in compat.list_child_nodes(agent)] == ["calculator", "inner"]

    def test_find_connection_params_returns_the_address_of_an_mcp_server(self) -> None:
        toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url="http://localhost:1/mcp"))

        assert compat.find_connection_params(toolset).url == "http://localhost:1/mcp"


class TestFrameworkNames:
    def test_control_tools_have_the_names_of_adks_tools(self) -> None:
        from google.adk.agents.llm.task._finish_task_tool import FINISH_TASK_TOOL_NAME

        assert transfer_to_agent.__name__ == framework_calls.TRANSFER_TO_AGENT
        assert TransferToAgentTool(agent_names=["a"]).name == framework_calls.TRANSFER_TO_AGENT
        assert SetModelResponseTool.NAME == framework_calls.SET_MODEL_RESPONSE
        assert FunctionTool(exit_loop).name == framework_calls.EXIT_LOOP
        assert FINISH_TASK_TOOL_NAME == framework_calls.FINISH_TASK

    def test_request_calls_have_the_names_of_adks_calls(self) -> None:
        names = {
            name: value for name, value in vars(_function_call_names).items() if name.endswith("_FUNCTION_CALL_NAME")
        }

        assert names == {
            "REQUEST_EUC_FUNCTION_CALL_NAME": framework_calls.REQUEST_CREDENTIAL,
            "REQUEST_CONFIRMATION_FUNCTION_CALL_NAME": framework_calls.REQUEST_CONFIRMATION,
            "REQUEST_INPUT_FUNCTION_CALL_NAME": framework_calls.REQUEST_INPUT,
        }
        assert all(framework_calls.is_request_call(name) for name in names.values())

    def test_the_agent_name_label_is_adks(self) -> None:
        from google.adk.flows.llm_flows.core._model_call import ADK_AGENT_NAME_LABEL_KEY

        assert ADK_AGENT_NAME_LABEL_KEY == framework_calls.AGENT_NAME_LABEL

    def test_what_another_agent_did_begins_as_in_adk(self) -> None:
        from google.adk.flows.llm_flows.context._fencing import OTHER_AGENT_CONTEXT_PREAMBLE

        assert OTHER_AGENT_CONTEXT_PREAMBLE.startswith(framework_calls.OTHER_AGENT_PREFIX)

    async def test_adks_own_hint_is_recognized(self) -> None:
        agent = LlmAgent(
            name="calculator", model="no/such/model", tools=[FunctionTool(double, require_confirmation=True)]
        )
        async with Simulation(agent) as sim:
            turn = await sim.send("hi")
            confirmation = await turn.call("double", {"number": 2})

        assert framework_calls.is_default_confirmation_hint(getattr(confirmation, "hint", ""))
        assert not framework_calls.is_default_confirmation_hint("This costs 5 EUR.")

    def test_framework_calls_are_control_tools_and_requests(self) -> None:
        assert framework_calls.is_framework_call("exit_loop")
        assert framework_calls.is_framework_call("adk_request_input")
        assert not framework_calls.is_framework_call("double")
        assert not framework_calls.is_request_call("exit_loop")

    def test_framework_tools_are_recognized_as_objects(self) -> None:
        assert is_framework_tool(FunctionTool(exit_loop))
        assert is_framework_tool(_create_node_tool())
        assert not is_framework_tool(FunctionTool(double))


_CALLER = "google.adk.flows.llm_flows.tools._caller"
_USES = {
    "google.adk.utils._sync_runner:_use_sync_callable_runner": "check_sync_callable_runner()",
    "google.adk.tools._node_tool:NodeTool": "is_node_tool(base_tool)",
    f"{_CALLER}:_call_tool_async": "replace_tool_calls(lambda call: call).__enter__()",
    "google.adk.runners:Runner._new_invocation_context": "create_invocation_context(object.__new__(Runner), None)",
    "google.adk.tools:BaseTool._get_declaration": "get_declaration(base_tool)",
}
"""The names that a test removes from ADK, with a call in compat.py that needs them."""

_REMOVE_NAMES = """
import importlib, json, pkgutil, sys

# ADK's own modules need the names when they are imported, so all of ADK that the package uses comes first.
from google.adk.apps import App
from google.adk.cli.utils import agent_loader
from google.adk.flows.llm_flows import functions
from google.adk.runners import Runner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, _node_tool
from google.adk.workflow import Workflow

uses = json.loads(sys.argv[1])
for where in uses:
    module, _, path = where.partition(":")
    *owners, name = path.split(".")
    owner = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    delattr(owner, name)

import adk_agent_sim
import adk_agent_sim.adk as package

names = [each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
modules = [importlib.import_module(name) for name in names]
for each in adk_agent_sim.__all__:
    getattr(adk_agent_sim, each)

from adk_agent_sim.adk import compat
from adk_agent_sim.errors import AdkIncompatible

base_tool = BaseTool(name="t", description="d")
errors = {}
for where, call in uses.items():
    try:
        eval("compat." + call)
    except AdkIncompatible as error:
        errors[where] = (error.name, str(error))
print(json.dumps({"modules": len(modules), "errors": errors}))
"""


class TestMissingNames:
    @pytest.mark.process
    def test_the_package_imports_without_them_and_their_use_says_what_is_missing(self) -> None:
        command = [sys.executable, "-c", _REMOVE_NAMES, json.dumps(_USES)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["modules"] > 30
        assert result["errors"].keys() == _USES.keys()
        for where, (name, message) in result["errors"].items():
            assert name.rpartition(".")[2] == where.rpartition(":")[2].rpartition(".")[2]
            assert f"needs {name}, which the installed google-adk" in message

    def test_the_error_names_both_versions_and_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr("google.adk.tools._node_tool.NodeTool")

        def get_version(distribution: str) -> str:
            return "9.9.9"

        monkeypatch.setattr(compat, "version", get_version)

        with pytest.raises(AdkIncompatible) as raised:
            compat.is_node_tool(BaseTool(name="t", description="d"))

        assert str(raised.value) == (
            "Telling workflow nodes from other tools needs google.adk.tools._node_tool.NodeTool, which the installed "
            f"google-adk 9.9.9 does not have. This release of adksim was tested with google-adk "
            f"{compat.TESTED_ADK_VERSION}: upgrade adksim, or install that version with "
            f"`pip install google-adk=={compat.TESTED_ADK_VERSION}`."
        )

    def test_a_module_that_is_gone_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "google.adk.tools._node_tool", None)

        with pytest.raises(AdkIncompatible, match=r"needs google\.adk\.tools\._node_tool, which"):
            compat.is_node_tool(BaseTool(name="t", description="d"))

    async def test_a_context_without_its_invocation_is_named(self) -> None:
        with pytest.raises(AdkIncompatible, match=r"needs CallbackContext\._invocation_context|Context\._invocation"):
            compat.get_invocation_context(object.__new__(ToolContext))

    async def test_a_simulation_says_so_when_it_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr("google.adk.utils._sync_runner._use_sync_callable_runner")

        with pytest.raises(AdkIncompatible, match="Running synchronous tools in threads needs"):
            await Simulation(_create_agent()).start()

    def test_a_function_needs_no_private_name_to_be_told_from_a_framework_tool(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr("google.adk.tools._node_tool.NodeTool")

        assert not is_framework_tool(FunctionTool(double))


class TestPython:
    def test_a_thread_is_found_where_it_waits(self) -> None:
        started, release = Event(), Event()

        def wait_here() -> None:
            started.set()
            release.wait()

        thread = Thread(target=wait_here)
        thread.start()
        started.wait()
        frame = compat.get_thread_frame(thread)
        names: list[str] = []
        while frame:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        release.set()
        thread.join()

        assert "wait_here" in names
        assert compat.get_thread_frame(thread) is None

    def test_a_module_knows_whether_it_is_being_imported(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        code = (
            "import sys; from adk_agent_sim.adk import compat; seen = compat.is_being_imported(sys.modules[__name__])"
        )
        (tmp_path / "asked_while_imported.py").write_text(code)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

        module = import_module("asked_while_imported")

        assert vars(module)["seen"] is True
        assert not compat.is_being_imported(module)


class TestOneModule:
    def test_only_compat_uses_private_names_of_adk(self) -> None:
        users = {path for path, tree in parse_modules(_PRIVATE_WORDS) if any(_iter_private_names(tree))}

        assert users == {"adk/compat.py"}

    def test_no_other_module_silences_the_check_of_private_access(self) -> None:
        silenced = {
            path.relative_to(SOURCE).as_posix(): found
            for path in SOURCE.rglob("*.py")
            if "generated" not in path.parts
            and (found := _find_lines(r"SLF001|reportPrivateUsage", path.read_text(encoding="utf-8")))
        }

        assert silenced.keys() <= {"adk/seats/tool_seat.py"}, silenced

    def test_the_tested_version_is_the_locked_one(self) -> None:
        locked = re.search(r"^google-adk==(\S+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.M)

        assert locked is not None
        assert locked[1] == compat.TESTED_ADK_VERSION


def _get_live_call_tool() -> object:
    return vars(_live_caller)["_call_tool_async"]


def _get_adk_session(sim: Simulation) -> Any:
    return sim.agent_run.run_environment.adk_session


def _find_lines(pattern: str, text: str) -> list[str]:
    """Return the lines with a match."""
    return [line for line in text.split("\n") if re.search(pattern, line)] if re.search(pattern, text) else []


_PRIVATE_WORDS = r"google\.adk|getattr\(|setattr\(|__name__ =="


def _iter_private_names(tree: ast.AST) -> Iterator[str]:
    """Private modules and names of ADK in imports, in texts such as "google.adk._x", in getattr, and of classes."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("google.adk"):
                parts = [*module.split("."), *(alias.name for alias in names)]
                yield from (part for part in parts if part.startswith("_") and not part.startswith("__"))
            case ast.Import(names=names):
                yield from (alias.name for alias in names if re.match(r"google\.adk.*\._", alias.name))
            case ast.Constant(value=str(text)) if re.fullmatch(r"google\.adk[\w.]*\._\w+", text):
                yield text
            case ast.Call(func=ast.Name(id="getattr" | "setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                if name.startswith("_") and not name.startswith("__"):
                    yield name
            case ast.Compare(left=ast.Attribute(attr="__name__"), comparators=[ast.Constant(value=str(name))]):
                if name.startswith("_") and not name.startswith("__"):
                    yield name
            case _:
                pass
