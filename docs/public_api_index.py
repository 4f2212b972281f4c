"""Writes docs/public-api.md, the public names of each package (`make public-api`); a test checks that it is current.

What a package exports is in its `__init__.pyi`, the operations are in the modules of `use_cases`, and the text beside a
name is the first sentence of its docstring. Nothing is imported.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

DOCUMENT = Path(__file__).parent / "public-api.md"

PROMISED = (
    "AgentSimulator",
    "EnvironmentSimulationFactory",
    "RunFailed",
    "SimulatedAgentConfig",
    "Simulation",
    "SimulatorPlugin",
    "ToolErrorPlugin",
)

_SOURCE = Path(__file__).parents[1] / "src" / "adk_agent_sim"

_INTRODUCTION = """\
# Public names

Written by `make public-api` from the packages' `__init__.pyi` and the docstrings; do not edit it.

| what | promise |
|---|---|
| {promised} | stay as they are until the next major version |
| the other names on this page | are for your programs; a minor version may change them, and `CHANGELOG.md` says so |
| everything else | is internal, and may change in any version |

A module is internal unless a heading of this page names it, whether or not its name starts with an underscore. Import a
name from where this page lists it: `from adk_agent_sim.scenario import Story`, not from the module that defines it. A
package imports what it exports on first use.
"""

_OPERATIONS = """\
## adk_agent_sim.use_cases

What the commands and the web app can do, one function per operation; its result is a record, which
`model_dump(mode="json")` turns into what `--json` prints. Import a module: `from adk_agent_sim.use_cases import cases`.
"""


def render_document() -> str:
    """Return the page: a section for each package that exports names, then the operations."""
    introduction = _INTRODUCTION.format(promised=", ".join(f"`{name}`" for name in PROMISED))
    stubs = [path for path in sorted(_SOURCE.rglob("__init__.pyi")) if "generated" not in path.parts]
    modules = [path for path in sorted((_SOURCE / "use_cases").rglob("*.py")) if not path.name.startswith("_")]
    packages = {_name_package(path): _list_exports(path) for path in stubs}
    packages["adk_agent_sim.errors"] = _list_errors()
    sections = [_render_section(f"## {name}", names) for name, names in sorted(packages.items())]
    operations = [_render_section(f"### {_name_operations(path)}", _read_definitions(path)) for path in modules]
    return "\n".join([introduction, *sections, _OPERATIONS, *operations])


def _name_package(stub: Path) -> str:
    return ".".join(("adk_agent_sim", *stub.parent.relative_to(_SOURCE).parts))


def _name_operations(module: Path) -> str:
    return ".".join(module.relative_to(_SOURCE / "use_cases").with_suffix("").parts)


def _list_exports(stub: Path) -> Mapping[str, str]:
    imports = [each for each in ast.parse(stub.read_bytes()).body if isinstance(each, ast.ImportFrom)]
    return {
        alias.name: _read_definitions(_find_source(stub, each))[alias.name] for each in imports for alias in each.names
    }


def _list_errors() -> Mapping[str, str]:
    """Return the errors as the package draws them: a tree with a line for each."""
    tree = ast.get_docstring(ast.parse((_SOURCE / "errors" / "__init__.py").read_bytes())) or ""
    return dict(re.findall(r"^[│├└─ ]*(\w+) {2,}(\S.*)$", tree, re.MULTILINE))


def _find_source(stub: Path, statement: ast.ImportFrom) -> Path:
    folder = stub.parent if statement.level else _SOURCE.parent
    path = folder.joinpath(*(statement.module or "").split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _render_section(heading: str, names: Mapping[str, str]) -> str:
    rows = [f"| `{name}` | {text} |" for name, text in sorted(names.items(), key=lambda each: each[0].lower())]
    return "\n".join([heading, "", "| name | what it is |", "|---|---|", *rows, ""])


@cache
def _read_definitions(path: Path) -> Mapping[str, str]:
    """Return the first sentence about each public name of a module."""
    if path.parent.name == "errors":
        return _list_errors()
    body = ast.parse(path.read_bytes()).body
    return {
        name: _shorten(text)
        for statement, following in zip(body, [*body[1:], None], strict=True)
        for name, text in _describe_statement(statement, following)
        if not name.startswith("_")
    }


def _describe_statement(statement: ast.stmt, following: ast.stmt | None) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement defines, with what is said about them."""
    match statement:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield statement.name, ast.get_docstring(statement) or ""
        case ast.Assign() | ast.AnnAssign():
            match following:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
                    yield from ((each.id, text) for each in names)
                case _:
                    return
        case _:
            return


def _shorten(text: str) -> str:
    """Return the first sentence of a docstring, for a cell of a table."""
    paragraph = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0].rstrip(".").replace("|", "\\|")


if __name__ == "__main__":
    DOCUMENT.write_text(render_document(), encoding="utf-8")
    sys.stdout.write(f"Wrote {DOCUMENT.name}.\n")
