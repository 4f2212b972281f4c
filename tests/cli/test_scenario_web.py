"""`adksim scenario show --web` serves the named files, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from click.testing import CliRunner
from polling import MAX_WAIT_SECONDS
from processes import open_adksim
from scenario_corpus import SPEC_EXAMPLE, load_scenarios

from adk_agent_sim.cli.main import adksim

KEY = "scenario_wait_w01_tiers"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiers.json"
    path.write_text(json.dumps(load_scenarios()[KEY]), encoding="utf-8")
    return path


@contextmanager
def _serve(*arguments: str | Path) -> Generator[httpx.Client]:
    with open_adksim("scenario", *arguments, "--web", "--port", "0") as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            url = urlsplit(address[0])
            with httpx.Client(base_url=f"http://{url.netloc}", timeout=MAX_WAIT_SECONDS) as client:
                assert client.get(address[0]).status_code == 303
                yield client
        finally:
            process.terminate()
    assert process.returncode == 0


@pytest.mark.process
def test_show_serves_all_files_that_are_named(file: Path) -> None:
    with _serve("show", file, SPEC_EXAMPLE) as client:
        found = client.get("/api/scenarios").json()

    assert [each["scenario_id"] for each in found] == [KEY, "email_apology_001"]


@pytest.mark.parametrize("option", ["--json", "--svg=graph.svg"])
def test_options_that_print_exclude_web(option: str) -> None:
    done = CliRunner().invoke(adksim, ["scenario", "show", str(SPEC_EXAMPLE), "--web", option])

    assert done.exit_code == 2
    assert "leave out --svg, --json and --scenario" in done.output


def test_show_prints_several(file: Path) -> None:
    done = CliRunner().invoke(adksim, ["scenario", "show", str(file), str(SPEC_EXAMPLE)])

    assert KEY in done.output
    assert "email_apology_001" in done.output


def test_a_missing_file_is_an_error_before_anything_is_served(tmp_path: Path) -> None:
    done = CliRunner().invoke(adksim, ["scenario", "show", str(tmp_path / "nothing.json"), "--web", "--port", "0"])

    assert done.exit_code == 1
