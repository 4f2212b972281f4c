"""Reads YAML or JSON as JSON values and knows the line of each value.

Only JSON data is read: no tags, no dates. Plain words have the types of YAML 1.2's core schema, so `yes` is a string;
words that older YAML reads differently are listed as ambiguous. Documents that expand too far (nested aliases, depth)
are refused. PyYAML parses; this module resolves its nodes, which carry the lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from adk_agent_sim.environment.rule_finding import KeyPath
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.canonical_json import Json

_MAX_VALUES = 200_000
"""The most values in one document, after aliases are expanded."""

_MAX_DEPTH = 100
_LEVELS = f"{_MAX_DEPTH} levels"

_MAX_FILE_BYTES = 10_000_000
"""The largest file."""

_MAX_DIGITS = 1_000
"""The most digits of a hexadecimal or octal number."""

_STR = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"
_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_PLAIN_TAGS = frozenset({_STR, _NULL, _BOOL, _INT, _FLOAT, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


class YamlUnreadable(ValueError):
    """The text is not YAML, or not plain data."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class AmbiguousText:
    """A word without quotes that is read as a string, but looks like another value."""

    key_path: KeyPath
    text: str
    other: str
    """The value that was perhaps meant, as it should be written."""


class _PlainDataLoader(yaml.SafeLoader):
    """Composes nodes, resolves only the scalar types of JSON, and stops at the limits instead of reading on."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._node_count = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """Compose the next node; parts of it are composed by calls of this method inside this one."""
        self._depth += 1
        self._node_count += 1
        if self._depth > _MAX_DEPTH + 1 or self._node_count > _MAX_VALUES:
            event = cast("yaml.Event", cast("Any", self).peek_event())
            line = event.start_mark.line + 1 if event.start_mark else 1
            limit = _LEVELS if self._depth > _MAX_DEPTH + 1 else f"{_MAX_VALUES:,} values"
            raise YamlUnreadable(line, f"it has more than {limit}")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803 - as PyYAML names it
        """Read a `[` or `{`. Tokens are read far ahead of the nodes, in work that is quadratic in the open ones."""
        scanner = cast("Any", self)
        if scanner.flow_level > _MAX_DEPTH:
            raise YamlUnreadable(scanner.line + 1, f"it has more than {_LEVELS}")
        cast("Any", super()).fetch_flow_collection_start(TokenClass)


_INTEGER = r"[-+]?(?:0|[1-9][0-9]*)"
_INFINITE = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_AMBIGUOUS = re.compile(
    r"(?P<true>yes|Yes|YES|on|On|ON)|(?P<false>no|No|NO|off|Off|OFF)"
    r"|(?P<number>[-+]?(?:0[0-9][0-9_]*|[1-9][0-9_]*_[0-9_]*)(?:\.[0-9_]*)?)"
)
"""Strings that YAML 1.1, or a reader, takes for a boolean or a number."""

_NUMBER_STARTS = tuple("-+.0123456789")
_RESOLVERS = (
    (_NULL, r"(?:~|null|Null|NULL|)\Z", ("~", "n", "N", "")),
    (_BOOL, r"(?:true|True|TRUE|false|False|FALSE)\Z", tuple("tTfF")),
    (_INT, rf"(?:{_INTEGER}|0o[0-7]+|0x[0-9a-fA-F]+)\Z", _NUMBER_STARTS),
    (
        _FLOAT,
        rf"(?:[-+]?\.[0-9]+(?:[eE][-+]?[0-9]+)?|{_INTEGER}(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|{_INFINITE})\Z",
        _NUMBER_STARTS,
    ),
)
"""The core schema of YAML 1.2, except that a number has no leading zeros: `007` is a string."""


def _build_resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Return the resolvers by first character, the form that PyYAML expects."""
    resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for tag, pattern, first_characters in _RESOLVERS:
        for character in first_characters:
            resolvers.setdefault(character, []).append((tag, re.compile(pattern)))
    return resolvers


_PlainDataLoader.yaml_implicit_resolvers = _build_resolvers()


