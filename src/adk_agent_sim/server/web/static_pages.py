"""Serves the browser app from memory: its bundle is read once, so no path of a request ever reaches the disk."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

BUNDLE_FOLDER = Path(__file__).parents[1] / "static"
"""Where the build puts the bundle."""

_CACHE_FOREVER = "public, max-age=31536000, immutable"

_MIME_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
"""`mimetypes` reads the tables of the machine, which are wrong on some: Windows may call .js text/plain."""

_NOT_BUILT_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>adksim</title></head><body>
<h1>The browser app has not been built</h1>
<p>The server is running, but its pages are missing. In a checkout, reinstall the package
(<code>pip install --editable .</code>), which builds them; or build them in the folder <code>web</code> with
<code>npm ci</code> and <code>npm run build</code>. Then restart the simulator.</p>
</body></html>
"""


class StaticPages:
    """Serves files by their exact names, and the app's index page for every other path."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or BUNDLE_FOLDER
        paths = sorted(path for path in folder.rglob("*") if _is_bundle_file(path, folder)) if folder.is_dir() else []
        self._files = {
            f"/{path.relative_to(folder).as_posix()}": (path.read_bytes(), _guess_mime_type(path)) for path in paths
        }

    async def serve_file(self, request: Request) -> Response:
        """Return a file of the bundle, or the index page: the app routes its own paths."""
        path = request.url.path
        if path != "/index.html" and (file := self._files.get(path)):
            # File names under /assets contain a hash of their content.
            caching = {"Cache-Control": _CACHE_FOREVER} if path.startswith("/assets/") else None
            return Response(file[0], media_type=file[1], headers=caching)
        # Not the index page: a browser would try to run it as the script of an older build.
        if path.startswith("/assets/"):
            return PlainTextResponse("There is no such file.", 404)
        index = self._files.get("/index.html")
        return HTMLResponse(index[0]) if index else HTMLResponse(_NOT_BUILT_PAGE, 503)


def _is_bundle_file(path: Path, folder: Path) -> bool:
    """Whether a path is a file of the build; names with a leading dot come from editors and file managers."""
    return path.is_file() and not any(name.startswith(".") for name in path.relative_to(folder).parts)


def _guess_mime_type(path: Path) -> str:
    return _MIME_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
