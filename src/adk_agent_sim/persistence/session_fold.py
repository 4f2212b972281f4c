"""Folds the read model of a stored session from its log again: the one that is stored was computed by other code.

    events --read_stored_event--> summary and rows --to_read_model_columns ...--> stored with the digest of this code

Rows and summary of a session have one digest: they are folded together and stored in one transaction. It is of the
functions that fold, with every definition of this package that they use:

    root --names--> functions, classes with their fields, constants --names, imports--> ... --> digest

The digest is of their syntax trees, without comments, docstrings and positions, so it changes when what they do may
have changed. Other code of the same modules does not count. A module that was installed without its source counts as a
whole, as it was compiled.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from types import CodeType
from typing import Any, TypeAlias, cast

from adk_agent_sim.persistence.read_model_codec import to_pending_row, to_read_model_columns, to_timeline_rows
from adk_agent_sim.persistence.row_codec import read_stored_event
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

_PACKAGE = __name__.partition(".")[0]

_EVERYTHING = "*"
"""All definitions of a module."""

_AT_IMPORT = "<import>"
"""The statements of a module that define nothing; they may change what others define."""

_IGNORED_FIELDS = frozenset({"ctx", "kind", "type_comment"})

_Definition: TypeAlias = tuple[str, str]
"""A module and a name in it."""


def read_source(module: str) -> str | None:
    """Return the source of a module that is loaded; None if it was installed without."""
    try:
        return inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return None


def digest_code(*roots: Callable[..., Any], read: Callable[[str], str | None] = read_source) -> str:
    """Return a digest of what these functions do; `read` returns the sources of modules."""
    found: dict[_Definition, str] = {}
    modules: dict[str, _ModuleSource | _CompiledModule] = {}
    waiting = [(root.__module__, root.__name__) for root in roots]
    while waiting:
        module, name = waiting.pop()
        if f"{module}.{name}" in sys.modules:
            module, name = f"{module}.{name}", _EVERYTHING
        if (module, name) in found or not _is_followed(module):
            continue
        if module not in modules:
            source = read(module)
            modules[module] = _CompiledModule(module) if source is None else _ModuleSource(module, source)
        found[module, name], used = modules[module].describe(name)
        waiting += used
    described = "\n".join(f"{module} {name} {text}" for (module, name), text in sorted(found.items()))
    return sha256(described.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _is_followed(module: str) -> bool:
    # What is generated from the protocol is left out: what is read of its messages is in the code that reads them.
    return module.startswith(f"{_PACKAGE}.") and not module.startswith(f"{_PACKAGE}.generated")


class _ModuleSource:
    """The definitions of a module, and what they import."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._statements: dict[str, list[ast.stmt]] = {_AT_IMPORT: []}
        self._imports: dict[str, _Definition] = {}
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ImportFrom):
                self._imports.update(_list_imports(statement))
            elif not isinstance(statement, ast.Import):
                for name in _list_defined_names(statement) or [_AT_IMPORT]:
                    self._statements.setdefault(name, []).append(statement)

    def describe(self, name: str) -> tuple[str, list[_Definition]]:
        """Return what a name is defined as, and the definitions that this uses."""
        if name == _EVERYTHING:
            return "", [(self._module, each) for each in self._statements]
        text = _TreeText()
        described = text.add(self._statements.get(name, []))
        used = [self._imports.get(each, (self._module, each)) for each in (name, *text.names)]
        known = [each for each in used if each[0] != self._module or each[1] in self._statements]
        return described, [*known, *text.imports, (self._module, _AT_IMPORT)]


def _list_defined_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else []


def _list_imports(statement: ast.ImportFrom) -> dict[str, _Definition]:
    return {each.asname or each.name: (statement.module or "", each.name) for each in statement.names}


class _TreeText:
    """Writes syntax trees as text, the same in all versions of Python, and collects the names in them."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.imports: list[_Definition] = []

    def add(self, node: object) -> str:
        """Return a node, a list of nodes or a value as text."""
        if isinstance(node, list):
            return f"[{' '.join(self.add(each) for each in cast('list[object]', node) if not _is_docstring(each))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name):
            self.names[node.id] = None
        elif isinstance(node, ast.ImportFrom):
            self.imports += _list_imports(node).values()
        # Newer versions of Python have more fields, which are empty in code that older ones can read.
        fields = ((name, value) for name, value in ast.iter_fields(node) if name not in _IGNORED_FIELDS)
        written = [f"{name}={self.add(value)}" for name, value in fields if value is not None and value != []]
        return f"{type(node).__name__}({' '.join(written)})"


def _is_docstring(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _CompiledModule:
    """A module without source, of which nothing less than the whole can be described."""

    def __init__(self, module: str) -> None:
        spec: Any = sys.modules[module].__spec__
        self._code: CodeType = spec.loader.get_code(module)

    def describe(self, _name: str) -> tuple[str, list[_Definition]]:
        """Return the code of the module, and the modules that it imports."""
        names = {name for code in _list_codes(self._code) for name in code.co_names}
        paths = [*names, *(f"{package}.{name}" for package in names if _is_followed(package) for name in names)]
        imported = [path.rpartition(".") for path in sorted(paths) if path in sys.modules]
        return " ".join(map(_describe_code, _list_codes(self._code))), [(path[0], path[2]) for path in imported]


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_codes(constant)


def _describe_code(code: CodeType) -> str:
    constants = [_describe_constant(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return f"{code.co_name} {code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _describe_constant(constant: object) -> str:
    # The order of a set differs between processes.
    return (
        repr(sorted(map(repr, cast("frozenset[object]", constant))))
        if isinstance(constant, frozenset)
        else repr(constant)
    )


_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FoldedSession:
    """The read model of a session as this code computes it."""

    read_model: SessionReadModel
    rows: Sequence[TimelineRow]
    """All rows."""


@cache
def get_fold_digest() -> str:
    """Return the digest of the code by which this process folds sessions."""
    return digest_code(*FOLD_ROOTS)


def fold_session(session: Session, annotations: Mapping[str, Any], pages: Iterable[Sequence[Event]]) -> FoldedSession:
    """Fold a session from its log, which is read page by page; one whose fold fails is broken, with the reason."""
    annotated = replace(create_summary(session), **annotations)
    read_model = SessionReadModel(annotated)
    rows: dict[int, TimelineRow] = {}
    for page in pages:
        try:
            noted_rows = [rows[index] for index in read_model.list_missing_rows(page)]
            read_model = read_model.with_events(page, noted_rows)
        except Exception as error:  # noqa: BLE001 - no event may do that, but lists must still show all other sessions
            _log.exception("Session %s cannot be shown", session.session_id)
            return _describe_failure(annotated, [*pages, page], error)
        rows.update((row.index, row) for row in read_model.changed_rows)
    return FoldedSession(read_model, list(rows.values()))


def _describe_failure(
    annotated: SessionSummary, remaining: Sequence[Sequence[Event]], error: Exception
) -> FoldedSession:
    last_seq = max(event.seq for page in remaining for event in page)
    reason = f"The session cannot be shown: {error!r}"
    return FoldedSession(
        SessionReadModel(replace(annotated, is_broken=True, failure=reason, last_seq=last_seq)), rows=()
    )


FOLD_ROOTS = (read_stored_event, fold_session, to_read_model_columns, to_timeline_rows, to_pending_row)
"""What reads the events of a session, folds them, and writes what is stored of the result."""
