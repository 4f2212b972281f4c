"""Registry of app classes by name. Names in files never import code; they are only looked up here.

Installed distributions add apps through entry points of the group `adk_agent_sim.apps`; see docs/apps.md. They cannot
replace a built-in app.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from adk_agent_sim.errors import AppLoadFailed
from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.apps.agent_user_interface import AgentUserInterface
from adk_agent_sim.scenario.apps.apartments import ApartmentListingApp, RentAFlat
from adk_agent_sim.scenario.apps.cabs import CabApp
from adk_agent_sim.scenario.apps.calendar import Calendar, CalendarApp
from adk_agent_sim.scenario.apps.city import CityApp
from adk_agent_sim.scenario.apps.contacts import Contacts, ContactsApp, InternalContacts
from adk_agent_sim.scenario.apps.emails import EmailClientApp, EmailClientV2, Mail
from adk_agent_sim.scenario.apps.messaging import MessagingApp
from adk_agent_sim.scenario.apps.messaging_v2 import MessagingAppV2
from adk_agent_sim.scenario.apps.notification import NotificationApp
from adk_agent_sim.scenario.apps.reminders import ReminderApp
from adk_agent_sim.scenario.apps.sandbox_files import Files, SandboxLocalFileSystem
from adk_agent_sim.scenario.apps.shopping import Shopping, ShoppingApp
from adk_agent_sim.scenario.apps.simple_email import EmailApp
from adk_agent_sim.scenario.apps.system import SystemApp
from adk_agent_sim.scenario.apps.virtual_files import VirtualFileSystem

BUILT_IN_APPS: Mapping[str, type[App]] = {
    "AgentUserInterface": AgentUserInterface,
    "ApartmentListingApp": ApartmentListingApp,
    "CabApp": CabApp,
    "Calendar": Calendar,
    "CalendarApp": CalendarApp,
    "CityApp": CityApp,
    "Contacts": Contacts,
    "ContactsApp": ContactsApp,
    "EmailApp": EmailApp,
    "EmailClientApp": EmailClientApp,
    "EmailClientV2": EmailClientV2,
    "Files": Files,
    "InternalContacts": InternalContacts,
    "Mail": Mail,
    "MessagingApp": MessagingApp,
    "MessagingAppV2": MessagingAppV2,
    "NotificationApp": NotificationApp,
    "ReminderApp": ReminderApp,
    "RentAFlat": RentAFlat,
    "SandboxLocalFileSystem": SandboxLocalFileSystem,
    "Shopping": Shopping,
    "ShoppingApp": ShoppingApp,
    "SystemApp": SystemApp,
    "VirtualFileSystem": VirtualFileSystem,
}
"""The built-in apps by class name."""

DEFAULT_APPS = {"AgentUserInterface": AgentUserInterface, "SystemApp": SystemApp}
"""Apps that every world has, by the name that events use, whether or not the file lists them."""

UNKNOWN_TO_ARE = frozenset({"EmailApp", "NotificationApp"})
"""Apps that ARE does not have."""

NOT_IMPORTABLE_BY_ARE = frozenset({"EmailClientApp", "MessagingApp", "ReminderApp"})
"""Apps that ARE has but cannot read from a scenario file."""


ENTRY_POINT_GROUP = "adk_agent_sim.apps"
"""The entry point group through which distributions add apps."""


def strip_module_path(class_name: str) -> str:
    """Return the class name without a module path."""
    return class_name.rpartition(".")[2]


def find_app_class(class_name: str) -> type[App] | None:
    """Return the app of a class name, bare or dotted, or None.

    Raises:
        AppLoadFailed: An installed distribution declares it, but it does not load.
    """
    name = strip_module_path(class_name)
    return BUILT_IN_APPS.get(name) or _load_app_class(name)


def list_app_class_names() -> list[str]:
    """Return the class names of all apps: the built-in ones, then those of installed distributions."""
    return [*BUILT_IN_APPS, *(name for name in _find_entry_points() if name not in BUILT_IN_APPS)]


@cache
def _find_entry_points() -> Mapping[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=ENTRY_POINT_GROUP)}


@cache
def _load_app_class(name: str) -> type[App] | None:
    entry = _find_entry_points().get(name)
    if entry is None:
        return None
    try:
        # The module of another distribution can raise anything when it is imported.
        loaded: object = entry.load()
    except Exception as failure:
        raise AppLoadFailed(name, _describe_distribution(entry), f"{type(failure).__name__}: {failure}") from failure
    if not (isinstance(loaded, type) and issubclass(loaded, App)):
        raise AppLoadFailed(name, _describe_distribution(entry), f"{entry.value} is not a subclass of App")
    return loaded


def _describe_distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an installed distribution"
