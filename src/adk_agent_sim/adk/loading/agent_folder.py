"""A folder of agents as `adk web` takes it, or one agent of it: lists the agents and loads them, also in threads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Generic, TypeVar

from google.adk.cli.utils.agent_loader import is_single_agent_directory

from adk_agent_sim.adk.compat import get_thread_frame
from adk_agent_sim.adk.loading.agent_loader import (
    App,
    LoadFailure,
    describe_load_failure,
    describe_missing_agent,
    import_app,
    load_app,
)
from adk_agent_sim.adk.loading.folder_modules import FolderModules
from adk_agent_sim.errors import AgentLoadFailed
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.golden.session import SimulatedAgentConfig

LOAD_TIMEOUT_SECONDS = 60.0
"""How long an import may take by default; libraries for machine learning take that long on a slow disk."""

_AGENT_IN_PACKAGE = re.compile(r"\b(?:root_agent|app|agent)\b")
"""What the `__init__.py` of an agent without agent.py mentions; that of a package with shared tools does not."""


def holds_agents(path: Path) -> bool:
    """Return whether a folder is no agent itself and contains agents."""
    return path.is_dir() and not _is_agent(path) and bool(_list_agent_names(path))


class AgentFolder:
    """The agents of a folder. Everything here may take long, and runs code of the user's: call it in a thread."""

    def __init__(
        self,
        root: Path,
        *,
        only: str | None = None,
        prepare: Callable[[App], App] = lambda app: app,
        eval_set: Path | None = None,
        load_timeout: float = LOAD_TIMEOUT_SECONDS,
    ) -> None:
        """Name a folder; nothing is imported yet.

        Args:
            root: The folder that contains the agents' folders.
            only: The one agent to play; by default all of them.
            prepare: Called with each app that was loaded; returns the one to play.
            eval_set: The EvalSet of the one agent; by default one named after the agent, in the current directory.
            load_timeout: How many seconds people wait for an agent before they are told where its code is; it goes on.

        Raises:
            AgentLoadFailed: There is no such folder, or it contains no agent.
        """
        if not root.is_dir():
            raise AgentLoadFailed(str(root), "it is not a folder" if root.exists() else "there is no such folder")
        # As ADK does: the modules have the resolved path in their `__file__`.
        self.root = root.resolve()
        self.only = only
        self.load_timeout = load_timeout
        self._prepare = prepare
        self._eval_set = eval_set
        self.modules = FolderModules(self.root)
        """What was imported from the folder."""
        self.preloaded: SimulatedAgentConfig | None = None
        """The one agent, if it was loaded by `preload`."""
        if not self.list_names():
            raise AgentLoadFailed(str(root), describe_missing_agent(self.root))

    def list_names(self) -> Sequence[str]:
        """Return the names of the agents' folders, sorted."""
        return _list_agent_names(self.root) if self.only is None else [self.only]

    def preload(self) -> None:
        """Load the one agent at once.

        Raises:
            AgentLoadFailed: It cannot be loaded.
        """
        name = self.only or ""
        built = self._build_config(name, self._prepare(load_app(self.root / name)))
        if isinstance(built, LoadFailure):
            raise built.build_error(name)
        self.preloaded = built

    def load(self, name: str) -> SimulatedAgentConfig | LoadFailure:
        """Import an agent and return how it is played, or why it cannot be."""
        try:
            app = self._prepare(import_app(self.root, name))
        except BaseException as error:  # noqa: BLE001 - code of the user's, which may also exit; the failure is shown
            failure = describe_load_failure(error, self.root)
            # What the code had imported before it failed may be what is fixed next.
            self.modules.forget({name})
            return failure
        return self._build_config(name, app)

    def find_eval_set(self, name: str) -> Path | None:
        """Return the EvalSet of an agent; None if its name is known only when the agent is loaded."""
        if self._eval_set is not None:
            return self._eval_set
        return Path(build_eval_set_name(name)) if self.only is None else None

    def _build_config(self, name: str, app: App) -> SimulatedAgentConfig | LoadFailure:
        if app.root_agent is None:
            return LoadFailure(problem=f"its app {app.name!r} has no root_agent", advice="Set App(root_agent=...).")
        label = name if self.only is None else app.root_agent.name
        return SimulatedAgentConfig(
            name=label,
            agent=app.root_agent,
            eval_set_path=self.find_eval_set(name) or Path(build_eval_set_name(app.name)),
            app=app,
            folder=self.root / name,
        )

    def mentions(self, name: str, text: str) -> bool:
        """Return whether the code in an agent's folder contains a text; code that cannot be read does not."""
        try:
            files = sorted((self.root / name).glob("*.py"))
            return any(text in file.read_text(encoding="utf-8", errors="replace") for file in files)
        except OSError:
            return False


def _list_agent_names(root: Path) -> Sequence[str]:
    try:
        children = list(root.iterdir())
    except OSError:
        return []
    # ADK keeps names that begin with two underscores for its own agents.
    return sorted(child.name for child in children if not child.name.startswith((".", "__")) and _is_agent(child))


def _is_agent(folder: Path) -> bool:
    if is_single_agent_directory(folder):
        return True
    try:
        text = (folder / "__init__.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return _AGENT_IN_PACKAGE.search(text) is not None


_Result = TypeVar("_Result")


class ImportThread(Generic[_Result]):
    """One call of a function in a daemon thread.

    Not an executor's thread: an import that never ends would keep one of its few workers, and the end of the process
    would wait for it.
    """

    def __init__(self, function: Callable[[], _Result], name: str) -> None:
        """Start the thread; call this in the event loop that waits for the result."""
        self._loop = asyncio.get_running_loop()
        self._function = function
        self.result: asyncio.Future[_Result | BaseException] = self._loop.create_future()
        """What the function returned or raised. An exit of the code is a value here, and does not end the server."""
        self._thread = Thread(target=self._run, name=f"adksim-import-{name}", daemon=True)
        self._thread.start()

    def find_frame(self) -> FrameType | None:
        """Return where the thread is; None if it has ended."""
        return get_thread_frame(self._thread)

    def _run(self) -> None:
        # Code that asks for the event loop while it is imported finds one, as it does in the main thread.
        own_loop = asyncio.new_event_loop()
        asyncio.set_event_loop(own_loop)
        outcome: _Result | BaseException
        try:
            outcome = self._function()
        except BaseException as error:  # noqa: BLE001 - code of the user's, which may also exit; the failure is shown
            outcome = error
        finally:
            asyncio.set_event_loop(None)
            own_loop.close()
        with suppress(RuntimeError):  # the server has stopped meanwhile
            self._loop.call_soon_threadsafe(self._finish, outcome)

    def _finish(self, outcome: _Result | BaseException) -> None:
        # Who waited for the result may have been cancelled, and the future with it.
        if not self.result.done():
            self.result.set_result(outcome)
