"""Evaluates agents with the real `adk eval`, with every tool replaced by rules from a trace and the network blocked.

    play the agent --> golden EvalSet --`adksim env from-trace`--> rules
                             |                                       |
    player: the EvalSet, or a version of it with other calls --> `adk eval` of the agent on the EvalSet

One process evaluates all of them, as in agent_eval_harness.py.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import fork_server
from agent_eval_harness import RECORDING_VARIABLE, build_mutants, print_to_file
from agent_scripts import AGENTS, NOWHERE, record_conversation
from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from processes import invoke_adksim

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.adk.steps.steps import ModelTurn, Step

SHOP = "shop_agent"
AGENT_KINDS = (SHOP, "customer_service", "openapi_library")
PLAYERS = ("as_recorded", "changed_argument", "added_call")
"""Who plays the agent's model: the golden trace itself, or one that makes another call."""

_GOLDEN = "golden.evalset.json"

_AGENT = """\
import os
from pathlib import Path

from adk_agent_sim import SimulatorPlugin, simulated
from adk_agent_sim.adk.loading.agent_loader import load_app

_loaded = load_app(Path({folder!r}))
_player = SimulatorPlugin(player="replay:" + os.environ[{variable!r}], connect_timeout=0.1)
app = simulated(_loaded.model_copy(update={{"plugins": [_player, *_loaded.plugins]}}))
root_agent = app.root_agent
"""


async def record_traces(folder: Path) -> None:
    """Play each agent with its real tools, and write the golden trace, its rules and the players into a folder."""
    for kind in AGENT_KINDS:
        own = folder / kind
        own.mkdir()
        case = await (_record_shop(own) if kind == SHOP else record_conversation(kind, own))
        players = {"as_recorded": case, **build_mutants(case)}
        for name in PLAYERS:
            _write_case(own / f"{name}.evalset.json", players[name])
        _write_case(own / _GOLDEN, case)
        made = invoke_adksim("env", "from-trace", own / _GOLDEN)
        assert made.exit_code == 0, made.output
        (own / "rules.yaml").write_text(made.stdout)
        agent = folder / "agents" / kind
        agent.mkdir(parents=True)
        source = Path(sys.modules["adk_agent_sim.adk.demo.shop_agent.agent"].__file__ or "").parent
        text = _AGENT.format(folder=str(source if kind == SHOP else AGENTS / kind), variable=RECORDING_VARIABLE)
        (agent / "__init__.py").write_text(text)


async def _record_shop(folder: Path) -> EvalCase:
    line = {"sku": "SKU-101", "quantity": 1}
    address = {"name": "Ada", "street": "High Street 1", "city": "Oslo", "postcode": "12345"}
    async with Simulation(shop_app) as sim:
        step = await sim.send("Headphones, please.")
        step = await _require_turn(step).call("search_products", {"query": "headphones"})
        step = await _require_turn(step).call("place_order", {"order": {"lines": [line], "address": address}})
        step = await _require_turn(step).call("get_order", {"order_id": "ORD-0009"})
        step = await _require_turn(step).call("get_order", {"order_id": "ORD-0001"})
        await _require_turn(step).respond("Your order ORD-0001 is on its way.")
        return sim.export(folder / "recording.evalset.json", eval_id_style="selectable")


def _require_turn(step: Step) -> ModelTurn:
    assert isinstance(step, ModelTurn)
    return step


def _write_case(path: Path, case: EvalCase) -> None:
    eval_set = EvalSet(eval_set_id=path.parent.name, eval_cases=[case.model_copy(update={"eval_id": "golden"})])
    path.write_text(eval_set.model_dump_json(exclude_none=True))


def evaluate_offline(folder: Path) -> Mapping[str, str]:
    """Return what `adk eval` printed, by `KIND PLAYER`."""
    done = fork_server.run(
        [__file__, str(folder)],
        cwd=folder,
        environment={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "ADK_SIM_SERVER_URL": NOWHERE,
        },
    )
    logs = {f"{kind} {player}": folder / f"{kind}.{player}.log" for kind in AGENT_KINDS for player in PLAYERS}
    return {name: log.read_text() if log.exists() else done.stdout + done.stderr for name, log in logs.items()}


def block_network() -> None:
    """Let every connection of this process fail, and every look-up of a name."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the network is off")

    for owner, name in ((socket.socket, "connect"), (socket.socket, "connect_ex"), (socket, "getaddrinfo")):
        setattr(owner, name, refuse)


def main(folder: Path) -> None:
    """Run ADK's own command for each agent and player."""
    from google.adk.cli.cli_tools_click import cli_eval

    block_network()
    for kind in AGENT_KINDS:
        os.environ["ADK_SIM_RULES"] = str(folder / kind / "rules.yaml")
        for player in PLAYERS:
            os.environ[RECORDING_VARIABLE] = str(folder / kind / f"{player}.evalset.json")
            with print_to_file(folder / f"{kind}.{player}.log"):
                _evaluate(cli_eval, [str(folder / "agents" / kind), str(folder / kind / _GOLDEN)])


def _evaluate(cli_eval: Any, selection: Sequence[str]) -> None:
    try:
        cli_eval.main([*selection, "--print_detailed_results"])
    except SystemExit:
        return  # the command ends with its exit code
    except Exception:  # noqa: BLE001 - the other agents are evaluated all the same
        traceback.print_exc()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
