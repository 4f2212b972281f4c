"""The bundle that is published asks no other machine for anything, and its lock names none."""

from __future__ import annotations

import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest
from wheel_bundle import ROOT, read_bundle


class _Page(HTMLParser):
    """Notes what a page fetches, and what it holds inline."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.fetched += [value for name in ("src", "href", "srcset", "action", "poster") if (value := values.get(name))]
        if tag == "style" or (tag == "script" and "src" not in values):
            self.inline.append(tag)
        self.inline += [name for name in values if name == "style" or name.startswith("on")]


@pytest.mark.process
def test_the_page_fetches_from_its_own_server_only_and_holds_nothing_inline(wheel: Path) -> None:
    bundle = read_bundle(wheel)
    page = _Page()
    page.feed(bundle["index.html"].decode())
    assert page.inline == []
    assert page.fetched
    assert {path.removeprefix("/") for path in page.fetched} <= bundle.keys()


@pytest.mark.process
def test_no_stylesheet_and_no_picture_fetches_from_another_machine(wheel: Path) -> None:
    for name, content in read_bundle(wheel).items():
        if name.endswith((".css", ".svg")):
            fetched = re.findall(r"url\(([^)]*)\)|@import\s+(\S+)|href=[\"']([^\"']*)", content.decode())
            addresses = [address.strip("\"'") for groups in fetched for address in groups if address]
            assert [address for address in addresses if re.match(r"(\w+:)?//|data:", address)] == [], name


@pytest.mark.process
def test_every_file_but_the_page_is_named_for_its_content(wheel: Path) -> None:
    others = read_bundle(wheel).keys() - {"index.html", ".made-from"}
    assert others
    assert [name for name in others if not re.fullmatch(r"assets/[\w.-]+-[\w-]{8}\.\w+", name)] == []


@pytest.mark.process
def test_what_only_tests_use_is_not_published(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if "axe" in name] == []
    assert [name for name, content in read_bundle(wheel).items() if b"axe-core" in content] == []


@pytest.mark.process
def test_the_wheel_has_every_template_of_a_page_and_the_exports_of_every_package(wheel: Path) -> None:
    source = ROOT / "src"
    templates = {path.relative_to(source).as_posix() for path in source.rglob("templates/*") if path.is_file()}
    stubs = {path.relative_to(source).as_posix() for path in source.rglob("__init__.pyi")}
    assert len(templates) > 5
    assert len(stubs) > 5
    with zipfile.ZipFile(wheel) as archive:
        assert templates | stubs <= set(archive.namelist())


@pytest.fixture
def locked() -> dict[str, dict[str, Any]]:
    """The packages that the lock names, by where they are installed."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))
    return cast("dict[str, dict[str, Any]]", lock["packages"])


def test_the_lock_names_no_registry_and_has_a_checksum_for_every_package(locked: dict[str, dict[str, Any]]) -> None:
    assert [name for name, package in locked.items() if "resolved" in package] == []
    assert [name for name, package in locked.items() if name and not package.get("integrity")] == []


def test_the_lock_serves_every_platform(locked: dict[str, dict[str, Any]]) -> None:
    names = {path.rpartition("node_modules/")[2] for path in locked}
    for path, package in locked.items():
        assert package.get("optionalDependencies", {}).keys() <= names, path


def test_every_version_in_the_manifest_is_exact() -> None:
    manifest = json.loads((ROOT / "web" / "package.json").read_text("utf-8"))
    versions = {**manifest["dependencies"], **manifest["devDependencies"]}
    assert [name for name, version in versions.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []
