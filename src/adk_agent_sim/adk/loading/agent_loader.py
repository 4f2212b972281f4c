"""Loads agents from folders as `adk run` takes them, again for each run, and describes why one does not load.

Python keeps modules, and two agents may have folders of the same name, or modules of the same name beside them; ADK
reads an agent's `.env` into the environment of the process. Both are undone before an agent is loaded again.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType

from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.cli.utils.agent_loader import AgentLoader, is_single_agent_directory

from adk_agent_sim.adk import demo
from adk_agent_sim.adk.adk_messages import is_invalid_agent_name, is_missing_root_agent, remove_load_prefix
from adk_agent_sim.adk.compat import unwrap_load_error
from adk_agent_sim.adk.loading.folder_modules import is_module_of, list_places
from adk_agent_sim.errors import AgentLoadFailed
from adk_agent_sim.text.surrogates import replace_lone_surrogates

__all__ = [
    "DEMO_AGENTS",
    "App",
    "ModuleNameInUse",
    "check_agent_folder",
    "create_placeholder_agent",
    "describe_missing_agent",
    "get_demo_folder",
    "import_app",
    "load_app",
    "load_demo_app",
]

DEMO_AGENTS = ("math_agent", "shop_agent")
"""The names of the demo agents; each is a folder as `adk run` takes it."""

_EXPECTED_FILES = "`app` or `root_agent` in agent.py or __init__.py, or a root_agent.yaml"


class ModuleNameInUse(ImportError):
    """An agent's folder has the name of a module of Python or of an installed package, which cannot be replaced."""

    def __init__(self, name: str, module: ModuleType) -> None:
        place = getattr(module, "__file__", None) or f"which is built into Python ({name})"
        super().__init__(f"its folder has the name of another module, {place}")


def load_app(folder: Path) -> App:
    """Load an agent folder.

    Returns:
        The folder's `app`, or a new App named after the folder with its `root_agent`.

    Raises:
        AgentLoadFailed: The folder holds no agent, or its code does not load.
    """
    path = folder.resolve()
    if not path.is_dir():
        raise AgentLoadFailed(str(folder), "there is no such folder" if not path.exists() else "it is not a folder")
    try:
        return import_app(path.parent, path.name)
    except Exception as error:
        raise AgentLoadFailed(str(folder), _describe_load_failure(path, error)) from error


def check_agent_folder(folder: Path) -> None:
    """Raise AgentLoadFailed if a folder cannot have an agent; its code is not run, so that this takes no time."""
    if not folder.is_dir():
        raise AgentLoadFailed(str(folder), "it is not a folder" if folder.exists() else "there is no such folder")
    if any((folder / name).exists() for name in ("agent.py", "agent", "__init__.py", "root_agent.yaml")):
        return
    if agents := sorted(child.name for child in folder.iterdir() if is_single_agent_directory(child)):
        reason = f"it contains agents but is not one itself; give one of them: {', '.join(agents)}"
        raise AgentLoadFailed(str(folder), reason)
    raise AgentLoadFailed(str(folder), describe_missing_agent(folder))


def import_app(root: Path, name: str) -> App:
    """Import the agent `name` of the folder `root`, with its .env file; raises what ADK and the agent's code raise."""
    _prefer_folder(root.resolve(), name)
    loaded = AgentLoader(str(root)).load_agent(name)
    if isinstance(loaded, App):
        return loaded
    try:
        return App(name=name, root_agent=loaded)
    except ValueError:  # App accepts only identifiers as names, and a folder may be called anything
        return App(name=loaded.name, root_agent=loaded)


def _prefer_folder(root: Path, name: str) -> None:
    """Make an import of the agent find this folder, although an agent of the same name came from another one."""
    # ADK does not move a folder to the front that is already in the path.
    sys.path[:] = [str(root), *(each for each in sys.path if each != str(root))]
    module = sys.modules.get(name)
    if module is None or any(place.is_relative_to(root) for place in list_places(module)):
        return
    if name in sys.stdlib_module_names or any("site-packages" in place.parts for place in list_places(module)):
        raise ModuleNameInUse(name, module)
    # Its submodules too: Python would take them for those of the new package.
    for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[each]


def create_placeholder_agent(name: str) -> BaseAgent:
    """Return an agent for a session that ran elsewhere, of which only the agent's name is known."""
    return BaseAgent(name=name if name.isidentifier() else "agent_" + re.sub(r"[^0-9A-Za-z]", "_", name))


def load_demo_app(name: str) -> App:
    """Return the app of a demo agent; raise AgentLoadFailed if there is no such demo."""
    if name not in DEMO_AGENTS:
        raise AgentLoadFailed(name, f"there is no such demo agent; the demo agents are: {', '.join(DEMO_AGENTS)}")
    return import_module(f"{demo.__name__}.{name}.agent").app


def get_demo_folder(name: str) -> Path:
    """Return the folder of a demo agent."""
    return Path(demo.__path__[0]) / name


def _describe_load_failure(path: Path, error: Exception) -> str:
    """Return ADK's message if there was something to load, otherwise what was expected and what is in the folder."""
    if isinstance(error, ModuleNameInUse):
        return f"{error}; rename the folder"
    agents = sorted(child.name for child in path.iterdir() if is_single_agent_directory(child))
    if any((path / name).exists() for name in ("agent.py", "root_agent.yaml")) or (
        (path / "__init__.py").exists() and not agents
    ):
        # ADK appends a long explanation of its folder layout after a blank line.
        return f"{type(error).__name__}: {str(error).split(chr(10) * 2, maxsplit=1)[0]}".rstrip(".")
    if agents:
        return (
            f"it contains agents but is not one itself; give one of them: {', '.join(agents)}; or add --web, which "
            "shows all of them"
        )
    return describe_missing_agent(path)


