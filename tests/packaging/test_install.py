"""A release on the machine of somebody who has Python and no Node: the page is there, and it opens."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from uv import find_uv_bin
from wheel_bundle import ROOT, environment_without_node, read_bundle

pytestmark = pytest.mark.process

SERVE = """
import asyncio
from pathlib import Path
from google.adk.agents import LlmAgent
from adk_agent_sim import AgentSimulator, SimulatedAgentConfig

async def main():
    agent = LlmAgent(name="echo", instruction="Repeat what you hear.")
    server = await AgentSimulator(
        [SimulatedAgentConfig(name="Echo", agent=agent, eval_set_path=Path("echo.evalset.json"))]
    ).start(port=0)
    print(server.url, flush=True)
    await asyncio.to_thread(input)
    await server.stop()

asyncio.run(main())
"""


def test_a_wheel_from_an_sdist_needs_no_node_and_is_the_same(wheel: Path, wheel_of_sdist: Path) -> None:
    assert "index.html" in read_bundle(wheel)
    assert read_bundle(wheel_of_sdist) == read_bundle(wheel)


@pytest.fixture
def installed(wheel_of_sdist: Path, tmp_path: Path) -> Path:
    """The Python of a fresh environment with the wheel and what it requires, in the versions of the lock."""
    environment = tmp_path / "environment"
    subprocess.run([find_uv_bin(), "venv", "--quiet", "--python", sys.executable, environment], check=True)
    python = environment / "bin" / "python"
    install = [
        find_uv_bin(),
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--constraint",
        ROOT / "requirements.lock",
    ]
    subprocess.run([*install, wheel_of_sdist], check=True)
    return python


@pytest.fixture
def address(installed: Path, tmp_path: Path) -> Iterator[str]:
    """Where the installed package serves its page."""
    command = [installed, "-I", "-W", "ignore", "-c", SERVE]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment_without_node(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        first = server.stdout.readline().strip()
        assert first.startswith("http://127.0.0.1:"), "it did not start; what it says stands below"
        yield first
        server.stdin.write("\n")
        server.stdin.close()
        assert server.wait(30) == 0


@pytest.mark.req("001/constitution-6")
def test_an_installed_wheel_serves_the_page_without_node(address: str, wheel_of_sdist: Path) -> None:
    person = build_opener(HTTPCookieProcessor())
    bundle = read_bundle(wheel_of_sdist)
    with person.open(address) as page:
        assert page.read() == bundle["index.html"]
    named = re.findall(r'(?:src|href)="(/[^"]+)"', bundle["index.html"].decode())
    assert named
    for path in named:
        with person.open(urljoin(address, path)) as asset:
            assert asset.read() == bundle[path.removeprefix("/")]
