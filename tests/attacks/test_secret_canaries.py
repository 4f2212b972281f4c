"""No export that is redacted contains a secret: by our own lists, and by the detectors of another project."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from detect_secrets.core.plugins.initialize import from_plugin_classname
from detect_secrets.plugins.base import BasePlugin
from detect_secrets.settings import transient_settings
from secret_corpus import SecretCase, make_secret_cases

from adk_agent_sim.cli.exit_codes import ExitCode
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Payload,
    RunEnded,
    RunOutcome,
    ToolFinished,
    ToolStarted,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline

_DETECTORS = (
    *("ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "CloudantDetector"),
    *("DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "IbmCloudIamDetector"),
    *("IbmCosHmacDetector", "JwtTokenDetector", "MailchimpDetector", "NpmDetector", "OpenAIDetector"),
    *("PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector", "SoftlayerDetector"),
    *("SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector"),
)
"""All of detect-secrets that know a form; not those for entropy, which flag ids, nor the one for names."""

_REDACTABLE = [name for name, each in EXPORT_FORMATS.items() if each.is_redactable]


@pytest.mark.parametrize("format_name", _REDACTABLE)
def test_no_redacted_export_contains_a_secret(format_name: str, tmp_path: Path) -> None:
    cases = make_secret_cases()
    database = str(tmp_path / "sessions.db")
    asyncio.run(_record_session(database, cases))

    clean = _export(database, format_name, tmp_path / "clean", "--redact")
    whole = _export(database, format_name, tmp_path / "whole", "--no-redact", "--again")

    assert [case.label for case in cases if _contains(clean, case.secret)] == []
    assert list(_detect(clean)) == []
    assert sum(case.secret in whole for case in cases) > 200
    assert len(list(_detect(whole))) > 30


def _contains(text: str, secret: str) -> bool:
    """Whether a text contains a secret; a number also occurs by chance, inside of ids and times."""
    if not secret.isdecimal():
        return secret in text
    return re.search(rf"(?<![\w.-]){secret}(?![\w.-])", text) is not None


def test_a_redacted_timeline_can_be_restored(tmp_path: Path) -> None:
    database = str(tmp_path / "sessions.db")
    asyncio.run(_record_session(database, make_secret_cases()))
    _export(database, "jsonl", tmp_path / "clean.jsonl", "--redact")

    store = MemoryStore()
    session = asyncio.run(load_session(tmp_path / "clean.jsonl", store))
    saved = [event.payload for event in store.get_log(session.session_id) if isinstance(event.payload, ArtifactSaved)]
    blocks = asyncio.run(store.read_blocks(session.session_id, [each.block for each in saved]))

    assert b"[redacted]" in blocks[saved[0].block]


def test_the_detectors_find_the_secrets_before_they_are_redacted() -> None:
    assert len(list(_detect("\n".join(str(case.value) for case in make_secret_cases())))) > 30


def _detect(text: str) -> Iterator[tuple[str, str]]:
    with transient_settings({"plugins_used": [{"name": name} for name in _DETECTORS]}):
        plugins: list[BasePlugin] = [from_plugin_classname(name) for name in _DETECTORS]
        for line in text.splitlines():
            for plugin in plugins:
                yield from ((plugin.secret_type, found) for found in plugin.analyze_string(line))


def _export(database: str, format_name: str, path: Path, *options: str) -> str:
    arguments = ["export", "last", "--format", format_name, "--db", database, "--out", str(path), *options]
    result = CliRunner().invoke(adksim, arguments)
    assert result.exit_code == ExitCode.OK, result.output
    return path.read_text(encoding="utf-8")


async def _record_session(database: str, cases: list[SecretCase]) -> None:
    texts = [case.value if isinstance(case.value, str) else json.dumps(case.value) for case in cases]
    parts = [{"text": text} for text in texts]
    payloads: list[Payload] = [
        AgentJoined(app_name="shop", user_id="u", adk_session_id="s", state={"items": [case.value for case in cases]}),
        UserSpoke(content={"role": "user", "parts": parts}),
    ]
    for place, case in enumerate(cases):
        payloads += [
            ToolStarted(call_id=str(place), tool_name="look", arguments={"q": case.value}),
            ToolFinished(call_id=str(place), result=case.value, duration_ms=1),
        ]
    answer = {"id": "1", "author": "shop", "invocation_id": "i", "content": {"role": "model", "parts": parts}}
    artifact = Block.from_data("\n".join(texts).encode())
    payloads += [
        ArtifactSaved(filename="notes.txt", version=0, mime_type="text/plain", block=artifact.block_id),
        AgentEvent(invocation_id="i", event=answer, final=True),
        RunEnded(invocation_id="i", outcome=RunOutcome.DONE),
    ]
    async with open_store(database) as store:
        timeline = Timeline(store)
        session = await timeline.create_session("canaries")
        await timeline.append(EventBatch(session.session_id, payloads, agent_name="shop", blocks=[artifact]))
