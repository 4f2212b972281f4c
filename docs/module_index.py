"""Writes the module tables of ARCHITECTURE.md from the first sentence of each module's docstring (`make modules`).

The tables stand between the lines `<!-- modules: PACKAGE -->` and `<!-- end -->`. A test checks that they are current,
so every module is named there and no row outlives its module.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "adk_agent_sim"
DOCUMENT = ROOT / "ARCHITECTURE.md"

_SECTION = re.compile(r"(?<=<!-- modules: )([\w/]+)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
_FIRST_SENTENCE = re.compile(r".+?(?<![.\s][ie])\.(?=\s|$)", re.DOTALL)


def render_document(text: str) -> str:
    """Return the document with every table written from the sources."""
    return _SECTION.sub(lambda match: f"{match[1]}{match[2]}{_render_table(match[1])}", text)


def list_documented_packages(text: str) -> set[str]:
    """Return the packages that have a table in the document."""
    return {match[1] for match in _SECTION.finditer(text)}


def list_packages() -> set[str]:
    """Return every package that holds modules written by hand, as a path below the sources."""
    return {
        folder.relative_to(SOURCES).as_posix()
        for folder in {path.parent for path in SOURCES.rglob("*.py") if path.name != "__init__.py"}
        if folder != SOURCES and "generated" not in folder.parts and "demo" not in folder.parts
    }


def _render_table(package: str) -> str:
    paths = sorted((SOURCES / package).glob("*.py"))
    rows = [f"| `{path.name}` | {_read_summary(path)} |\n" for path in paths if path.name != "__init__.py"]
    return "".join(["| module | what it owns |\n", "|---|---|\n", *rows])


def _read_summary(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = docstring.split("\n\n")[0].replace("\n", " ")
    sentence = _FIRST_SENTENCE.match(paragraph)
    if sentence is None:
        raise ValueError(f"{path}: the module docstring must start with a sentence that ends with a full stop.")
    return sentence[0].replace("|", "\\|")


if __name__ == "__main__":
    written = render_document(DOCUMENT.read_text(encoding="utf-8"))
    DOCUMENT.write_text(written, encoding="utf-8")
    sys.stdout.write(f"Wrote the module tables of {DOCUMENT.name}.\n")