def describe_missing_agent(path: Path) -> str:
    """Return what was looked for in a folder without an agent, and what is there."""
    children = ", ".join(sorted(child.name for child in path.iterdir())[:10]) or "nothing"
    return f"looked for {_EXPECTED_FILES}; found: {children}"


class AgentReloader:
    """Loads agents, each time from the beginning."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._roots: set[Path] = set()
        self._other_modules = dict(sys.modules)
        """Those that belong to no agent."""

    def load(self, folder: Path) -> App:
        """Execute the modules of an agent's folder and return its app; raise AgentLoadFailed if it has none."""
        self._roots.add(folder.resolve().parent)
        self._forget_modules()
        self._restore_environment()
        return load_app(folder)

    def _forget_modules(self) -> None:
        # There are thousands of modules, and all but a few of them were there before any agent.
        for name, module in list(sys.modules.items()):
            if self._other_modules.get(name) is module:
                continue
            if any(is_module_of(root, module) for root in self._roots):
                del sys.modules[name]
            else:
                self._other_modules[name] = module

    def _restore_environment(self) -> None:
        for name in os.environ.keys() - self._environment.keys():
            del os.environ[name]
        os.environ.update(self._environment)


_MAX_PROBLEM_CHARS = 600
_MAX_FRAMES = 8

_FIX = "Fix the code and try again."
_RENAME = "Rename the folder: it is imported as a module, whose name has letters, digits and underscores."


@dataclass(frozen=True, kw_only=True)
class LoadFailure:
    """Why an agent is not loaded."""

    problem: str
    """What happened, without a full stop."""

    advice: str
    """What to do about it, as sentences."""

    trace: str = ""
    """The lines of the folder's code that led there, the innermost one last; empty if there are none."""

    def build_error(self, name: str) -> AgentLoadFailed:
        """Return the error for whoever wants to play the agent."""
        return AgentLoadFailed(name, self.problem, self.advice)


def describe_load_failure(error: BaseException, root: Path) -> LoadFailure:
    """Describe what importing an agent of the folder `root` has raised."""
    error = unwrap_load_error(error)
    problem, advice = _explain(error)
    problem = replace_lone_surrogates(problem).strip().rstrip(".")
    if len(problem) > _MAX_PROBLEM_CHARS:
        problem = f"{problem[:_MAX_PROBLEM_CHARS]}\u2026"
    return LoadFailure(problem=problem, advice=advice, trace=_format_trace(error, root))


def describe_slow_load(frame: FrameType | None, root: Path, seconds: float) -> LoadFailure:
    """Describe a load that has not ended; `frame` is the innermost one of its thread."""
    frames = [(each.filename, each.lineno, each.line) for each in traceback.extract_stack(frame)] if frame else []
    return LoadFailure(
        problem=f"its code has been loading for {seconds:g} seconds and has not ended",
        advice="It waits at the last line below. The agent can be played as soon as it ends; if it never does, "
        "fix the code and start `adksim run` again.",
        trace=_format_frames(frames, root),
    )


def _explain(error: BaseException) -> tuple[str, str]:
    message = remove_load_prefix(str(error).split("\n\n", maxsplit=1)[0])
    if isinstance(error, SystemExit):
        shown = "" if error.code is None else repr(error.code)
        return (
            f"its code called sys.exit({shown}) while it was imported",
            'Remove the call, or put it under `if __name__ == "__main__":`.',
        )
    if isinstance(error, ModuleNameInUse):
        return message, "Rename the folder."
    if isinstance(error, ModuleNotFoundError):
        return message, f"Install the package that has it for {sys.executable}, or fix the import."
    if isinstance(error, KeyError) and _is_from_environment(error):
        return (
            f"the environment variable {error.args[0]!r} is not set",
            "Set it in the .env file of the agent's folder, or before you start `adksim run`.",
        )
    if is_invalid_agent_name(error):
        return "the name of its folder is not one of a module", _RENAME
    if is_missing_root_agent(error):
        return "it has no root_agent", "Define `root_agent` or `app` in its agent.py, or write a root_agent.yaml."
    return f"{type(error).__name__}: {message}" if message else type(error).__name__, _FIX


def _is_from_environment(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    # A missing variable is reported from inside of `os`, which may be a file or frozen into Python.
    return bool(frames) and frames[-1].filename in (os.__file__, "<frozen os>")


def _format_trace(error: BaseException, root: Path) -> str:
    frames = [(each.filename, each.lineno, each.line) for each in traceback.extract_tb(error.__traceback__)]
    # A file that cannot be parsed was never run, so the traceback has no frame of it.
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno, error.text))
    return _format_frames(frames, root)


def _format_frames(frames: Iterable[tuple[str, int | None, str | None]], root: Path) -> str:
    own = [frame for frame in frames if Path(frame[0]).is_relative_to(root)]
    lines = [
        f"{Path(filename).relative_to(root)}, line {number}\n    {(line or '').strip()[:200]}".rstrip()
        for filename, number, line in own[-_MAX_FRAMES:]
    ]
    return replace_lone_surrogates("\n".join(lines))
