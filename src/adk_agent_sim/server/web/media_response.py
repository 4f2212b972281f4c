"""The response with the bytes of an image or file, which come from an agent, a tool or a file and are never trusted."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from adk_agent_sim.server.sessions.row_details import IMAGE_MIME_TYPES, MediaContent


def build_media_response(file: MediaContent) -> Response:
    """Return the bytes of a file: bitmaps are shown, everything else is downloaded."""
    is_image = file.mime_type in IMAGE_MIME_TYPES
    # Anything but a bitmap, SVG and HTML above all, could run script with the page's rights if the browser rendered
    # it: it is only ever downloaded.
    disposition = "inline" if is_image else "attachment"
    return Response(
        file.data,
        media_type=file.mime_type if is_image else "application/octet-stream",
        headers={
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{_quote_filename(file.name)}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
    )


def _quote_filename(name: str) -> str:
    # The end of a long name, which has its extension; quoted, so that it cannot add another header.
    return quote(name.encode("utf-8", "replace").decode()[-200:], safe="")
