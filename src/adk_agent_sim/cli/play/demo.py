"""`adksim demo`: play a built-in demo agent; needs no agent of your own, no network and no API key."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import click

from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, build_agent_config, serve_in_browser
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.text.terminal_output import print_document, print_line


@click.command()
@click.option("--agent", "name", type=click.Choice(["math", "shop"]), help="The demo agent; by default both.")
@click.option("--terminal", is_flag=True, help="Play in this terminal, not in the browser; by default the math agent.")
@click.option(
    "--eval-set",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --terminal: the EvalSet to append the session to; by default a file in a new temporary folder.",
)
@click.option(
    "--scripted",
    is_flag=True,
    help="In the terminal: play a prepared script; the default if stdin is not a terminal.",
)
@browser_options
def demo(
    name: str | None,
    terminal: bool,
    eval_set: Path | None,
    scripted: bool,
    browser: BrowserSettings,
) -> None:
    """Play the model of a demo agent in the browser, or in this terminal.

    You see what the model would see, call the real tools, and answer. The session is exported as a golden trace to an
    EvalSet, and the command that evaluates the agent against it is printed. No network and no API key are needed.

    \b
    adksim demo
    adksim demo --terminal --agent shop
    adksim demo --scripted --eval-set demo.evalset.json
    """
    if terminal or scripted:
        _play_in_terminal(name or "math", eval_set, scripted=scripted)
        return
    if eval_set is not None:
        raise click.UsageError("--eval-set needs --terminal; in the browser, the export dialog shows the file.")
    from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_demo_app

    folder = Path(tempfile.mkdtemp(prefix="adksim-"))
    agent_names = [f"{each}_agent" for each in ([name] if name else _SCRIPTS)]
    configs = [
        build_agent_config(load_demo_app(each), folder / build_eval_set_name(each), get_demo_folder(each))
        for each in agent_names
    ]
    serve_in_browser(configs, browser)


def _play_in_terminal(name: str, eval_set: Path | None, *, scripted: bool) -> None:
    from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_demo_app
    from adk_agent_sim.cli.play.prompts import KeyboardPrompts, ScriptedPrompts
    from adk_agent_sim.cli.play.terminal import find_adk_command, play_in_terminal

    app = load_demo_app(f"{name}_agent")
    path = eval_set or Path(tempfile.mkdtemp(prefix="adksim-")) / build_eval_set_name(name)
    is_scripted = scripted or not sys.stdin.isatty()
    prompts = ScriptedPrompts(_SCRIPTS[name]) if is_scripted else KeyboardPrompts()
    exported = asyncio.run(play_in_terminal(app, prompts, path))
    if exported:
        print_document("\nEvaluate the agent's own model against it (Gemini, so it needs a GOOGLE_API_KEY):")
        print_line(f"  {find_adk_command()} eval {get_demo_folder(f'{name}_agent')} {path}")


_SCRIPTS = {
    "math": [
        "What is (2 + 2) * 10, and what is 1 / 0?",
        "add a=2 b=2",
        '[["multiply", {"a": 4, "b": 10}], ["divide", {"dividend": 1, "divisor": 0}]]',
        "say (2 + 2) * 10 is 40. 1 / 0 has no result: one cannot divide by zero.",
        "/done",
    ],
    "shop": [
        "Two USB-C cables to Ada Lovelace, Main Street 1, 10115 Berlin, please.",
        'search_products query=usb-c category="cables"',
        (
            'place_order {"order": {"lines": [{"sku": "SKU-201", "quantity": 2}], "address": {"name": "Ada Lovelace", '
            '"street": "Main Street 1", "city": "Berlin", "postcode": "10115"}}}'
        ),
        "say Ordered: two cables for 19.00 EUR, order ORD-0001.",
        "I changed my mind, please refund ORD-0001.",
        "transfer_to_agent agent_name=refund_agent",
        "get_order order_id=ORD-0001",
        'say {"order_id": "ORD-0001", "granted": true, "amount": 19.0, "reason": "Returned before shipping."}',
        "/done",
    ],
}