class YamlDocument:
    """A parsed document."""

    def __init__(self, text: str) -> None:
        """Parse a text.

        Raises:
            YamlUnreadable: The text is not plain YAML or JSON; has the line.
        """
        if text.lstrip()[:1] in ("{", "["):
            text = text.replace(
                "\t", " "
            )  # JSON may be indented with tabs, YAML may not; JSON strings cannot contain raw tabs
        self._root = _compose_root(text)
        self._value_count = 0
        self._pairs_by_key: dict[int, dict[str, tuple[int, Node]]] = {}
        self.duplicate_keys: list[tuple[KeyPath, int]] = []
        """Keys that occur twice in one mapping: the path, and the line of the second occurrence."""
        self.ambiguous_texts: list[AmbiguousText] = []
        """Words without quotes that are texts here but not in other YAML."""
        self.value: Json = None if self._root is None else self._build_value(self._root, ())

    def find_line(self, key_path: KeyPath) -> int:
        """Return the line of the value at a path; if there is none, of its nearest ancestor."""
        node, line = self._root, 1 if self._root is None else _get_line(self._root)
        for step in key_path:
            child = self._find_child(node, step)
            if child is not None:
                line, node = child
        return line

    def _find_child(self, node: Node | None, step: str | int) -> tuple[int, Node] | None:
        if isinstance(node, MappingNode):
            if id(node) not in self._pairs_by_key:
                # Indexed once: a file may have a finding for each of many keys.
                pairs = cast("list[tuple[Node, Node]]", node.value)
                self._pairs_by_key[id(node)] = {key.value: (_get_line(key), value) for key, value in reversed(pairs)}
            return self._pairs_by_key[id(node)].get(step) if isinstance(step, str) else None
        if isinstance(node, SequenceNode) and isinstance(step, int):
            items = cast("list[Node]", node.value)
            if 0 <= step < len(items):
                return _get_line(items[step]), items[step]
        return None

    def _build_value(self, node: Node, key_path: KeyPath) -> Json:
        self._value_count += 1
        if self._value_count > _MAX_VALUES or len(key_path) > _MAX_DEPTH:
            raise YamlUnreadable(
                _get_line(node),
                f"with its aliases (*name) written out, it has more than {_MAX_VALUES:,} values or {_MAX_DEPTH} levels",
            )
        if node.tag not in _PLAIN_TAGS:
            raise YamlUnreadable(_get_line(node), f"the tag {node.tag} is not supported: write plain values")
        if isinstance(node, MappingNode):
            return dict(self._iter_pairs(node, key_path))
        if isinstance(node, SequenceNode):
            items = cast("list[Node]", node.value)
            return [self._build_value(item, (*key_path, number)) for number, item in enumerate(items)]
        scalar = cast("ScalarNode", node)
        if scalar.tag == _STR and scalar.style is None and (ambiguous := _AMBIGUOUS.fullmatch(scalar.value)):
            self.ambiguous_texts.append(AmbiguousText(key_path, scalar.value, _get_other_meaning(ambiguous)))
        return _parse_scalar(scalar)

    def _iter_pairs(self, node: MappingNode, key_path: KeyPath) -> Iterator[tuple[str, Json]]:
        seen: set[str] = set()
        for key_node, value_node in cast("list[tuple[Node, Node]]", node.value):
            if not isinstance(key_node, ScalarNode):
                raise YamlUnreadable(_get_line(key_node), "a key is not a string")
            if key_node.value == "<<" and key_node.style is None:
                raise YamlUnreadable(_get_line(key_node), "merge keys (<<) are not supported: write the entries out")
            key = replace_lone_surrogates(cast("str", key_node.value))
            if key in seen:
                self.duplicate_keys.append(((*key_path, key), _get_line(key_node)))
            seen.add(key)
            yield key, self._build_value(value_node, (*key_path, key))


