"""The reports of a bench: JUnit XML, Markdown and HTML, with texts that would like to be more than text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bench_builders import build_result, build_runs, iter_large_bench, write_results
from work_counter import count_lines

from adk_agent_sim.bench.bench_page import render_bench_page
from adk_agent_sim.bench.bench_report import write_reports
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import summarize_bench
from adk_agent_sim.bench.figure_text import format_number, format_outcomes, format_seconds, format_share
from adk_agent_sim.bench.matrix_data import make_report_link

_HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> ]]> & \" ' `code` | \x00\x1b[31m\u202e \ufffe"
)


def _list_hostile() -> list[BenchResult]:
    return [
        *build_runs(
            _HOSTILE, "+-!t?", agent=f"agent {_HOSTILE}", reason=_HOSTILE, tags=(_HOSTILE,), report="runs/a b#.html"
        ),
        build_result("failed", scenario="s2", agent="b", reason=_HOSTILE, report="javascript:alert(1)"),
    ]


def test_all_reports_are_written(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "nightly", iter_large_bench(2, 5, 2))

    summary = write_reports(folder)

    assert summary.overall.runs == 20
    assert sorted(each.name for each in folder.iterdir()) == ["junit.xml", "report.html", "results.jsonl", "summary.md"]
    assert "<title>Bench nightly</title>" in (folder / "report.html").read_text("utf-8")


def test_reports_say_that_intervals_treat_runs_as_independent(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "nightly", build_runs("s1", "+-"))
    write_reports(folder)
    for name in ("report.html", "summary.md"):
        text = " ".join((folder / name).read_text("utf-8").split())
        assert re.search(r"treats? runs as independent of each other", text), name


def test_junit_has_a_case_per_run_with_the_outcome(tmp_path: Path) -> None:
    write_reports(write_results(tmp_path, build_runs("s1", "++-!t?", reason="because\nof this", report="runs/1.html")))

    root = _read_junit(tmp_path)
    suite = root[0]
    counts = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 6, "failures": 1, "errors": 2, "skipped": 1}
    assert {name: int(root.attrib[name]) for name in counts} == counts
    assert [[each.tag for each in case] for case in suite] == [[], [], ["failure"], ["error"], ["error"], ["skipped"]]
    assert [case.attrib["name"] for case in suite][:2] == ["s1 [seed 0, run 1]", "s1 [seed 0, run 2]"]
    failure = suite[2][0]
    assert failure.attrib == {"message": "because", "type": "failed"}
    assert failure.text == "because\nof this\nReport of the run: runs/1.html"


def test_junit_escapes_texts_and_replaces_what_xml_cannot_contain(tmp_path: Path) -> None:
    write_reports(write_results(tmp_path, _list_hostile()))

    root = _read_junit(tmp_path)

    assert [suite.attrib["name"] for suite in root] == [
        re.sub("[\x00\x1b\u202e\ufffe]", "\N{REPLACEMENT CHARACTER}", f"agent {_HOSTILE}"),
        "b",
    ]
    assert "<script>alert(1)</script>" in str(root[1][0][0].text)


def test_markdown_is_short_however_large_the_bench(tmp_path: Path) -> None:
    results = [
        build_result(
            "failed",
            agent=f"agent {'x' * 200} {number}",
            tags=(f"t{number}",),
            reason=f"{chr(97 + number % 26) * number}",
        )
        for number in range(200)
    ]

    write_reports(write_results(tmp_path, results))

    text = (tmp_path / "summary.md").read_text("utf-8")
    assert len(text) < 65_536
    assert "... and 170 more variants in report.html." in text


def test_markdown_names_success_intervals_attempts_and_reasons(tmp_path: Path) -> None:
    results = [
        *build_runs("s1", "++--", reason="Turn 1: A__b is missing (e1)", input_tokens=100),
        *build_runs("s2", "++++", tags=("search",), output_tokens=50),
    ]

    write_reports(write_results(tmp_path, results))

    text = (tmp_path / "summary.md").read_text("utf-8")
    assert text.startswith("## Bench: 75.0 % of 8 judged runs passed\n")
    assert "1 variant, 2 scenarios, 8 runs: 6 passed, 2 failed. 600 tokens" in text
    assert "| `a` | 75.0 % | 41 to 93 % | 6 of 8 | 100 % | 50.0 % | 75 | 0 | 0 | 0 s | 0 s |" in text
    assert "| `search` | `a` | 100 % | 51 to 100 % | 4 of 4 |" in text
    assert "| 2 | failed | `Turn #: A__b is missing` | `s1` |" in text


def test_markdown_shows_hostile_texts_as_code(tmp_path: Path) -> None:
    write_reports(write_results(tmp_path, _list_hostile()))

    text = (tmp_path / "summary.md").read_text("utf-8")
    outside = re.sub(r"(`+).*?\1", "", text)
    assert "<script>" not in outside
    assert not re.search("[\x00\x1b\u202e]", text)


class _Elements(HTMLParser):
    """Collects the elements and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links.extend(str(value) for name, value in attrs if name in ("href", "src"))


