"""Pages from templates: all values are text, all templates are complete, and a page allows only its own style."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, UndefinedError, nodes
from jinja2.meta import find_undeclared_variables

import adk_agent_sim
from adk_agent_sim.golden.run_page import PageRow, RunPage, render_run_page
from adk_agent_sim.text.page_templates import load_template
from adk_agent_sim.timeline.redaction.redactor import Redactor

_SOURCE = Path(adk_agent_sim.__file__).parent
_TEMPLATES = sorted(_SOURCE.rglob("*.j2"))
_HOSTILE = (
    "</pre></style><script>alert(1)</script><img src=x onerror=alert(2)>\"' x={{ 7 * 7 }}{% raw %}&amp;\x00\x1b\u202e"
)
_ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "span", "p", "dl", "dt", "dd", "h2", "pre"),
    *("table", "thead", "tr", "th", "tbody", "td"),
}


class _Page(HTMLParser):
    """Collects the elements, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def _render_page(text: str) -> str:
    page = RunPage(
        title=text,
        outcome="failed",
        reason=text,
        facts={text: text},
        sections={text: [text]},
        when_label=text,
        rows=[PageRow(when=text, actor=text, call=text, result=text, has_failed=True, mark=text)],
    )
    return render_run_page(page, Redactor())


def test_there_are_templates_in_each_package_that_renders_pages() -> None:
    folders = {path.parent.relative_to(_SOURCE).as_posix() for path in _TEMPLATES}
    assert folders == {f"{name}/templates" for name in ("bench", "golden", "scenario", "server", "text")}


@pytest.mark.parametrize("path", _TEMPLATES, ids=lambda path: path.name)
def test_no_template_turns_the_escaping_off(path: Path) -> None:
    parsed = Environment(autoescape=True).parse(path.read_text("utf-8"))
    assert [each.name for each in parsed.find_all(nodes.Filter) if each.name in ("safe", "xmlattr", "urlize")] == []
    assert list(parsed.find_all((nodes.ScopedEvalContextModifier, nodes.EvalContextModifier, nodes.MarkSafe))) == []


@pytest.mark.parametrize("package", ["bench", "golden", "scenario", "server"])
def test_a_value_that_is_missing_is_an_error(package: str) -> None:
    for path in sorted((_SOURCE / package / "templates").glob("*.j2")):
        if find_undeclared_variables(Environment(autoescape=True).parse(path.read_text("utf-8"))) - {"read_asset"}:
            with pytest.raises(UndefinedError):
                load_template(package, path.name).render()
            return
    pytest.fail("no template of the package has a value")


def test_hostile_text_is_shown_as_text_in_every_place() -> None:
    page = _Page(_render_page(_HOSTILE))
    assert page.elements == _ELEMENTS
    assert page.attributes == {"lang", "charset", "http-equiv", "content", "name", "class"}
    shown = _HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd").replace("\u202e", "\ufffd")
    assert page.text.count(shown) == 13


@given(st.text())
def test_no_text_adds_an_element_or_an_invisible_character(text: str) -> None:
    page = _render_page(text)
    assert _Page(page).elements <= _ELEMENTS
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", page)


def test_a_page_allows_only_its_own_style() -> None:
    page = _render_page("a")
    style = page.split("<style>")[1].split("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"\"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\"" in page
