"""The digest of the fold's code: what changes it, and what does not."""

import compileall
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from package_copy import copy_package

from adk_agent_sim.persistence.session_fold import FOLD_ROOTS, digest_code, get_fold_digest, read_source

FOLD = "timeline.read_model.session_read_model"
SUMMARY = "timeline.read_model.session_summary"


def _digest(change: Callable[[str], str], changed_module: str) -> str:
    """Return the digest if the source of a module were changed."""
    is_read = False

    def read(module: str) -> str | None:
        nonlocal is_read
        source = read_source(module)
        if module != f"adk_agent_sim.{changed_module}" or source is None:
            return source
        is_read = True
        changed = change(source)
        assert changed != source
        return changed

    digest = digest_code(*FOLD_ROOTS, read=read)
    assert is_read, "the fold does not depend on this module at all"
    return digest


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda source: source.replace(old, new, 1)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (FOLD, "turn_count=summary.turn_count + 1", "turn_count=summary.turn_count + 2"),
        (FOLD, "MAX_AGENT_NAMES = 50", "MAX_AGENT_NAMES = 51"),
        (SUMMARY, "    call_count: int = 0\n", "    call_count: int = 0\n    more: int = 0\n"),
        (SUMMARY, "return SessionStatus.BROKEN", "return SessionStatus.FAILED"),
        ("timeline.events", "class RunEnded:", "class RunEnded:\n    more: int = 0\n"),
        ("timeline.read_model.call_rows", '"not approved"', '"denied"'),
        ("timeline.read_model.line_summary", "MAX_LINE_LENGTH = 300", "MAX_LINE_LENGTH = 301"),
        ("timeline.event_validation", "MAX_SEQ", "LARGEST_SEQ"),
        ("timeline.history", "def is_user_query(content: Json) -> bool:", "def is_user_query(content: Json) -> int:"),
        ("persistence.read_model_codec", '"players": rows.players', '"player": rows.players'),
        (FOLD, "T = TypeVar", "fold_event.__name__ = 'other'\nT = TypeVar"),
    ],
)
def test_what_the_fold_does_changes_the_digest(module: str, old: str, new: str) -> None:
    assert _digest(_replace(old, new), module) != get_fold_digest()


@pytest.mark.parametrize(
    ("module", "change"),
    [
        (FOLD, _replace('"""Summary and rows', '"""The summary and rows')),
        (FOLD, _replace("    # One copy for the most", "    # A copy for the most")),
        (FOLD, _replace('"""How many agents a summary names."""', '"""More."""')),
        (FOLD, _replace('    """Return the summary after one more event."""\n', "")),
        (SUMMARY, _replace('    """The beginning of the first user message."""\n', '    """A title."""\n')),
        (SUMMARY, _replace("    title: str = ", '    """More about the name."""\n\n\n    title: str = ')),
        (FOLD, _replace("T = TypeVar", "def unused_function() -> None:\n    pass\n\n\nT = TypeVar")),
        ("timeline.history", _replace("def build_history(", "def build_other_history(")),
    ],
)
def test_comments_docstrings_and_other_code_do_not_change_the_digest(module: str, change: Callable[[str], str]) -> None:
    assert _digest(change, module) == get_fold_digest()


_PRINT_DIGEST = """
from adk_agent_sim.persistence import session_fold
print(session_fold.__spec__.origin, session_fold.get_fold_digest())
"""


def _print_digest(folder: Path, **environment: str) -> str:
    command = [sys.executable, "-c", _PRINT_DIGEST]
    path = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=os.environ | path | environment, check=True, capture_output=True, text=True)
    origin, digest = done.stdout.split()
    assert origin.startswith(str(folder))
    return digest


@pytest.mark.process
def test_processes_agree_with_and_without_sources(tmp_path: Path) -> None:
    changed = ("timeline/read_model/session_read_model.py", "turn_count + 1", "turn_count + 2")
    one, other, third = (
        copy_package(tmp_path / "one"),
        copy_package(tmp_path / "other"),
        copy_package(tmp_path / "third", changed),
    )
    assert _print_digest(one) == get_fold_digest() != _print_digest(third)
    for folder in (one, other, third):
        assert compileall.compile_dir(folder, quiet=2, legacy=True)
        for source in folder.rglob("*.py"):
            source.unlink()

    digest = _print_digest(one, PYTHONHASHSEED="1")
    assert digest == _print_digest(other, PYTHONHASHSEED="2") != _print_digest(third)
