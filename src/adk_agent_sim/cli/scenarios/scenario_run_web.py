"""`adksim scenario run --web`: a person plays the agent in the browser, or watches it."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

from adk_agent_sim.cli.exit_codes import NothingToCompare
from adk_agent_sim.cli.play.browser import BrowserSettings
from adk_agent_sim.text.terminal_output import print_line

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.run_exports import RunExports
    from adk_agent_sim.adk.worlds.run_result import WorldRunResult
    from adk_agent_sim.adk.worlds.world_run import WorldRun
    from adk_agent_sim.server.scenarios.world_workbench import WorldWorkbench
    from adk_agent_sim.timeline.timeline import Timeline


class RunInBrowser:
    """One run whose session is served: `play` until the verdict, then `close`."""

    def __init__(self, browser: BrowserSettings, *, is_human: bool, as_json: bool) -> None:
        """Prepare; nothing is served before `play`.

        Args:
            browser: Where the page is served.
            is_human: Whether a person plays.
            as_json: Whether standard output is for the result only.
        """
        self._browser = browser
        self._is_human = is_human
        self._as_json = as_json
        self._workbench: WorldWorkbench | None = None

    async def play(self, create_run: Callable[[Timeline], WorldRun], exports: RunExports) -> WorldRunResult:
        """Serve the session of a run until it is judged, and write its exports.

        Raises:
            NothingToCompare: The command was stopped before.
            SimulatorError: The address cannot be used, or the run cannot be prepared.
        """
        from adk_agent_sim.server.access.exposure import build_exposure
        from adk_agent_sim.server.scenarios.world_workbench import WorldWorkbench
        from adk_agent_sim.use_cases.worlds import export_world_run

        browser = self._browser
        exposure = build_exposure(
            browser.host,
            browser.allow_host,
            browser.tls_cert,
            browser.tls_key,
            behind_tls_proxy=browser.behind_tls_proxy,
        )
        self._workbench = await WorldWorkbench.start(exposure, browser.port)
        self._workbench.stop_on_signals()
        run = create_run(self._workbench.timeline)
        result = await self._workbench.play(run, self._print_address)
        if result is None:
            raise NothingToCompare("The run was stopped before it was over, so it was not judged.")
        return await export_world_run(run, result, exports)

    async def close(self, *, waits: bool) -> None:
        """Stop serving; with `waits`, not before Ctrl-C."""
        if self._workbench is None:
            return
        if waits:
            self._print("The page stays open. Press Ctrl-C to stop.")
            await self._workbench.server.wait_until_stopped()
        await self._workbench.server.stop()

    def _print_address(self, address: str) -> None:
        assert self._workbench is not None  # noqa: S101 - it serves
        port = self._workbench.server.port
        if self._browser.port not in (0, port):
            self._print(f"Port {self._browser.port} is in use; using {port}.")
        self._print(f"Open {address}")
        what = "You play the agent there; the verdict is printed here" if self._is_human else "Watch the agent there"
        self._print(f"{what}. The login URL works once, for 10 minutes; `adksim open` prints another.")
        if self._browser.open_browser:
            # Opening a browser may block, and the loop has to serve the page meanwhile.
            asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)

    def _print(self, text: str) -> None:
        print_line(text, err=self._as_json)
