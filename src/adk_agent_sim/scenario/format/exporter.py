"""`JsonScenarioExporter`: writes scenarios as JSON that ARE reads, without losing anything that was read.

Apps that ARE does not have are converted into apps that it has:

EmailApp                       -> EmailClientV2, its lists as folders
NotificationApp.show_reminder  -> an email to the user, which notifies the agent at the same level

The metadata of a trace says who played, which run it was, how it was disturbed, and what it failed with.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.scenario.apps.registry import strip_module_path
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.imported_scenario import BaseAgentLog, ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    ExportedAction,
    ExportedActionArg,
    ExportedApp,
    ExportedCompletedEvent,
    ExportedTrace,
    ExportedTraceSimulationMetadata,
    to_json_value,
)
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.file_names import find_unused_path
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json


@dataclass(frozen=True, kw_only=True)
class RunMetadata:
    """The metadata of a run. What is None stays as the scenario has it."""

    agent_id: str | None = None
    """Who played: the name of an agent or of a player."""

    model_id: str | None = None
    """The model of the agent."""

    run_number: int | None = None
    """The number of the run, if a scenario is run several times."""

    exception: BaseException | None = None
    """What ended the run before its time; None if it ended as it should."""

    augmentation: AugmentationOptions | None = None
    """How the run was disturbed."""

    def apply_to_trace(self, trace: ExportedTrace) -> ExportedTrace:
        """Return a trace with this metadata."""
        if self.augmentation is not None:
            trace = self.augmentation.apply_to_trace(trace)
        metadata = trace.metadata
        definition = metadata.definition.model_copy(
            update={
                "run_number": metadata.definition.run_number if self.run_number is None else self.run_number,
                # A run that ended as it should must not keep the exception of the run from which its file comes.
                "has_exception": self.exception is not None,
                "exception_type": None if self.exception is None else type(self.exception).__name__,
                "exception_message": None if self.exception is None else str(self.exception),
            }
        )
        known = metadata.simulation or ExportedTraceSimulationMetadata()
        simulation = known.model_copy(
            update={
                "agent_id": known.agent_id if self.agent_id is None else self.agent_id,
                "model_id": known.model_id if self.model_id is None else self.model_id,
            }
        )
        config = metadata.runner_config
        if config is not None:
            # Otherwise ARE reads its own default model from a configuration that names none.
            named = {"agent": simulation.agent_id, "model": simulation.model_id}
            config = config | {key: value for key, value in named.items() if value is not None}
        changed = metadata.model_copy(
            update={"definition": definition, "simulation": simulation, "runner_config": config}
        )
        return trace.model_copy(update={"metadata": changed})


_USER_ADDRESS = "user@example.com"
_NOTIFIER_ADDRESS = "notifications@example.com"
_MAIL_CLASS = "EmailClientV2"
_FOLDERS = {"INBOX": "inbox", "SENT": "sent", "DRAFT": "draft", "TRASH": "trash"}


def convert_to_are(trace: ExportedTrace) -> tuple[ExportedTrace, tuple[str, ...]]:
    """Return the scenario using only apps of ARE, and what was changed; the same object if nothing was."""
    used = {event.action.app for event in [*trace.events, *trace.completed_events] if event.action}
    classes = {app.name: strip_module_path(app.class_name or app.name) for app in trace.apps}
    # Events may call these apps by class name without listing them, see `list_world_apps`.
    missing = {"EmailApp", "NotificationApp"} & (used - set(classes))
    classes |= {name: name for name in missing}
    if not {"EmailApp", "NotificationApp"} & set(classes.values()):
        return trace, ()
    return _AreConverter(classes).convert(trace)


class _AreConverter:
    """Converts one scenario; `classes` are the app classes by their names in it."""

    def __init__(self, classes: dict[str, str]) -> None:
        self._classes = classes
        self._changes: dict[str, None] = {}
        mail_apps = [name for name, each in classes.items() if each in ("EmailApp", "EmailClientV2", "Mail")]
        self._mail_app = mail_apps[0] if mail_apps else "Emails"

    def convert(self, trace: ExportedTrace) -> tuple[ExportedTrace, tuple[str, ...]]:
        apps = [self._convert_app(app) for app in trace.apps if self._get_class(app.name) != "NotificationApp"]
        if self._mail_app not in {app.name for app in apps}:
            self._note_change(f"the app {self._mail_app!r} of class {_MAIL_CLASS} was added")
            apps.append(ExportedApp(name=self._mail_app, class_name=_MAIL_CLASS, app_state=_build_mail_state({})))
        events = [self._convert_root_event(self._convert_event(event)) for event in trace.events]
        changes: dict[str, Any] = {"apps": apps, "events": events}
        if trace.completed_events:
            changes["completed_events"] = [self._convert_event(event) for event in trace.completed_events]
        return trace.model_copy(update=changes), tuple(self._changes)

    def _note_change(self, change: str) -> None:
        self._changes[change] = None

    def _get_class(self, name: str | None) -> str:
        return self._classes.get(name or "", "")

    def _convert_app(self, app: ExportedApp) -> ExportedApp:
        if self._get_class(app.name) != "EmailApp":
            return app
        self._note_change(
            f"app {app.name!r}: EmailApp is not an app of ARE; it is written as {_MAIL_CLASS}, its lists as folders"
        )
        state = app.app_state or {}
        if lost := sorted(set(state) - set(_FOLDERS.values())):
            self._note_change(f"app {app.name!r}: {_MAIL_CLASS} has no fields for {', '.join(lost)}, which are omitted")
        return app.model_copy(update={"class_name": _MAIL_CLASS, "app_state": _build_mail_state(state)})

    def _convert_event(self, event: Any) -> Any:
        converted: AnyEvent | ExportedCompletedEvent = event
        action = converted.action
        change = _CALL_CONVERTERS.get((self._get_class(action.app), action.function)) if action else None
        if action is None or change is None:
            return converted
        before = f"{action.app}.{action.function}"
        arguments = {each.name: each.value for each in action.args or ()}
        new_action = _build_action(action, self._mail_app, *change(arguments))
        self._note_change(f"{before} is written as {self._mail_app}.{new_action.function}")
        return converted.model_copy(update={"action": new_action})

    def _convert_root_event(self, event: AnyEvent) -> AnyEvent:
        if event.event_type != "ENV" or event.dependencies:
            return event
        # ARE refuses an ENV event without a dependency, and does not distinguish the tools of ENV and USER events.
        self._note_change("an ENV event without dependencies is written as a USER event")
        return event.model_copy(update={"event_type": "USER"})


def _build_action(action: ExportedAction, app: str, function: str, arguments: dict[str, str | None]) -> ExportedAction:
    args = [
        ExportedActionArg(name=name, value=value, value_type="list" if name == "recipients" else "str")
        for name, value in arguments.items()
        if value
    ]
    known = action.operation_type if action.operation_type in ("READ", "WRITE", None) else "READ"
    return action.model_copy(update={"app": app, "function": function, "operation_type": known, "args": args})


_ArgumentTexts = dict[str, str | None]


def _convert_sent_mail(arguments: _ArgumentTexts) -> tuple[str, _ArgumentTexts]:
    to = json.dumps([arguments["to"]]) if arguments.get("to") else None
    return "send_email", {"recipients": to, "subject": arguments.get("subject"), "content": arguments.get("body")}


def _convert_received_mail(given: _ArgumentTexts) -> tuple[str, _ArgumentTexts]:
    arguments = {"sender": given.get("sender"), "subject": given.get("subject"), "content": given.get("body")}
    return "send_email_to_user_only", arguments


def _convert_reminder(arguments: _ArgumentTexts) -> tuple[str, _ArgumentTexts]:
    message = arguments.get("message")
    return "send_email_to_user_only", {"sender": _NOTIFIER_ADDRESS, "subject": "Reminder", "content": message}


_CALL_CONVERTERS: dict[tuple[str, str | None], Callable[[_ArgumentTexts], tuple[str, _ArgumentTexts]]] = {
    ("EmailApp", "send_email"): _convert_sent_mail,
    ("EmailApp", "receive_email"): _convert_received_mail,
    ("EmailApp", "list_inbox"): lambda _: ("list_emails", {"folder_name": "INBOX"}),
    ("EmailApp", "list_sent"): lambda _: ("list_emails", {"folder_name": "SENT"}),
    ("NotificationApp", "show_reminder"): _convert_reminder,
    ("NotificationApp", "list_reminders"): lambda _: ("list_emails", {"folder_name": "INBOX"}),
}


def _build_mail_state(state: dict[str, Any]) -> dict[str, Any]:
    folders = {name: {"folder_name": name, "emails": _build_mails(state.get(key))} for name, key in _FOLDERS.items()}
    return {"user_email": _USER_ADDRESS, "view_limit": 5, "folders": folders}


def _build_mails(listed: Any) -> list[dict[str, Any]]:
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    mails = (cast("dict[str, Any]", each) for each in entries if isinstance(each, dict))
    return [_build_mail(place, each) for place, each in enumerate(mails)]


def _build_mail(index: int, entry: dict[str, Any]) -> dict[str, Any]:
    sent = entry.get("timestamp")
    mail: dict[str, Any] = {
        "sender": _find_text(entry, "from", "sender") or _USER_ADDRESS,
        "recipients": [_find_text(entry, "to") or _USER_ADDRESS],
        "subject": _find_text(entry, "subject"),
        "content": _find_text(entry, "body", "content"),
        "parent_id": None,
        "cc": [],
        "attachments": {},
        "timestamp": sent if isinstance(sent, int | float) else 0,
        "is_read": entry.get("is_read") is True,
    }
    # Derived from the content, so that converting the same file twice gives the same ids.
    identity = hashlib.sha256(json.dumps([index, mail]).encode()).hexdigest()[:32]
    return mail | {"email_id": _find_text(entry, "email_id") or identity}


def _find_text(entry: dict[str, Any], *keys: str) -> str:
    return next((entry[key] for key in keys if isinstance(entry.get(key), str)), "")


_LOG = get_logger(__name__)

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which UTF-8 cannot encode and only a JSON escape can represent."""


