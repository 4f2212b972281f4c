"""YAML or JSON as JSON values, with the line where each stands.

Only plain data is read: no tags, no dates, no `yes` that means true. A text that would grow without end (aliases of
aliases, depth) is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from adk_agent_sim.environment.finding import Place
from adk_agent_sim.timeline.canonical import Json

_LARGEST = 200_000
"""Values in one file; more are an attack or a mistake."""

_DEEPEST = 100

_STR = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"
_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_PLAIN_TAGS = frozenset({_STR, _NULL, _BOOL, _INT, _FLOAT, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


class TextUnreadable(ValueError):
    """The text is no YAML that holds plain data."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Composes nodes; resolves what JSON has, and nothing else."""


_RESOLVERS = (
    (_NULL, r"(?:~|null|)\Z", ("~", "n", "")),
    (_BOOL, r"(?:true|false)\Z", tuple("tf")),
    (_INT, r"-?(?:0|[1-9][0-9]*)\Z", tuple("-0123456789")),
    (_FLOAT, r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z", tuple("-0123456789")),
)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """What a plain text can stand for, by its first letter, as PyYAML keeps it."""
    found: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for tag, pattern, letters in _RESOLVERS:
        for letter in letters:
            found.setdefault(letter, []).append((tag, re.compile(pattern)))
    return found


_Loader.yaml_implicit_resolvers = _resolvers()


class Text:
    """A text that was read."""

    def __init__(self, text: str) -> None:
        """Read a text; TextUnreadable says where it is wrong."""
        if text.lstrip()[:1] in ("{", "["):
            text = text.replace("\t", " ")  # JSON may be indented with tabs, and has none inside texts
        self._root = _composed(text)
        self._built = 0
        self.repeated: list[tuple[Place, int]] = []
        """Keys that stand twice in one mapping: where, and on which line again."""
        self.value: Json = None if self._root is None else self._value(self._root, ())

    def line(self, place: Place) -> int:
        """The line of what stands at a place, or of what it would stand in."""
        node, line = self._root, 1 if self._root is None else _line(self._root)
        for step in place:
            found = _inside(node, step)
            if found is not None:
                line, node = found
        return line

    def _value(self, node: Node, place: Place) -> Json:
        self._built += 1
        if self._built > _LARGEST or len(place) > _DEEPEST:
            raise TextUnreadable(_line(node), "it holds too much: aliases within aliases, or too deep")
        if node.tag not in _PLAIN_TAGS:
            raise TextUnreadable(_line(node), f"the tag {node.tag} is not read here: write plain values")
        if isinstance(node, MappingNode):
            return dict(self._pairs(node, place))
        if isinstance(node, SequenceNode):
            items = cast("list[Node]", node.value)
            return [self._value(item, (*place, number)) for number, item in enumerate(items)]
        return _scalar(cast("ScalarNode", node))

    def _pairs(self, node: MappingNode, place: Place) -> Iterator[tuple[str, Json]]:
        seen: set[str] = set()
        for key_node, value_node in cast("list[tuple[Node, Node]]", node.value):
            if not isinstance(key_node, ScalarNode):
                raise TextUnreadable(_line(key_node), "a key is no text")
            key = _mended(cast("str", key_node.value))
            if key in seen:
                self.repeated.append(((*place, key), _line(key_node)))
            seen.add(key)
            yield key, self._value(value_node, (*place, key))


def _composed(text: str) -> Node | None:
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        return loader.get_single_node()
    except RecursionError:
        raise TextUnreadable(1, "it is nested too deep") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise TextUnreadable(mark.line + 1 if mark else 1, _problem(error)) from None
    except yaml.YAMLError as error:
        raise TextUnreadable(1, str(error).replace("\n", " ")) from None
    except (ValueError, OverflowError) as error:  # what PyYAML lets through, such as \U escapes beyond Unicode
        raise TextUnreadable(1, str(error)) from None
    finally:
        if loader is not None:
            loader.dispose()


def _problem(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part)


def _scalar(node: ScalarNode) -> Json:
    text = cast("str", node.value)
    match node.tag:
        case t if t == _STR:
            return _mended(text)
        case t if t == _NULL:
            return None
        case t if t == _BOOL:
            return text == "true"
        case _:
            return _number(node, text)


def _number(node: ScalarNode, text: str) -> int | float:
    try:
        number = int(text) if node.tag == _INT else float(text)
    except ValueError:
        raise TextUnreadable(_line(node), "a number cannot be read") from None
    if isinstance(number, float) and not math.isfinite(number):
        raise TextUnreadable(_line(node), f"{text} is too large a number")
    return number


def _mended(text: str) -> str:
    """Surrogate pairs, as JSON escapes them, become their signs; half a pair becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text


def _line(node: Node) -> int:
    mark = node.start_mark
    return mark.line + 1 if mark else 1


def _inside(node: Node | None, step: str | int) -> tuple[int, Node] | None:
    if isinstance(node, MappingNode):
        for key_node, value_node in cast("list[tuple[Node, Node]]", node.value):
            if key_node.value == step:
                return _line(key_node), value_node
    if isinstance(node, SequenceNode) and isinstance(step, int):
        items = cast("list[Node]", node.value)
        if 0 <= step < len(items):
            return _line(items[step]), items[step]
    return None
