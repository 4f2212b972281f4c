"""The blocks of docs/tutorial.md, and the folder that a reader has after writing its files."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text(encoding="utf-8")


def find_blocks(language: str) -> list[str]:
    """Return the blocks of one language, in the order of the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.S)


def write_files(folder: Path) -> Path:
    """Write the files that the page tells to save; return the folder of the agent."""
    (agent,), (package,), (script,) = find_blocks("python"), find_blocks("python package"), find_blocks("yaml")
    agent_folder = folder / "my_agents" / "cafe"
    agent_folder.mkdir(parents=True)
    (agent_folder / "__init__.py").write_text(package, encoding="utf-8")
    (agent_folder / "agent.py").write_text(agent, encoding="utf-8")
    (folder / "cafe.yaml").write_text(script, encoding="utf-8")
    return agent_folder