class ExportableWorld(Protocol):
    """A world in which a scenario was run."""

    def export_trace(self) -> ExportedTrace:
        """Return the scenario with the completed events and the apps in their initial states."""
        ...


class JsonScenarioExporter:
    """Writes scenarios in ARE's dialect."""

    def export_to_json(
        self,
        env: ExportableWorld | None = None,
        scenario: ScenarioImportedFromJson | None = None,
        scenario_id: str | None = None,
        *,
        export_apps: bool = True,
        apps_state: Mapping[str, Mapping[str, Any]] | None = None,
        world_logs: Sequence[BaseAgentLog] | None = None,
        run: RunMetadata | None = None,
        indent: int | None = None,
    ) -> str:
        """Return the JSON text of a scenario.

        Args:
            env: The world in which it was run, to include its completed events and the initial states of its apps.
            scenario: The scenario; that of the world if omitted.
            scenario_id: A different id for the file.
            export_apps: Whether to write the apps; they are large and can be stored elsewhere.
            apps_state: Apps to write instead, each with `class_name` and `serialized_state`, a JSON text.
            world_logs: The agent's log, to replace the scenario's own.
            run: Who played, and what else the file says about the run; by default what the scenario says.
            indent: The number of spaces to indent with; everything on one line if None.

        Raises:
            ExportRefused: The scenario contains something that JSON cannot represent.
        """
        trace = _build_trace(env, scenario, scenario_id, export_apps, apps_state, world_logs, run)
        return serialize_trace(trace, indent=indent)

    def export_to_json_file(
        self,
        env: ExportableWorld | None = None,
        scenario: ScenarioImportedFromJson | None = None,
        *,
        output_dir: str | Path,
        scenario_id: str | None = None,
        export_apps: bool = True,
        apps_state: Mapping[str, Mapping[str, Any]] | None = None,
        world_logs: Sequence[BaseAgentLog] | None = None,
        run: RunMetadata | None = None,
        indent: int | None = 2,
    ) -> tuple[bool, str | None]:
        """Write a scenario into a folder, to a new file named after its id.

        Returns:
            Whether it was written, and its path.
        """
        trace = _build_trace(env, scenario, scenario_id, export_apps, apps_state, world_logs, run)
        text = serialize_trace(trace, indent=indent)
        written_id = trace.metadata.definition.scenario_id
        path = find_unused_path(Path(output_dir), written_id, ".json", fallback="scenario")
        try:
            atomic_write_text(path, text + "\n")
        # As in ARE's exporter, the result says whether the file was written.
        except OSError as error:
            _LOG.warning("Could not write scenario %r to %s: %s", written_id, path, error)
            return False, None
        return True, str(path)


