"""An agent that pauses, in a process that continues it when the server says so: python pausing_agent.py KIND

The server's address is in ADK_SIM_SERVER_URL. It prints the name of the app when its first run has ended, and lives
until it is stopped.
"""

from __future__ import annotations

import asyncio
import sys
import warnings

from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from pausing_agents import build_confirming_app, build_credential_app, build_trip_app

from adk_agent_sim import SimulatorPlugin

_KINDS = {
    "confirmation": lambda: build_confirming_app("no-such-model"),
    "input": build_trip_app,
    "credential": lambda: build_credential_app("no-such-model", "basic", echoes=True),
}


async def _main(kind: str) -> None:
    app: App = _KINDS[kind]()
    plugin = SimulatorPlugin(restart=lambda session: session.run(runner))
    runner = InMemoryRunner(app=app.model_copy(update={"plugins": [plugin]}))
    session = await runner.session_service.create_session(app_name=app.name, user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="hello")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass
    print(app.name, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(_main(*sys.argv[1:]))
