"""Names from outside never lead a write out of the chosen folder."""

import asyncio
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.cli.exit_codes import ExitCode
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.events import AgentEvent, AgentJoined, Payload, RunEnded, RunOutcome, UserSpoke
from adk_agent_sim.timeline.file_names import MAX_BYTES, find_unused_path, to_file_stem
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline

_HOSTILE = [
    "../../x",
    "/etc/cron.d/x",
    "a\0b",
    "..",
    ".",
    "",
    "CON",
    "nul.txt",
    "com1",
    "x" * 5_000,
    "-rf",
    ".bashrc",
    "a/../../b",
    "..\\..\\x",
    "C:\\x",
    "a\nb",
    "\ud800",
    "~root/x",
    "ä" * 300,
    "x.",
    "x ",
    "a:b",
    "$(reboot)",
]


@pytest.mark.parametrize("name", _HOSTILE, ids=lambda name: ascii(name)[:20])
def test_a_name_becomes_one_component_of_a_path(name: str, tmp_path: Path) -> None:
    _check_stem(to_file_stem(name))

    path = find_unused_path(tmp_path, name, ".json")
    atomic_write_text(path, "x")

    assert [each.resolve().parent for each in tmp_path.iterdir()] == [tmp_path.resolve()]


@pytest.mark.property
@given(st.text())
def test_any_text_becomes_one_component_of_a_path(name: str) -> None:
    _check_stem(to_file_stem(name))


def _check_stem(stem: str) -> None:
    assert stem == Path(stem).name == os.path.basename(stem)
    assert stem not in ("", ".", "..")
    assert not set(stem) & set('/\\:\0\n\r*?"<>|$~')
    assert not stem.startswith((".", "-"))
    assert not stem.endswith((".", " "))
    assert len(stem.encode()) <= MAX_BYTES
    assert stem.split(".", maxsplit=1)[0].lower() not in {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10))}


def test_long_names_that_begin_alike_stay_different() -> None:
    assert to_file_stem("x" * 500 + "1") != to_file_stem("x" * 500 + "2")


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/adksim-escaped", "CON", "y" * 1_000])  # noqa: S108
@pytest.mark.parametrize("format_name", ["evalset", "adk-test"])
def test_export_writes_into_the_working_folder_only(
    name: str, format_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deep" / "deeper"
    folder.mkdir(parents=True)
    database = str(tmp_path / "sessions.db")
    asyncio.run(_record_session(database, name))
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.chdir(folder)

    result = CliRunner().invoke(adksim, ["export", "last", "--format", format_name, "--force", "--db", database])

    assert result.exit_code == ExitCode.OK, result.output
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    exported = [path for path in written if path.suffix == ".json"]
    assert len(exported) == 1
    exported_to = folder / "tests" if format_name == "adk-test" else folder
    assert {path.parent for path in written} <= {exported_to, tmp_path}
    assert exported[0].parent == exported_to


@pytest.mark.skipif(os.name != "posix", reason="links need POSIX")
def test_a_write_does_not_follow_a_link_out_of_its_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "exports", tmp_path / "outside.txt"
    folder.mkdir()
    outside.write_text("keep")
    (folder / "report.md").symlink_to(outside)
    (folder / "broken.md").symlink_to(tmp_path / "new.txt")

    for name in ("report.md", "broken.md"):
        with pytest.raises(ExportRefused, match="outside of"):
            atomic_write_text(folder / name, "x")

    assert outside.read_text() == "keep"
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.skipif(os.name != "posix", reason="links need POSIX")
def test_a_folder_below_the_chosen_one_cannot_be_a_link_out_of_it(tmp_path: Path) -> None:
    agent, outside = tmp_path / "agent", tmp_path / "outside"
    agent.mkdir()
    outside.mkdir()
    (agent / "tests").symlink_to(outside)

    with pytest.raises(ExportRefused):
        atomic_write_text(agent / "tests" / "x.json", "x", inside=agent)

    assert list(outside.iterdir()) == []


async def _record_session(database: str, name: str) -> None:
    adk_event = {
        "id": "1",
        "author": "a",
        "invocation_id": "i",
        "content": {"role": "model", "parts": [{"text": "hello"}]},
    }
    payloads: list[Payload] = [
        AgentJoined(app_name=name, user_id="u", adk_session_id="s", state={}),
        UserSpoke(content={"role": "user", "parts": [{"text": "hi"}]}),
        AgentEvent(invocation_id="i", event=adk_event, final=True),
        RunEnded(invocation_id="i", outcome=RunOutcome.DONE),
    ]
    async with open_store(database) as store:
        timeline = Timeline(store)
        session = await timeline.create_session("x")
        await timeline.append(EventBatch(session.session_id, payloads, agent_name=name))