def _build_trace(
    env: ExportableWorld | None,
    scenario: ScenarioImportedFromJson | None,
    scenario_id: str | None,
    export_apps: bool,
    apps_state: Mapping[str, Mapping[str, Any]] | None,
    world_logs: Sequence[BaseAgentLog] | None,
    run_metadata: RunMetadata | None,
) -> ExportedTrace:
    changes: dict[str, Any] = {}
    run = None if env is None else env.export_trace()
    if run is not None:
        changes |= {"apps": run.apps, "completed_events": run.completed_events}
    if apps_state is not None:
        changes["apps"] = [_build_app(name, given) for name, given in apps_state.items()]
    base = run if scenario is None else scenario.trace
    if base is None:
        raise ExportRefused("There is nothing to export: pass a world as env, or a scenario.")
    logs = [BaseAgentLog(text) for text in base.world_logs] if world_logs is None else world_logs
    if logs:
        changes["world_logs"] = [each.to_are_text() for each in logs]
    trace, _ = convert_to_are(_with_scenario_id(base.model_copy(update=changes), scenario_id))
    if run_metadata is not None:
        trace = run_metadata.apply_to_trace(trace)
    # After the conversion, which looks up the classes of the apps that events call.
    if not export_apps:
        trace = trace.model_copy(update={"apps": []})
    return trace


