"""Decides where an export may be written: the paths that requests name are confined to the folders of the agent."""

from __future__ import annotations

import os
from pathlib import Path

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormatName
from adk_agent_sim.golden.session import SimulatedAgentConfig


def find_export_folder(config: SimulatedAgentConfig, format_name: ExportFormatName) -> Path:
    """Return the folder that exports of an agent are written to; requests may name paths in it."""
    eval_set_folder = config.resolve_eval_set_path().parent
    return Path(config.folder or eval_set_folder) / "tests" if format_name == "adk-test" else eval_set_folder


def resolve_export_path(config: SimulatedAgentConfig, format_name: ExportFormatName, requested: str) -> Path:
    """Return the file that a request names, relative to the agent's export folder or absolute.

    Raises:
        ExportRefused: The path leads out of the folder, also through a link, is hidden, or has a wrong extension.
    """
    folder = Path(os.path.realpath(find_export_folder(config, format_name)))
    extension = EXPORT_FORMATS[format_name].extension
    # realpath raises ValueError for a null character.
    if "\0" in requested or not requested.endswith(extension):
        raise ExportRefused(f"Nothing was written: the name of the file must end with {extension}.")
    path = Path(os.path.realpath(folder / requested))
    if not path.is_relative_to(folder):
        raise ExportRefused(f"Nothing was written: {requested} is outside of {folder}. Choose a path in that folder.")
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        raise ExportRefused(
            f"Nothing was written: {requested} is hidden. Choose a name that does not start with a dot."
        )
    return path
