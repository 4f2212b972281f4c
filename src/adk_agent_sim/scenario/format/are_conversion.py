"""Conversion of apps that ARE does not have into apps that it has.

EmailApp                       -> EmailClientV2, its lists as folders
NotificationApp.show_reminder  -> an email to the user, which notifies the agent at the same level
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, cast

from adk_agent_sim.scenario.apps.registry import strip_module_path
from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    ExportedAction,
    ExportedActionArg,
    ExportedApp,
    ExportedCompletedEvent,
    ExportedTrace,
)

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