def serialize_trace(trace: ExportedTrace, *, indent: int | None = None) -> str:
    """Return the JSON text of a scenario."""
    try:
        text = json.dumps(to_json_value(trace), ensure_ascii=False, allow_nan=False, indent=indent)
        # A lone surrogate cannot be encoded as UTF-8; escaping everything keeps it.
        if text.isascii() or not _LONE_SURROGATE.search(text):
            return text
        return json.dumps(to_json_value(trace), allow_nan=False, indent=indent)
    except (ValueError, RecursionError) as error:
        raise ExportRefused(f"The scenario cannot be written as JSON: {error}.") from error


def _with_scenario_id(trace: ExportedTrace, scenario_id: str | None) -> ExportedTrace:
    if scenario_id is None:
        return trace
    definition = trace.metadata.definition.model_copy(update={"scenario_id": scenario_id})
    return trace.model_copy(update={"metadata": trace.metadata.model_copy(update={"definition": definition})})


def _build_app(name: str, fields: Mapping[str, Any]) -> ExportedApp:
    try:
        state = parse_json(fields.get("serialized_state") or "null")
        return ExportedApp(
            name=name, class_name=strip_module_path(str(fields.get("class_name", name))), app_state=state
        )
    except (InvalidJson, ValueError) as error:
        raise ExportRefused(f"The serialized_state of app {name!r} is not a JSON object: {error}.") from error
