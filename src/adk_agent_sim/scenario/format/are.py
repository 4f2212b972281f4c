"""A scenario whose apps ARE does not have, put into apps that it has.

EmailApp                       -> EmailClientV2, its lists as folders
NotificationApp.show_reminder  -> a mail to the user, which the agent is told of at the same level
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, cast

from adk_agent_sim.scenario.apps.registry import bare
from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    ExportedAction,
    ExportedActionArg,
    ExportedApp,
    ExportedCompletedEvent,
    ExportedTrace,
)

_USER = "user@example.com"
_NOTIFIER = "notifications@example.com"
_MAIL = "EmailClientV2"
_FOLDERS = {"INBOX": "inbox", "SENT": "sent", "DRAFT": "draft", "TRASH": "trash"}


def for_are(trace: ExportedTrace) -> tuple[ExportedTrace, tuple[str, ...]]:
    """The scenario in apps that ARE has, and what was changed for it; the same object where nothing was."""
    used = {event.action.app for event in [*trace.events, *trace.completed_events] if event.action}
    classes = {app.name: bare(app.class_name or app.name) for app in trace.apps}
    missing = {"EmailApp", "NotificationApp"} & (used - set(classes))
    classes |= {name: name for name in missing}
    if not {"EmailApp", "NotificationApp"} & set(classes.values()):
        return trace, ()
    return _Change(classes).trace(trace)


class _Change:
    """The change of one scenario; `classes` are the app's classes by their names in it."""

    def __init__(self, classes: dict[str, str]) -> None:
        self._classes = classes
        self._notes: dict[str, None] = {}
        named = [name for name, each in classes.items() if each in ("EmailApp", "EmailClientV2", "Mail")]
        self._mail = named[0] if named else "Emails"

    def trace(self, trace: ExportedTrace) -> tuple[ExportedTrace, tuple[str, ...]]:
        apps = [self._app(app) for app in trace.apps if self._class(app.name) != "NotificationApp"]
        if self._mail not in {app.name for app in apps}:
            self._note(f"the app {self._mail!r} of class {_MAIL} was added")
            apps.append(ExportedApp(name=self._mail, class_name=_MAIL, app_state=_mail_state({})))
        events = [self._first(self._event(event)) for event in trace.events]
        changes: dict[str, Any] = {"apps": apps, "events": events}
        if trace.completed_events:
            changes["completed_events"] = [self._event(event) for event in trace.completed_events]
        return trace.model_copy(update=changes), tuple(self._notes)

    def _note(self, what: str) -> None:
        self._notes[what] = None

    def _class(self, name: str | None) -> str:
        return self._classes.get(name or "", "")

    def _app(self, app: ExportedApp) -> ExportedApp:
        if self._class(app.name) != "EmailApp":
            return app
        self._note(f"app {app.name!r}: EmailApp is not an app of ARE; it is written as {_MAIL}, its lists as folders")
        state = app.app_state or {}
        if lost := sorted(set(state) - set(_FOLDERS.values())):
            self._note(f"app {app.name!r}: {_MAIL} has no place for {', '.join(lost)}")
        return app.model_copy(update={"class_name": _MAIL, "app_state": _mail_state(state)})

    def _event(self, event: Any) -> Any:
        made: AnyEvent | ExportedCompletedEvent = event
        action = made.action
        change = _CALLS.get((self._class(action.app), action.function)) if action else None
        if action is None or change is None:
            return made
        before = f"{action.app}.{action.function}"
        arguments = {each.name: each.value for each in action.args or ()}
        changed = _called(action, self._mail, *change(arguments))
        self._note(f"{before} is written as {self._mail}.{changed.function}")
        return made.model_copy(update={"action": changed})

    def _first(self, event: AnyEvent) -> AnyEvent:
        if event.event_type != "ENV" or event.dependencies:
            return event
        self._note("an ENV event that depends on nothing is written as USER event")
        return event.model_copy(update={"event_type": "USER"})


def _called(action: ExportedAction, app: str, function: str, arguments: dict[str, str | None]) -> ExportedAction:
    args = [
        ExportedActionArg(name=name, value=value, value_type="list" if name == "recipients" else "str")
        for name, value in arguments.items()
        if value
    ]
    known = action.operation_type if action.operation_type in ("READ", "WRITE", None) else "READ"
    return action.model_copy(update={"app": app, "function": function, "operation_type": known, "args": args})


_Arguments = dict[str, str | None]


def _sent(given: _Arguments) -> tuple[str, _Arguments]:
    to = json.dumps([given["to"]]) if given.get("to") else None
    return "send_email", {"recipients": to, "subject": given.get("subject"), "content": given.get("body")}


def _received(given: _Arguments) -> tuple[str, _Arguments]:
    arguments = {"sender": given.get("sender"), "subject": given.get("subject"), "content": given.get("body")}
    return "send_email_to_user_only", arguments


def _reminded(given: _Arguments) -> tuple[str, _Arguments]:
    message = given.get("message")
    return "send_email_to_user_only", {"sender": _NOTIFIER, "subject": "Reminder", "content": message}


_CALLS: dict[tuple[str, str | None], Callable[[_Arguments], tuple[str, _Arguments]]] = {
    ("EmailApp", "send_email"): _sent,
    ("EmailApp", "receive_email"): _received,
    ("EmailApp", "list_inbox"): lambda _: ("list_emails", {"folder_name": "INBOX"}),
    ("EmailApp", "list_sent"): lambda _: ("list_emails", {"folder_name": "SENT"}),
    ("NotificationApp", "show_reminder"): _reminded,
    ("NotificationApp", "list_reminders"): lambda _: ("list_emails", {"folder_name": "INBOX"}),
}


def _mail_state(state: dict[str, Any]) -> dict[str, Any]:
    folders = {name: {"folder_name": name, "emails": _mails(state.get(key))} for name, key in _FOLDERS.items()}
    return {"user_email": _USER, "view_limit": 5, "folders": folders}


def _mails(listed: Any) -> list[dict[str, Any]]:
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    mails = (cast("dict[str, Any]", each) for each in entries if isinstance(each, dict))
    return [_mail(place, each) for place, each in enumerate(mails)]


def _mail(place: int, entry: dict[str, Any]) -> dict[str, Any]:
    sent = entry.get("timestamp")
    mail: dict[str, Any] = {
        "sender": _words(entry, "from", "sender") or _USER,
        "recipients": [_words(entry, "to") or _USER],
        "subject": _words(entry, "subject"),
        "content": _words(entry, "body", "content"),
        "parent_id": None,
        "cc": [],
        "attachments": {},
        "timestamp": sent if isinstance(sent, int | float) else 0,
        "is_read": entry.get("is_read") is True,
    }
    identity = hashlib.sha256(json.dumps([place, mail]).encode()).hexdigest()[:32]
    return mail | {"email_id": _words(entry, "email_id") or identity}


def _words(entry: dict[str, Any], *keys: str) -> str:
    return next((entry[key] for key in keys if isinstance(entry.get(key), str)), "")
