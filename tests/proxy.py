"""A TCP proxy whose connections a test can cut or freeze; new connections are accepted again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Proxy:
    """Forwards bytes in both directions."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._writers: set[asyncio.StreamWriter] = set()
        self._can_forward = asyncio.Event()
        self._can_forward.set()
        self.port = 0

    def cut(self) -> None:
        """Close all connections, even in the middle of a message."""
        for writer in self._writers:
            writer.transport.abort()

    def freeze(self) -> None:
        """Forward nothing any more, but keep all connections open, as a machine without power does."""
        self._can_forward.clear()

    def close(self) -> None:
        """Close all connections, also frozen ones."""
        self.cut()
        self._can_forward.set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        try:
            await asyncio.gather(self._forward(reader, back), self._forward(there, writer))
        finally:
            self._writers -= {writer, back}
            writer.transport.abort()
            back.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                await self._can_forward.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def run_proxy(target_port: int) -> AsyncGenerator[Proxy]:
    """Run a proxy on a free port."""
    proxy = Proxy(target_port)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        proxy.close()
        server.close()