def read_yaml_file(path: str | Path) -> YamlDocument:
    """Read a YAML or JSON file; raise YamlUnreadable, which has the line."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise YamlUnreadable(1, f"it cannot be opened: {error.strerror or error}") from None
    if len(data) > _MAX_FILE_BYTES:
        raise YamlUnreadable(1, f"it is longer than {_MAX_FILE_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise YamlUnreadable(1, "it is not UTF-8 text") from None
    return YamlDocument(text)


def _compose_root(text: str) -> Node | None:
    loader: _PlainDataLoader | None = None
    try:
        loader = _PlainDataLoader(text)
        return loader.get_single_node()
    except YamlUnreadable:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlUnreadable(mark.line + 1 if mark else 1, _format_yaml_error(error)) from None
    except yaml.YAMLError as error:
        raise YamlUnreadable(1, str(error).replace("\n", " ")) from None
    except (ValueError, OverflowError) as error:  # PyYAML does not catch these, such as \U escapes beyond Unicode
        raise YamlUnreadable(1, str(error)) from None
    finally:
        if loader is not None:
            loader.dispose()  # breaks reference cycles inside the loader


def _format_yaml_error(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part)


def _parse_scalar(node: ScalarNode) -> Json:
    text = cast("str", node.value)
    match node.tag:
        case t if t == _STR:
            return replace_lone_surrogates(text)
        case t if t == _NULL:
            return None
        case t if t == _BOOL:
            return text.lower() == "true"
        case _:
            return _parse_number(node, text)


def _parse_number(node: ScalarNode, text: str) -> int | float:
    if re.fullmatch(_INFINITE, text):
        raise YamlUnreadable(_get_line(node), f"{text} is not a number of JSON: write a large number, or quotes")
    try:
        number = _parse_integer(text) if node.tag == _INT else float(text)
    except ValueError:
        raise YamlUnreadable(_get_line(node), "a number is too long to be read") from None
    if isinstance(number, float) and not math.isfinite(number):
        raise YamlUnreadable(_get_line(node), f"the number {text} is too large")
    return number


def _parse_integer(text: str) -> int:
    base = {"0x": 16, "0o": 8}.get(text[:2], 10)
    if base != 10 and len(text) > _MAX_DIGITS:
        raise ValueError("too many digits")  # Python limits only the digits of decimal numbers
    return int(text, base)


def _get_other_meaning(ambiguous: re.Match[str]) -> str:
    if ambiguous["number"]:
        sign = ambiguous[0][0] if ambiguous[0][0] in "-+" else ""
        return sign + (ambiguous[0].lstrip("-+").replace("_", "").lstrip("0") or "0")
    return "true" if ambiguous["true"] else "false"


_OTHER_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Line breaks of YAML 1.1, which PyYAML writes so that it reads them as spaces, except in double quotes."""


class _PlainDataDumper(yaml.SafeDumper):
    """Puts quotes around each text that any YAML reads as another value."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> ScalarNode:
    style = '"' if _OTHER_LINE_BREAKS.search(text) else None
    return cast("Any", dumper).represent_scalar(_STR, text, style=style)


_PlainDataDumper.add_representer(str, _represent_text)


def _build_quoting_resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Return the resolvers of YAML 1.1 and ours. PyYAML quotes a text if a resolver finds another tag for it."""
    resolvers = {key: list(value) for key, value in yaml.SafeDumper.yaml_implicit_resolvers.items()}
    for character, own in _build_resolvers().items():
        resolvers.setdefault(character, []).extend(own)
    for character in "-+0123456789":
        resolvers[character].append((_INT, re.compile(rf"(?:{_AMBIGUOUS.pattern})\Z")))
    return resolvers


_PlainDataDumper.yaml_implicit_resolvers = _build_quoting_resolvers()


def render_yaml(value: Json, *, allow_unicode: bool = True) -> str:
    """Return a JSON value as YAML, from which `YamlDocument` reads the same value."""
    return yaml.dump(value, Dumper=_PlainDataDumper, sort_keys=False, allow_unicode=allow_unicode, width=120)


def _get_line(node: Node) -> int:
    mark = node.start_mark
    return mark.line + 1 if mark else 1
