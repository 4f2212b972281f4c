"""The documentation's examples are true."""

import re
from pathlib import Path

from adk_agent_sim.adk.demo.math_agent.agent import app
from adk_agent_sim.adk.script import play_script, read_script

_DOCS = Path(__file__).parents[1] / "docs"


async def test_the_script_in_the_documentation_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (_DOCS / "scripts.md").read_text(encoding="utf-8"), flags=re.S)
    path = tmp_path / "script.yaml"
    path.write_text(text)

    assert await play_script(app, read_script(path)) == []
