"""Takes the pictures in docs/screenshots: the workbench's main states, at both sizes, light and dark.

Run by `make screenshots`. Each state is a function that brings a page there as a person would.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Page, expect

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import browser_pages as browsers  # noqa: E402
import tutorial_page  # noqa: E402
import workbench_server  # noqa: E402
from agent_folders import write_agent  # noqa: E402
from bench_builders import build_result  # noqa: E402
from bench_folders import build_test_plan, write_scenarios  # noqa: E402
from browser_pages import PageWatch, Theme  # noqa: E402
from eval_case_files import DRIFTED, EQUAL, TALK, write_eval_set  # noqa: E402
from workbench_user import WorkbenchUser  # noqa: E402
from world_timelines import SCENARIO  # noqa: E402

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig  # noqa: E402
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app  # noqa: E402
from adk_agent_sim.adk.loading.agent_loader import load_app  # noqa: E402
from adk_agent_sim.bench.results_file import open_results  # noqa: E402
from adk_agent_sim.golden.eval_file import EvalFile  # noqa: E402
from adk_agent_sim.scenario.format.exporter import serialize_trace  # noqa: E402
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog  # noqa: E402
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog  # noqa: E402
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog  # noqa: E402

State = Callable[[Page], Awaitable[object]]
THEMES: tuple[Theme, ...] = ("light", "dark")


async def agents(page: Page) -> None:
    """The agents that can be played."""
    await page.get_by_role("article", name="math_agent").wait_for()


async def start(page: Page) -> None:
    """A session in which nothing has happened yet."""
    player = WorkbenchUser(page)
    await player.start_session("shop_agent")
    await player.composer.get_by_role("textbox", name="Message").wait_for()


async def turn(page: Page) -> WorkbenchUser:
    """A turn that waits for a person, a tool chosen, after an error that is open."""
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is (17 + 4) * 2, and what is 6 divided by 0?")
    await player.wait_for_turn()
    await player.call_tool("add", a="17", b="4")
    await player.wait_for_turn()
    await player.call_tool("divide", dividend="6", divisor="0")
    await player.wait_for_turn()
    await player.open_row(player.find_rows("Tool Error"))
    await player.choose_tool("multiply")
    await player.find_field("a").fill("21")
    return player


async def form(page: Page) -> None:
    """A form with lists and objects."""
    player = WorkbenchUser(page)
    await player.start_session("shop_agent")
    await player.send_message("Two pairs of headphones to Main Street 1, please.")
    await player.wait_for_turn()
    await player.call_tool("search_products", query="headphones")
    await player.wait_for_turn()
    await player.choose_tool("place_order")


async def export_trace(page: Page) -> None:
    """Write a golden trace."""
    player = await turn(page)
    await player.find_field("b").fill("2")
    await player.execute()
    await player.wait_for_turn()
    await player.respond("(17 + 4) * 2 is **42**. 6 divided by 0 has no result.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").click()
    await page.get_by_text("Written as").wait_for()


async def preview(page: Page) -> None:
    """What an export would write, while the next turn waits."""
    player = await turn(page)
    await player.find_field("b").fill("2")
    await player.execute()
    await player.wait_for_turn()
    await player.respond("(17 + 4) * 2 is **42**.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await expect(page.get_by_role("dialog").get_by_role("button", name="Write the file")).to_be_enabled()


async def rules(page: Page) -> None:
    """The rules beside the timeline."""
    await turn(page)
    await page.get_by_role("button", name="Rules").click()
    await page.get_by_role("region", name="Rules").wait_for()


async def switch_tool(page: Page, tool: str) -> None:
    """Let a person play a tool, in the open session."""
    await page.get_by_role("button", name="Rules").click()
    panel = page.get_by_role("region", name="Rules")
    async with page.expect_response(lambda response: response.url.endswith("/environment/tools")):
        await panel.get_by_label(f"Player of {tool}").select_option("a person")


async def tool(page: Page) -> None:
    """A call that waits for the person who plays the tool."""
    player = WorkbenchUser(page)
    await player.start_session("shop_agent")
    await player.send_message("Which headphones do you have for less than 100?")
    await player.wait_for_turn()
    await switch_tool(page, "search_products")
    await page.get_by_role("button", name="Close the rules").click()
    await player.call_tool("search_products", query="headphones")
    await player.composer.get_by_role("button", name="Send result").wait_for()


async def tool_rules(page: Page) -> None:
    """Who plays each tool, while one of them waits for its person."""
    await tool(page)
    await page.get_by_role("button", name="Rules").click()
    await page.get_by_label("Player of search_products").scroll_into_view_if_needed()


async def tool_queue(page: Page) -> None:
    """The queue, with the result of a tool that is asked for."""
    await tool(page)
    await open_list(page, "Queue", "shop_agent")
    await page.get_by_role("row").nth(1).wait_for()


async def open_list(page: Page, name: str, agent: str = "math_agent") -> None:
    """Open a list by the menu of the agent."""
    await page.get_by_role("button", name=agent).click()
    await page.get_by_role("menuitem", name=name).click()


async def sessions(page: Page) -> None:
    """The list of sessions, one of which waits."""
    await turn(page)
    await open_list(page, "All sessions")
    await page.get_by_role("row").nth(1).wait_for()


async def queue(page: Page) -> None:
    """The queue of requests that wait for a person."""
    await turn(page)
    await open_list(page, "Queue")
    await page.get_by_role("row").nth(1).wait_for()


async def verdict(page: Page) -> None:
    """The verdict on a world in which the agent was played by a person, who sent the wrong email."""
    await page.get_by_role("button", name="Play the agent").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.call_tool("SystemApp__wait_for_notification", timeout="60")
    await player.wait_for_turn()
    await player.respond("Done.")
    row = page.locator(".row", has_text="the run failed")
    await row.locator(".row-line").click()
    await page.get_by_role("region", name="Verdict").wait_for()


async def tutorial_call(page: Page) -> WorkbenchUser:
    """The second call of the tutorial's session, before it is executed."""
    player = WorkbenchUser(page)
    await player.send_message("Two flat whites to go, please.")
    await player.wait_for_turn()
    await player.call_tool("find_price", drink="flat white")
    await player.wait_for_turn()
    await player.choose_tool("place_order")
    await player.find_field("drink").fill("flat white")
    await player.find_field("cups").fill("2")
    await player.composer.get_by_role("radiogroup", name="to_go").get_by_role("radio", name="true").check()
    return player


