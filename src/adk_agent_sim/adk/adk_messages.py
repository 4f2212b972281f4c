"""Recognizes messages of ADK by their texts, because ADK gives the cases no types of their own.

tests/adk/test_adk_messages.py makes ADK say each of them. Texts that packages below `adk` need too are in
`timeline/framework_calls.py` and `timeline/framework_calls.py`.
"""

from __future__ import annotations

import re

from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR

_LOAD_PREFIX = re.compile(r"^Fail to load '[^']*' (?:module|config)\. ")
_INVALID_NAME_PREFIX = "Invalid agent name"
_NO_ROOT_AGENT_PREFIX = "No root_agent found"
_MISSING_VARIABLE = re.compile(r"Context variable not found: `([^`]*)`(?: in agent '([^']*)')?")
_QUOTED_PREFIX = f"[{ENVIRONMENT_AUTHOR}] said:\n"
_FENCES = (0, -1)
"""The lines of a quoted text that are markers of ADK."""


def remove_load_prefix(message: str) -> str:
    """Return the message of an agent's own code, without what ADK puts before it when it loads the agent."""
    return _LOAD_PREFIX.sub("", message)


def is_invalid_agent_name(error: BaseException) -> bool:
    """Return whether ADK refused to import a folder because its name is not one of a module."""
    return isinstance(error, ValueError) and remove_load_prefix(str(error)).startswith(_INVALID_NAME_PREFIX)


def is_missing_root_agent(error: BaseException) -> bool:
    """Return whether ADK found no agent in a folder."""
    return isinstance(error, ValueError) and remove_load_prefix(str(error)).startswith(_NO_ROOT_AGENT_PREFIX)


def find_missing_variable(error: BaseException) -> tuple[str, str] | None:
    """Return the key that the state lacks and the agent whose instruction needs it; None for any other error.

    The agent is empty if ADK does not name it.
    """
    match = _MISSING_VARIABLE.search(str(error)) if isinstance(error, KeyError) else None
    return (match[1], match[2] or "") if match else None


def remove_unknown_model_prefix(message: str, model: str) -> str:
    """Return what ADK advises when it does not know a model, without the sentence that names the model."""
    return " ".join(message.split()).removeprefix(f"Model {model} not found.").strip()


def is_quoted_notification(text: str) -> bool:
    """Return whether ADK quotes to an agent what the environment said."""
    return text.startswith(_QUOTED_PREFIX)


def extract_quoted_notification(text: str) -> str:
    """Return what the environment said, without the quotes that ADK puts around it."""
    lines = text.removeprefix(_QUOTED_PREFIX).split("\n")
    is_fenced = len(lines) > len(_FENCES) and all(lines[each].startswith("<<<") for each in _FENCES)
    return "\n".join(lines[1:-1] if is_fenced else lines)
