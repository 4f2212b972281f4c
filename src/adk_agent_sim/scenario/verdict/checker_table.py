"""Which arguments of which tools are compared, and how: the table that the reference uses for Gaia2's apps.

Tools are named by the class of their app, so two apps of one class cannot be told apart. Arguments that are not in the
table are not compared. A tool that is not in the table has no row: all its arguments are compared exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SOFT: Final = "soft"
"""The checker of texts that are compared by their meaning."""

MESSAGE_TO_USER: Final = "AgentUserInterface__send_message_to_user"

_MAIL, _TALK, _TALK_V2, _BOX = "EmailClientApp", "MessagingApp", "MessagingAppV2", "SandboxLocalFileSystem"

_ALIASES: Final = {
    "ApartmentListingApp": ("RentAFlat",),
    "CabApp": ("Cabs",),
    "CalendarApp": ("Calendar",),
    "ContactsApp": ("Contacts",),
    _MAIL: ("EmailClientV2", "Mail", "Emails"),
    _TALK_V2: ("Messages", "Chats"),
    _BOX: ("Files",),
    "ShoppingApp": ("Shopping",),
}
"""Classes whose tools are compared like those of another class."""

_ROWS: Final = {
    MESSAGE_TO_USER: "content=soft",
    "ApartmentListingApp__remove_saved_apartment": "apartment_id=equal",
    "ApartmentListingApp__save_apartment": "apartment_id=equal",
    "CabApp__order_ride": "service_type=equal ride_time=datetime start_location=soft end_location=soft",
    "CabApp__user_cancel_ride": "",
    "CalendarApp__add_calendar_event": (
        "attendees=attendees end_datetime=datetime start_datetime=datetime title=soft description=soft location=soft"
    ),
    "CalendarApp__delete_calendar_event": "event_id=equal",
    "ContactsApp__add_new_contact": "first_name=stripped last_name=stripped email=stripped phone=phone",
    "ContactsApp__delete_contact": "contact_id=equal",
    "ContactsApp__edit_contact": "contact_id=equal updates=soft",
    f"{_MAIL}__delete_email": "email_id=equal",
    f"{_MAIL}__download_attachments": "email_id=equal folder_name=equal path_to_save=path",
    f"{_MAIL}__forward_email": "email_id=equal recipients=unordered folder_name=equal",
    f"{_MAIL}__move_email": "email_id=equal source_folder_name=path dest_folder_name=path",
    f"{_MAIL}__reply_to_email": "email_id=equal attachment_paths=paths content=soft",
    f"{_MAIL}__send_email": "recipients=unordered cc=unordered attachment_paths=paths subject=soft content=soft",
    f"{_TALK}__add_participant_to_conversation": "conversation_id=equal participant=equal",
    f"{_TALK}__create_conversation": "participants=unordered",
    f"{_TALK}__remove_participant_from_conversation": "conversation_id=equal participant=equal",
    f"{_TALK}__send_message": "conversation_id=equal content=soft",
    f"{_TALK_V2}__add_participant_to_conversation": "conversation_id=equal user_id=equal",
    f"{_TALK_V2}__change_conversation_title": "conversation_id=equal title=soft",
    f"{_TALK_V2}__create_group_conversation": "user_ids=unordered title=soft",
    f"{_TALK_V2}__remove_participant_from_conversation": "conversation_id=equal user_id=equal",
    f"{_TALK_V2}__send_message": "user_id=equal attachment_path=path content=soft",
    f"{_TALK_V2}__send_message_to_group_conversation": "conversation_id=equal attachment_path=path content=soft",
    f"{_BOX}__mkdir": "path=path",
    f"{_BOX}__mv": "path1=path path2=path",
    f"{_BOX}__open": "path=path mode=equal",
    f"{_BOX}__rm": "path=path recursive=equal",
    f"{_BOX}__rmdir": "path=path",
    "ShoppingApp__add_to_cart": "item_id=equal quantity=equal",
    "ShoppingApp__cancel_order": "order_id=equal",
    "ShoppingApp__checkout": "discount_code=stripped",
    "ShoppingApp__remove_from_cart": "item_id=equal quantity=equal",
    "VirtualFileSystem__mkdir": "path=path create_recursive=equal",
    "VirtualFileSystem__mv": "path1=path path2=path",
    "VirtualFileSystem__open": "path=path mode=equal",
    "VirtualFileSystem__rm": "path=path recursive=equal",
    "VirtualFileSystem__rmdir": "path=path",
}

_SIGNED: Final = (
    f"{_MAIL}__send_email",
    f"{_MAIL}__reply_to_email",
    f"{_TALK}__send_message",
    f"{_TALK_V2}__send_message",
    f"{_TALK_V2}__send_message_to_group_conversation",
)


def _parse_row(row: str) -> dict[str, str]:
    return dict(cell.split("=", 1) for cell in row.split())


def _list_names(tool: str) -> list[str]:
    """Return a tool's name in its class and in the classes that are compared like it."""
    class_name, _, function = tool.partition("__")
    return [f"{each}__{function}" for each in (class_name, *_ALIASES.get(class_name, ()))]


CHECKERS_BY_TOOL: Final[Mapping[str, Mapping[str, str]]] = {
    name: _parse_row(row) for tool, row in _ROWS.items() for name in _list_names(tool)
}
"""The checker of each compared argument, by tool."""

SIGNED_TOOLS: Final = frozenset(name for tool in _SIGNED for name in _list_names(tool))
"""Tools that write to other people in the user's name, where a name that was never filled in is an error."""
