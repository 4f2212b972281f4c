"""Another distribution with the import name `adk_agent_sim`: commands say so, in either order of installation."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from uv import find_uv_bin
from wheel_bundle import ROOT

pytestmark = pytest.mark.process

COMMANDS = (["--help"], ["doctor", "--json"], ["sessions"])
NEXT_STEP = "(pip uninstall adksim adk-agent-sim), then install adksim again from its wheel or checkout."


class Environment:
    """A fresh environment, in which the libraries of this one can be imported, but no distribution of ours."""

    def __init__(self, folder: Path) -> None:
        self._programs = folder / "bin"
        self._run_uv("venv", "--quiet", "--python", sys.executable, folder)
        (packages,) = folder.glob("lib/*/site-packages")
        (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")

    def install(self, *what: str | Path) -> None:
        self._run_uv("pip", "install", "--quiet", "--no-deps", "--python", self._programs / "python", *what)

    def uninstall(self, name: str) -> None:
        self._run_uv("pip", "uninstall", "--quiet", "--python", self._programs / "python", name)

    def run_adksim(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self._programs / "adksim", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def _run_uv(self, *arguments: str | Path) -> None:
        subprocess.run([find_uv_bin(), *arguments], check=True)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment")


@pytest.fixture
def other_wheel(tmp_path: Path) -> Path:
    """A wheel of another project, with modules of the same names as ours, one of which the command would import."""
    path = tmp_path / "adk_agent_sim-0.3.0-py3-none-any.whl"
    record = "adk_agent_sim-0.3.0.dist-info"
    contents = {
        "adk_agent_sim/__init__.py": "raise SystemExit('another project was imported')\n",
        "adk_agent_sim/cli/__init__.py": "",
        "adk_agent_sim/cli/main.py": "",
        f"{record}/METADATA": "Metadata-Version: 2.1\nName: adk-agent-sim\nVersion: 0.3.0\n",
        f"{record}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    contents[f"{record}/RECORD"] = "".join(f"{name},,\n" for name in [*contents, f"{record}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


def assert_commands_are_refused(environment: Environment, reason: str) -> None:
    for command in COMMANDS:
        ran = environment.run_adksim(*command)
        assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
        assert ran.stderr.startswith("Error: ")
        assert reason in ran.stderr
        assert ran.stderr.endswith(f"{NEXT_STEP}\n")
        assert ran.stderr.count("\n") == 1


def assert_commands_run(environment: Environment) -> None:
    ran = environment.run_adksim("--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Usage: adksim" in ran.stdout


@pytest.mark.parametrize("is_first", [True, False], ids=["ours first", "ours second"])
def test_every_command_names_the_distribution_that_has_the_same_files(
    environment: Environment, wheel: Path, other_wheel: Path, is_first: bool
) -> None:
    for each in [wheel, other_wheel] if is_first else [other_wheel, wheel]:
        environment.install(each)

    assert_commands_are_refused(environment, "The package adk-agent-sim has installed files of its own in ")


def test_every_command_says_that_the_other_distribution_took_files_with_it(
    environment: Environment, wheel: Path, other_wheel: Path
) -> None:
    environment.install(wheel)
    assert_commands_run(environment)
    environment.install(other_wheel)
    environment.uninstall("adk-agent-sim")
    assert_commands_are_refused(environment, "has replaced or removed files of adksim in ")

    environment.uninstall("adksim")
    environment.install(wheel)
    assert_commands_run(environment)


def test_a_distribution_of_any_name_that_replaced_our_files_is_noticed(
    environment: Environment, wheel: Path, other_wheel: Path
) -> None:
    unknown = other_wheel.with_name("unknown-1.0-py3-none-any.whl")
    with zipfile.ZipFile(other_wheel) as source, zipfile.ZipFile(unknown, "w") as target:
        for name in source.namelist():
            renamed = name.replace("adk_agent_sim-0.3.0", "unknown-1.0")
            text = source.read(name).decode().replace("adk_agent_sim-0.3.0", "unknown-1.0")
            text = text.replace("Name: adk-agent-sim\nVersion: 0.3.0", "Name: unknown\nVersion: 1.0")
            target.writestr(renamed, text)
    environment.install(wheel)
    environment.install(unknown)

    assert_commands_are_refused(environment, "has replaced or removed files of adksim in ")


def test_an_editable_install_runs_until_another_distribution_hides_it(
    environment: Environment, other_wheel: Path
) -> None:
    environment.install("--editable", ROOT)
    assert_commands_run(environment)
    environment.install(other_wheel)

    assert_commands_are_refused(environment, "Python imports adk_agent_sim from ")
