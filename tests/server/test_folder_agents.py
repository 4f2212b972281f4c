"""A folder of agents: cards, loading on first use, agents that do not load, and code that changes."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent_folders import PLAIN_AGENT, forget_imports, write_agent
from api_client import ApiClient, serve_simulator
from pausing_agents import build_name_app
from polling import pause

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.adk.loading.agent_folder import AgentFolder, holds_agents

_HANGING = """
import folder_gate
folder_gate.entered.set()
folder_gate.opened.wait()
from google.adk.agents import LlmAgent
root_agent = LlmAgent(name="{name}", model="gemini-2.5-flash")
"""

_NAMED_APP = """
from google.adk.agents import LlmAgent
from google.adk.apps import App
app = App(name="other_name_app", root_agent=LlmAgent(name="{name}", model="gemini-2.5-flash"))
"""

_GATE = "import threading\nentered, opened = threading.Event(), threading.Event()\n"


async def _get_agents(browser: ApiClient) -> dict[str, Any]:
    return {agent["name"]: agent for agent in await browser.get("/agents")}


async def _wait_for_agent(browser: ApiClient, name: str, **wanted: Any) -> Any:
    while True:
        agent = (await _get_agents(browser))[name]
        if all(agent[key] == value for key, value in wanted.items()):
            return agent
        await pause()


async def _call_greet(browser: ApiClient, session_id: str) -> str:
    """Call the tool in the turn that waits; return its result."""
    await browser.call_tools(session_id, ("greet", {"name": "Ada"}))
    await browser.wait_for_turn(session_id)
    results = [row for row in await browser.get_rows(session_id) if row["kind"] == "call"]
    return str(results[-1])


class TestListing:
    async def test_agents_are_listed_and_loaded_when_they_are_opened(self, tmp_path: Path) -> None:
        for name in ("zoo_agent", "abc_agent"):
            write_agent(tmp_path, name)
        write_agent(tmp_path, "fatal_agent", "raise RuntimeError('must not run')")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            agents = await browser.get("/agents")
            assert [agent["name"] for agent in agents] == ["abc_agent", "fatal_agent", "zoo_agent"]
            assert {agent["load_status"] for agent in agents} == {"not_loaded"}

            session_id = await browser.start_session("zoo_agent", "hi")
            await browser.wait_for_turn(session_id)

            found = await _get_agents(browser)
            assert found["zoo_agent"]["load_status"] == "loaded"
            assert found["zoo_agent"]["tools"] == ["greet"]
            assert found["zoo_agent"]["eval_set_path"] == "zoo_agent.evalset.json"
            assert found["abc_agent"]["load_status"] == "not_loaded"

    async def test_a_card_can_be_loaded_without_a_session(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "card_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            assert (await browser.post("/agents/card_agent/load"))["description"] == "Greets."
            assert await browser.list_sessions() == []
            await browser.post_refused("/agents/nobody/load", None, 404)

    async def test_folders_that_appear_and_disappear_are_listed_as_they_are(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "first_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            write_agent(tmp_path, "second_agent")
            assert list(await _get_agents(browser)) == ["first_agent", "second_agent"]
            (tmp_path / "first_agent").rename(tmp_path / ".hidden")
            assert list(await _get_agents(browser)) == ["second_agent"]

    async def test_what_is_no_agent_is_not_listed(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "real_agent")
        for name in ("shared", "__pycache__", ".git", "__special", "empty"):
            (tmp_path / name).mkdir()
        (tmp_path / "shared" / "__init__.py").write_text("def helper() -> None: ...\n")
        (tmp_path / "__special" / "agent.py").touch()
        (tmp_path / "yaml_agent").mkdir()
        (tmp_path / "yaml_agent" / "root_agent.yaml").touch()

        assert AgentFolder(tmp_path).list_names() == ["real_agent", "yaml_agent"]
        assert holds_agents(tmp_path)
        assert not holds_agents(tmp_path / "real_agent")
        assert not holds_agents(tmp_path / "empty")

    async def test_two_agents_with_the_same_root_agent_name_are_two_cards(self, tmp_path: Path) -> None:
        for name in ("left_agent", "right_agent"):
            write_agent(tmp_path, name, PLAIN_AGENT.replace("{name}", "root_agent"))
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            for name in ("left_agent", "right_agent"):
                await browser.start_session(name)
            sessions = await browser.list_sessions()
        assert {session["agent_label"] for session in sessions} == {"left_agent", "right_agent"}


class TestFailures:
    @pytest.mark.parametrize(
        ("code", "problem", "advice"),
        [
            ("import no_such_module_here", "No module named 'no_such_module_here'", "Install the package"),
            ("import sys\nsys.exit(3)", "its code called sys.exit(3) while it was imported", "__main__"),
            ("x = (", "SyntaxError: '(' was never closed", "Fix the code"),
            ("import os\nos.environ['NO_SUCH_VARIABLE_HERE']", "the environment variable", ".env"),
            ("x = 1", "it has no root_agent", "Define `root_agent`"),
            ("raise ValueError('<img src=x onerror=alert(1)>')", "ValueError: <img src=x", "Fix the code"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", "Fix the code"),
        ],
    )
    async def test_a_broken_agent_is_a_card_that_says_why_and_others_work(
        self, tmp_path: Path, code: str, problem: str, advice: str
    ) -> None:
        write_agent(tmp_path, "broken_agent", code)
        write_agent(tmp_path, "sound_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            refused = await browser.post_refused("/sessions", {"agent_key": "broken_agent"}, 404)
            assert refused["error"] == "AgentLoadFailed"
            assert problem in refused["message"]
            card = (await _get_agents(browser))["broken_agent"]
            assert card["load_status"] == "failed"
            assert card["load_problem"].startswith(problem)
            assert advice in card["load_advice"]
            assert ("broken_agent/agent.py, line" in card["load_trace"]) is (code != "x = 1")
            await browser.wait_for_turn(await browser.start_session("sound_agent", "hi"))

    async def test_a_fixed_agent_is_loaded_at_the_next_attempt(self, tmp_path: Path) -> None:
        folder = write_agent(tmp_path, "mended_agent", "from .tools import missing")
        (folder / "tools.py").write_text("present = 1\n")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            await browser.post_refused("/agents/mended_agent/load", None, 404)
            (folder / "tools.py").write_text("missing = 1\nmore = 2\n")
            write_agent(tmp_path, "mended_agent")
            assert (await browser.post("/agents/mended_agent/load"))["load_status"] == "loaded"

    async def test_an_import_that_hangs_says_where_and_holds_nobody_up(self, tmp_path: Path) -> None:
        (tmp_path / "folder_gate.py").write_text(_GATE)
        write_agent(tmp_path, "hanging_agent", _HANGING)
        write_agent(tmp_path, "quick_agent")
        folder = AgentFolder(tmp_path, load_timeout=0.2)
        async with serve_simulator(AgentSimulator(folder=folder)) as browser:
            refused = await browser.post_refused("/sessions", {"agent_key": "hanging_agent"}, 404)
            assert "has been loading for 0.2 seconds" in refused["message"]
            card = (await _get_agents(browser))["hanging_agent"]
            assert "hanging_agent/agent.py, line 4\n    folder_gate.opened.wait()" in card["load_trace"]
            folder.load_timeout = 60
            await browser.wait_for_turn(await browser.start_session("quick_agent", "hi"))

            import folder_gate  # pyright: ignore[reportMissingImports] - written above

            folder_gate.opened.set()  # pyright: ignore[reportUnknownMemberType]
            await _wait_for_agent(browser, "hanging_agent", load_status="loaded")
            await browser.start_session("hanging_agent")

    @pytest.mark.parametrize("name", ["<b>bold", "with space", "\u202eevil", os.fsdecode(b"not-utf-\xff")])
    async def test_names_are_text(self, tmp_path: Path, name: str) -> None:
        write_agent(tmp_path, name, "x = 1")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            (agent,) = await browser.get("/agents")
            await browser.post_refused(f"/agents/{agent['key']}/load", None, 404)
            (agent,) = await browser.get("/agents")
        assert agent["load_problem"] == "the name of its folder is not one of a module"
        assert "\u202e" not in agent["name"]

    async def test_a_folder_named_like_another_module_says_so(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "json")
        async with serve_simulator(AgentSimulator(folder=tmp_path)) as browser:
            refused = await browser.post_refused("/agents/json/load", None, 404)
        assert "its folder has the name of another module" in refused["message"]


class TestReload:
    async def test_new_sessions_use_the_changed_code_and_running_ones_do_not(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "polite_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path, reload=True)) as browser:
            before = await browser.start_session("polite_agent", "hi")
            await browser.wait_for_turn(before)
            async with browser.open_tab() as tab:
                await tab.follow(before)
                await tab.wait_for_update(type="session")
                write_agent(tmp_path, "polite_agent", greeting="Howdy")
                await tab.wait_for_update(type="agents")
            await _wait_for_agent(browser, "polite_agent", revision=1, load_status="loaded")
            after = await browser.start_session("polite_agent", "hi")
            await browser.wait_for_turn(after)

            assert "Hello Ada" in await _call_greet(browser, before)
            assert "Howdy Ada" in await _call_greet(browser, after)
            assert (await browser.get(f"/sessions/{before}"))["agent_revision"] == 0
            assert (await browser.get(f"/sessions/{after}"))["agent_revision"] == 1

            # Undo stays in the session, a fork is a new one.
            await browser.post(f"/sessions/{before}/time-travel", {"action": "undo"})
            await browser.wait_for_turn(before)
            assert "Hello Ada" in await _call_greet(browser, before)
            fork = await browser.time_travel(before, "fork", row=1)
            assert fork["agent_revision"] == 1
            assert "Howdy Ada" in await _call_greet(browser, fork["session_id"])

    async def test_shared_modules_and_relative_imports_are_loaded_again_with_what_uses_them(
        self, tmp_path: Path
    ) -> None:
        shared = tmp_path / "shared_words.py"
        shared.write_text("WORD = 'one'\n")
        code = "from shared_words import WORD\nfrom .more import MORE\n" + PLAIN_AGENT
        code = code.replace('"{greeting} "', 'WORD + MORE + " "')
        for name in ("using_agent", "also_agent"):
            folder = write_agent(tmp_path, name, code)
            (folder / "more.py").write_text("MORE = '-rel'\n")
        write_agent(tmp_path, "alone_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path, reload=True)) as browser:
            for name in ("using_agent", "also_agent", "alone_agent"):
                await browser.post(f"/agents/{name}/load")
            shared.write_text("WORD = 'two'\n")
            for name in ("using_agent", "also_agent"):
                await _wait_for_agent(browser, name, revision=1, load_status="loaded")
                session_id = await browser.start_session(name, "hi")
                await browser.wait_for_turn(session_id)
                assert "two-rel Ada" in await _call_greet(browser, session_id)
            (tmp_path / "also_agent" / "more.py").write_text("MORE = '-new'\n")
            await _wait_for_agent(browser, "also_agent", revision=2, load_status="loaded")
            agents = await _get_agents(browser)
        assert (agents["alone_agent"]["revision"], agents["using_agent"]["revision"]) == (0, 1)

    async def test_a_change_that_breaks_the_agent_is_told_and_its_repair_too(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "fragile_agent")
        async with serve_simulator(AgentSimulator(folder=tmp_path, reload=True)) as browser:
            running = await browser.start_session("fragile_agent", "hi")
            await browser.wait_for_turn(running)
            write_agent(tmp_path, "fragile_agent", "x = (")
            card = await _wait_for_agent(browser, "fragile_agent", load_status="failed")
            assert card["revision"] == 1
            assert "Hello Ada" in await _call_greet(browser, running)
            await browser.post_refused("/sessions", {"agent_key": "fragile_agent"}, 404)
            write_agent(tmp_path, "fragile_agent", greeting="Again")
            await _wait_for_agent(browser, "fragile_agent", load_status="loaded")

    async def test_without_it_nothing_is_loaded_again(self, tmp_path: Path) -> None:
        write_agent(tmp_path, "stable_agent")
        simulator = AgentSimulator(folder=tmp_path)
        async with serve_simulator(simulator) as browser:
            await browser.post("/agents/stable_agent/load")
            assert not [task for task in asyncio.all_tasks() if task.get_name() == "adksim-reload"]


class TestAfterARestart:
    async def test_a_session_is_read_exported_and_forked_with_the_code_of_now(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        agents, database = tmp_path / "agents", tmp_path / "kept.db"
        write_agent(agents, "lasting_agent")
        with forget_imports():
            async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
                waiting = await browser.start_session("lasting_agent", "hi")
                await browser.wait_for_turn(waiting)
                assert "Hello Ada" in await _call_greet(browser, waiting)
                empty = await browser.start_session("lasting_agent")
                await browser.client.patch(f"/api/sessions/{empty}", json={"name": "Kept"})
        write_agent(agents, "lasting_agent", greeting="Welcome back")
        async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
            kept = await browser.get(f"/sessions/{waiting}")
            # Its agent was running when the server stopped.
            assert (kept["status"], kept["agent_key"], kept["agent_revision"]) == ("interrupted", "lasting_agent", None)
            assert kept["time_travel"]["fork_problem"] == ""
            assert [row["kind"] for row in await browser.get_rows(waiting)][:2] == ["user", "call"]
            assert (await _get_agents(browser))["lasting_agent"]["load_status"] == "not_loaded"

            fork = (await browser.post(f"/sessions/{waiting}/time-travel", {"action": "fork"}))["session_id"]
            await browser.wait_for_turn(fork)
            assert "Hello Ada" in str(await browser.get_rows(fork))
            assert "Welcome back Ada" in await _call_greet(browser, fork)
            await browser.respond(fork, "Done.")
            await browser.wait_for_status(fork, "done")
            assert [row["kind"] for row in await browser.get_rows(waiting)][:2] == ["user", "call"]

            again = (await browser.post(f"/sessions/{empty}/time-travel", {"action": "fork"}))["session_id"]
            await browser.send_message(again, "hi")
            await browser.wait_for_turn(again)
            exported = await browser.post(f"/sessions/{fork}/export", {"format": "evalset"})
        assert exported["path"] == str(tmp_path / "lasting_agent.evalset.json")

    async def test_a_workflow_that_asked_no_model_has_a_note_in_place_of_an_instruction(self, tmp_path: Path) -> None:
        app, database = build_name_app(), tmp_path / "kept.db"
        assert app.root_agent is not None
        config = SimulatedAgentConfig(
            name="names", agent=app.root_agent, app=app, eval_set_path=tmp_path / "names.evalset.json"
        )
        async with serve_simulator(AgentSimulator([config], database=database)) as browser:
            session_id = await browser.start_session("names", "hi")
            await browser.wait_for_request(session_id, "input")
        async with serve_simulator(AgentSimulator([config], database=database)) as browser:
            briefing = await browser.get(f"/sessions/{session_id}/briefing")

        assert (briefing["agent_name"], briefing["instruction"], briefing["problem"]) == ("names", "", "")
        assert "No model was asked" in briefing["note"]

    async def test_a_session_of_an_agent_that_does_not_load_any_more_is_read_and_its_fork_says_why(
        self, tmp_path: Path
    ) -> None:
        agents, database = tmp_path / "agents", tmp_path / "kept.db"
        write_agent(agents, "passing_agent")
        with forget_imports():
            async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
                session_id = await browser.start_session("passing_agent", "hi")
                await browser.wait_for_turn(session_id)
        write_agent(agents, "passing_agent", "x = (")
        async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
            assert (await browser.get_rows(session_id))[0]["kind"] == "user"
            refused = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "fork"}, 404)
        assert "SyntaxError" in refused["message"]

    async def test_an_app_named_differently_from_its_folder_is_found_when_its_session_is_forked_or_exported(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        agents, database = tmp_path / "agents", tmp_path / "kept.db"
        write_agent(agents, "folder_agent", _NAMED_APP)
        with forget_imports():
            async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
                session_id = await browser.start_session("folder_agent", "hi")
                await browser.respond(session_id, "Hello")
                await browser.wait_for_status(session_id, "done")
        write_agent(agents, "another_agent")
        write_agent(agents, "broken_agent", "x = (  # other_name_app")
        with forget_imports():
            async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
                kept = await browser.get(f"/sessions/{session_id}")
                assert kept["time_travel"]["fork_problem"] == ""
                fork = await browser.time_travel(session_id, "fork")
                assert fork["agent_label"] == "folder_agent"
                await browser.send_message(fork["session_id"], "And now?")
                await browser.wait_for_turn(fork["session_id"])
                # Agents whose code does not contain the name are not loaded if that is not needed.
                found = await _get_agents(browser)
                assert found["another_agent"]["load_status"] == "not_loaded"
                assert (await browser.get(f"/sessions/{session_id}"))["agent_key"] == "folder_agent"
        async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
            exported = await browser.post(f"/sessions/{session_id}/export", {"format": "evalset"})
            assert exported["path"] == str(tmp_path / "folder_agent.evalset.json")

    async def test_a_session_whose_agent_is_not_in_the_folder_any_more_cannot_be_forked(self, tmp_path: Path) -> None:
        agents, database = tmp_path / "agents", tmp_path / "kept.db"
        write_agent(agents, "other_name_app", _NAMED_APP.replace("other_name_app", "third_name_app"))
        write_agent(agents, "leaving_agent", _NAMED_APP)
        with forget_imports():
            async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
                session_id = await browser.start_session("leaving_agent", "hi")
                await browser.wait_for_turn(session_id)
        shutil.rmtree(agents / "leaving_agent")
        write_agent(agents, "broken_agent", "x = (")
        async with serve_simulator(AgentSimulator(folder=agents, database=database)) as browser:
            refused = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "fork"}, 409)
            kept = await browser.get(f"/sessions/{session_id}")
        message = "The agent of this session is not on this server. These agents could not be loaded: broken_agent."
        assert refused["message"] == kept["time_travel"]["fork_problem"] == message
