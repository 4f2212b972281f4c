"""A server on the loopback interface that speaks the Gemini REST dialect, with the faults of a real one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class GeminiServer:
    """Answers generateContent requests by a function of the last message."""

    answer: Callable[[str], str | int | None]
    """Returns the text of the answer, an HTTP status to fail with, or None to drop the connection."""

    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies of the requests so far."""

    paths: list[str] = field(default_factory=list[str])
    silent: asyncio.Event = field(default_factory=asyncio.Event)
    """Set before the first request, it lets the server never answer."""

    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(int(line.split(":")[1]) for line in head.lower().split("\r\n") if line.startswith("content-len"))
        body = json.loads(await reader.readexactly(length))
        self.paths.append(head.split()[1])
        self.requests.append(body)
        if self.silent.is_set():
            await reader.read()  # until the client gives up
        elif (answer := self.answer(body["contents"][-1]["parts"][0]["text"])) is not None:
            writer.write(_render(answer))
            await writer.drain()
        writer.close()


def _render(answer: str | int) -> bytes:
    if isinstance(answer, int):
        value: dict[str, Any] = {"error": {"code": answer, "message": f"injected {answer}", "status": "UNAVAILABLE"}}
    else:
        content = {"role": "model", "parts": [{"text": "thinking", "thought": True}, {"text": answer}]}
        value = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "modelVersion": "m"}
    body = json.dumps(value).encode()
    status = f"{answer} Failed" if isinstance(answer, int) else "200 OK"
    fields = ["Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "\r\n"]).encode() + body


@asynccontextmanager
async def serve_gemini(answer: Callable[[str], str | int | None]) -> AsyncGenerator[GeminiServer]:
    """Run a server; its url is the base URL for a client."""
    server = GeminiServer(answer)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