async def tutorial_export(page: Page) -> None:
    """The preview of the tutorial's golden trace."""
    player = await tutorial_call(page)
    await player.execute()
    await player.wait_for_turn()
    await player.respond("Two flat whites to go, that is 8 euros.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("What will be written").click()
    await dialog.locator(".jt-fold[aria-expanded=false]").first.click()  # the only invocation
    for name in ("intermediate_data", "tool_uses"):
        await dialog.get_by_role("button", name=name, expanded=False).click()
    await dialog.locator(".jt-fold[aria-expanded=false]", has_text="cup").click()
    await dialog.get_by_text("place_order").first.scroll_into_view_if_needed()


async def graph(page: Page) -> None:
    """The graph of a scenario while a person plays the agent in its world."""
    await page.get_by_role("button", name="Play the agent").click()
    await WorkbenchUser(page).wait_for_turn()
    tab = page.get_by_role("tab", name="Graph")
    if not await tab.is_visible():  # a narrow window shows the briefing over the timeline
        await page.get_by_role("button", name="what the model reads").click()
    await tab.click()
    await page.get_by_role("region", name="Graph").get_by_role("button", name="env").wait_for()


async def agent_folder(page: Page) -> None:
    """The agents of a folder, one of which is broken."""
    await page.get_by_role("button", name="Play greeter").wait_for()
    await page.get_by_role("article", name="broken").get_by_role("button").first.click()
    await page.get_by_text("The menu is empty").first.wait_for()


async def evals(page: Page) -> None:
    """The cases of an EvalSet, replayed."""
    await page.get_by_role("button", name="Replay all").click()
    await page.get_by_role("row", name="wrong sum").get_by_text("drifted").wait_for()
    await expect(page.get_by_role("button", name="Replay all")).to_be_enabled()


async def eval_case(page: Page) -> None:
    """A case that has drifted, beside what differs."""
    await evals(page)
    await page.get_by_role("link", name="wrong sum").click()
    await page.get_by_role("region", name="Timeline").locator("article").nth(1).wait_for()


async def bench(page: Page) -> None:
    """A bench of which two thirds have run."""
    await page.get_by_role("grid", name="Runs that passed").get_by_role("row").nth(5).wait_for()


STATES: dict[str, State] = {
    "agents": agents,
    "start": start,
    "turn": turn,
    "form": form,
    "rules": rules,
    "preview": preview,
    "exported": export_trace,
    "sessions": sessions,
    "queue": queue,
    "tool": tool,
    "tool-rules": tool_rules,
    "tool-queue": tool_queue,
    "verdict": verdict,
    "tutorial-call": tutorial_call,
    "tutorial-export": tutorial_export,
    "graph": graph,
    "agent-folder": agent_folder,
    "evals": evals,
    "eval-case": eval_case,
    "bench": bench,
}


def build_demo() -> workbench_server.Simulator:
    """Build a workbench with the demo agents."""
    return workbench_server.build_demo_simulator(Path("evals"))


def build_tutorial() -> AgentSimulator:
    """Build a workbench with the agent of docs/tutorial.md."""
    agent = load_app(tutorial_page.write_files(Path())).root_agent
    if agent is None:
        raise SystemExit("The agent of docs/tutorial.md has no root_agent.")
    return AgentSimulator([SimulatedAgentConfig(name="cafe", agent=agent, eval_set_path="cafe.evalset.json")])


def build_scenario() -> AgentSimulator:
    """Build a server with a scenario and no agents."""
    file = Path("emails.json")
    file.write_text(serialize_trace(SCENARIO.trace), encoding="utf-8")
    return AgentSimulator([], scenarios=ScenarioCatalog([file]))


def build_folder() -> AgentSimulator:
    """Build a server of a folder with a broken agent."""
    for name in ("greeter", "concierge"):
        write_agent(Path("agents"), name)
    write_agent(Path("agents"), "broken", "raise ValueError('The menu is empty.')")
    return AgentSimulator(folder=Path("agents").resolve())


def build_evals() -> AgentSimulator:
    """Build a server of an EvalSet."""
    path = write_eval_set(Path("math.evalset.json").resolve(), EQUAL, DRIFTED, TALK)
    return AgentSimulator([], evals=EvalCatalog([EvalFile(path)], math_app))


def build_bench() -> AgentSimulator:
    """Build a server of a bench that was stopped."""
    plan = build_test_plan(write_scenarios(Path().resolve(), 24), models=("fast", "careful"))
    with open_results(Path("nightly").resolve(), plan) as saved:
        for number, run in enumerate(plan.runs[:32]):
            outcome = "failed" if number % (3 if run.key.model == "fast" else 7) == 0 else "passed"
            saved.append([build_result(outcome, **run.key.model_dump(), reason="Turn 1: the mail is missing")])
    return AgentSimulator([], benches=BenchCatalog([Path("nightly").resolve()]))


BUILDERS: dict[str, Callable[[], workbench_server.Simulator]] = {
    "verdict": build_scenario,
    "graph": build_scenario,
    "tutorial-call": build_tutorial,
    "tutorial-export": build_tutorial,
    "agent-folder": build_folder,
    "evals": build_evals,
    "eval-case": build_evals,
    "bench": build_bench,
}
"""What the states are about that do not show the demo agents."""


async def take(browser: Browser, name: str, width: int, theme: Theme, path: Path) -> None:
    """Take one picture, of a workbench that nobody has used before."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        async with workbench_server.run_workbench(BUILDERS.get(name, build_demo)) as server:
            watch = PageWatch(server.url)
            if name == "agent-folder":
                watch.allow_fault("404")  # the attempt to load the broken agent
            context = await browsers.new_context(browser)
            page = await browsers.open_page(context, server.url, watch, width=width, theme=theme)
            await STATES[name](page)
            await expect(page.get_by_text("Loading…")).to_have_count(0)
            await page.screenshot(path=path, animations="disabled", caret="hide")
            await context.close()
    if watch.faults:
        raise SystemExit(f"{path.name}: the page is not clean:\n" + "\n".join(watch.faults))
    print(path.relative_to(HERE.parent))


async def main() -> None:
    """Take the pictures of the states named on the command line, or of all."""
    folder = HERE / "screenshots"
    folder.mkdir(exist_ok=True)
    async with browsers.launch_browser() as browser:
        for name in sys.argv[1:] or STATES:
            for width in (1280, 900):
                for theme in THEMES:
                    await take(browser, name, width, theme, folder / f"{name}-{width}-{theme}.png")


if __name__ == "__main__":
    asyncio.run(main())