def test_the_page_contains_texts_only_as_texts(tmp_path: Path) -> None:
    write_reports(write_results(tmp_path, _list_hostile()))

    elements = _Elements()
    elements.feed((tmp_path / "report.html").read_text("utf-8"))

    assert elements.tags.count("script") == 2
    assert "img" not in elements.tags
    assert not {"onerror", "style"} & elements.attributes
    assert set(elements.links) == {"./runs/a%20b%23.html", "./javascript%3Aalert%281%29"}


def test_the_page_allows_only_its_own_style_and_script() -> None:
    page = render_bench_page(summarize_bench(build_runs("s1", "+")), "b")

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    for directive, pattern in (("style", r"<style>(.*?)</style>"), ("script", r"<script>(.*?)</script>")):
        content = re.search(pattern, page, re.DOTALL)
        assert content
        digest = b64encode(sha256(content[1].encode()).digest()).decode()
        assert f"{directive}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]


def test_the_page_has_every_run_for_its_matrix() -> None:
    results = list(iter_large_bench(3, 10, 2))

    data = _read_matrix(results)

    assert len(data["runs"]) == 30
    assert sum(map(len, data["runs"])) == 60
    assert len(data["scenarios"]) == 10
    assert {data["outcomes"][run[0]] for runs in data["runs"] for run in runs} == {each.outcome for each in results}


@pytest.mark.parametrize(
    ("report", "link"),
    [
        ("", ""),
        ("runs/1.html", "./runs/1.html"),
        ("runs\\1.html", "./runs/1.html"),
        ("../secret.html", ""),
        ("a/../../b.html", ""),
        ("/etc/passwd", ""),
        ("//example.com/x", ""),
        ("http://example.com", "./http%3A//example.com"),
    ],
)
def test_links_stay_in_the_folder(report: str, link: str) -> None:
    assert make_report_link(build_result(report=report)) == link


def test_a_bench_without_results_has_reports(tmp_path: Path) -> None:
    summary = write_reports(write_results(tmp_path, []))

    assert summary.success_rate is None
    assert _read_junit(tmp_path).attrib["tests"] == "0"


def test_reports_take_linear_work() -> None:
    def render(scenarios: int) -> None:
        render_bench_page(summarize_bench(iter_large_bench(3, scenarios, 2)), "b")

    render(10)  # fills caches
    small, large = (count_lines(partial(render, scenarios), 1_000_000) for scenarios in (25, 100))

    assert large < 4.2 * small


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "-"), (0.0, "0 %"), (1.0, "100 %"), (0.9999, "99.9 %"), (0.00001, "0.1 %"), (2 / 3, "66.7 %")],
)
def test_only_exact_shares_are_written_as_all_or_none(share: float | None, text: str) -> None:
    assert format_share(share) == text


def test_figures_are_short() -> None:
    numbers = [format_number(each) for each in (0, 0.25, 12.5, 11.512, 1_250, 34_200, 1_200_000)]
    assert numbers == ["0", "0.25", "12.5", "11.5", "1,250", "34.2 k", "1.20 M"]
    times = [format_seconds(each) for each in (0, 0.42, 12.5, 59.99, 60, 200, 3_599.7, 7_500)]
    assert times == ["0 s", "0.42 s", "12.5 s", "60 s", "1 min", "3 min 20 s", "1 h", "2 h 5 min"]
    assert format_outcomes({"passed": 2, "failed": 0, "error": 1, "timeout": 2, "not_judged": 0}) == (
        "2 passed, 0 failed, 1 error, 2 timeouts"
    )


def _read_junit(folder: Path) -> ElementTree.Element:
    return ElementTree.fromstring((folder / "junit.xml").read_bytes())  # noqa: S314 - we wrote it


def _read_matrix(results: list[BenchResult]) -> dict[str, Any]:
    page = render_bench_page(summarize_bench(results), "b")
    found = re.search(r'id="bench-data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])
