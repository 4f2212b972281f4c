"""A web service on a loopback port: the books of a library, with its OpenAPI document."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

_BOOKS = {1: {"title": "Dune", "copies": 2}, 2: {"title": "Emma", "copies": 0}}


class LibraryHandler(BaseHTTPRequestHandler):
    """Answers from fixed data."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/books":
            wanted = parse_qs(url.query).get("title", [""])[0].lower()
            self._answer(200, [number for number, book in _BOOKS.items() if wanted in str(book["title"]).lower()])
            return
        book = _BOOKS.get(int(url.path.rpartition("/")[2]))
        self._answer(200 if book else 404, book or {"detail": "There is no such book."})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(200, {"loan": "L-1", **body})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def start_library() -> str:
    """Serve the library until the process ends, and return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), LibraryHandler)
    Thread(target=server.serve_forever, name="library", daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def build_document(address: str) -> dict[str, Any]:
    """Return the OpenAPI document of a library."""
    ok = {"200": {"description": "ok"}}
    number = {"name": "book_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    title = {"name": "title", "in": "query", "required": True, "schema": {"type": "string"}}
    loan = {
        "type": "object",
        "required": ["book_id", "reader"],
        "properties": {"book_id": {"type": "integer"}, "reader": {"type": "string"}},
    }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Library", "version": "1"},
        "servers": [{"url": address}],
        "paths": {
            "/books": {
                "get": {"operationId": "findBooks", "summary": "Find books.", "parameters": [title], "responses": ok}
            },
            "/books/{book_id}": {
                "get": {"operationId": "getBook", "summary": "Get a book.", "parameters": [number], "responses": ok}
            },
            "/loans": {
                "post": {
                    "operationId": "lendBook",
                    "summary": "Lend a book.",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": loan}}},
                    "responses": ok,
                }
            },
        },
    }
