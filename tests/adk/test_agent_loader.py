"""Loading agents whose modules have names that are in use already: the folder that was named is the one that runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from agent_folders import write_agent
from google.adk.agents import LlmAgent

from adk_agent_sim.adk.loading.agent_loader import AgentReloader, load_app
from adk_agent_sim.errors import AgentLoadFailed

_AGENT_WITH_SHARED_MODULE = """
from google.adk.agents import LlmAgent
import shared_words
shared_words.COUNT += 1
root_agent = LlmAgent(name="{name}", instruction=f"{shared_words.WORD} {shared_words.COUNT}")
"""


def _get_root(folder: Path) -> LlmAgent:
    root = load_app(folder).root_agent
    assert isinstance(root, LlmAgent)
    return root


def test_folders_of_the_same_name_are_different_agents(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name, "same_name", description=name) for name in ("first", "second")]
    assert [_get_root(each).description for each in (*folders, *folders)] == ["first", "second"] * 2


def test_a_folder_is_loaded_although_another_folder_is_earlier_in_the_path(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name, "same_name", description=name) for name in ("first", "second")]
    sys.path[:0] = [str(each.parent) for each in folders]
    assert _get_root(folders[1]).description == "second"


@pytest.mark.parametrize("name", ["email", "pydantic"])
def test_a_folder_with_the_name_of_a_module_in_use_is_refused(tmp_path: Path, name: str) -> None:
    module = __import__(name)
    with pytest.raises(AgentLoadFailed, match=f"the name of another module, .*{name}.*; rename the folder"):
        load_app(write_agent(tmp_path, name))
    assert sys.modules[name] is module


def test_modules_beside_agents_are_loaded_anew_and_from_the_folder_of_the_agent(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name, "reader", _AGENT_WITH_SHARED_MODULE) for name in ("first", "second")]
    for each in folders:
        (each.parent / "shared_words.py").write_text(f"WORD, COUNT = '{each.parent.name}', 0\n")
    reloader = AgentReloader()
    roots = [reloader.load(each).root_agent for each in (*folders, *folders)]
    assert [each.instruction for each in roots if isinstance(each, LlmAgent)] == ["first 1", "second 1"] * 2


def test_an_agent_that_was_imported_before_the_runs_is_replaced(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name, "same_name", description=name) for name in ("first", "second")]
    old = _get_root(folders[0])
    reloader = AgentReloader()
    loaded = [reloader.load(folders[1]).root_agent for _ in range(2)]
    assert [each.description for each in loaded if each] == ["second", "second"]
    assert loaded[0] is not loaded[1]
    assert old.description == "first"
