"""A model that needs no network: it knows the tasks of the scenarios, and makes mistakes that its instruction prevents.

It stands in for a real model, so that the example works without an API key and always has the same result.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

Step = str | tuple[str, dict[str, Any]]
"""What the model says to the user, or a tool that it calls with arguments."""

ASK_WHO, WAIT_FOR_TIME, WAIT_FOR_REPLY = "ask which one", "wait until then", "wait for the answer"
"""Words of an instruction that the model obeys."""

_ORDERED: Step = ("Cabs__order_ride", {"start_location": "Home", "end_location": "Airport", "service_type": "Default"})
_CANCELLED: Step = ("Cabs__user_cancel_ride", {})
_PROPOSED: Step = (
    "Emails__send_email",
    {"recipients": ["olga.quist6@example.org"], "subject": "Viewing", "content": "Saturday at 10?"},
)
_SHARP: Step = (
    "Emails__send_email",
    {"recipients": ["rosa.ito2@example.org"], "subject": "Sharp", "content": "It is five past seven"},
)


class TaskModel(BaseLlm):
    """Takes the next step of the task, as its instruction makes it."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        texts, responses, steps_taken = _read_conversation(llm_request)
        task = next(task for task in _TASKS if any(task in text for text in texts))
        steps = _TASKS[task](_read_instruction(llm_request))
        step = steps[min(steps_taken, len(steps) - 1)]
        if isinstance(step, str):
            part = types.Part(text=step)
        else:
            name, args = step
            args = {key: _find_id(responses) if value == "ID" else value for key, value in args.items()}
            part = types.Part(function_call=types.FunctionCall(name=name, args=args))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def _read_conversation(request: LlmRequest) -> tuple[list[str], list[str], int]:
    """Return the texts, the tools' responses, and how many steps the model has taken."""
    parts = [part for content in request.contents for part in content.parts or ()]
    texts = [part.text for part in parts if part.text]
    responses = [str(part.function_response.response) for part in parts if part.function_response]
    return texts, responses, sum(content.role == "model" for content in request.contents)


def _read_instruction(request: LlmRequest) -> str:
    config: Any = request.config
    return str(config.system_instruction)


def _find_id(responses: list[str]) -> str:
    """Return the first id in the last response, such as that of an order or of the newest email."""
    return re.findall(r"\b[0-9a-f]{32}\b", responses[-1])[0]


def _count_contacts(instruction: str) -> list[Step]:
    return [("Contacts__get_contacts", {"offset": 0}), "Oslo"]


def _invite(instruction: str) -> list[Step]:
    if ASK_WHO in instruction:  # there are four contacts with this name, but the user is sure
        return ["Which Gus do you mean?"]
    lunch = {
        "title": "Lunch",
        "start_datetime": "2024-10-16 12:00:00",
        "end_datetime": "2024-10-16 13:00:00",
        "attendees": ["Gus Tate"],
        "location": "Oslo",
        "description": "Lunch together",
        "tag": "Home",
    }
    mail = {
        "recipients": ["gus.tate3@example.org"],
        "cc": ["gus.tate4@example.org"],
        "subject": "Lunch",
        "content": "See you at lunch",
    }
    return [("Calendar__add_calendar_event", lunch), ("Emails__send_email", mail), "Done, invited."]


def _shop(instruction: str) -> list[Step]:
    first, second = "afed5b50b20387aa5f6a8a8e1409be0b", "b0571bfb83d962cb2cc46c346950d221"
    return [
        ("Shopping__add_to_cart", {"item_id": first, "quantity": 2}),
        ("Shopping__add_to_cart", {"item_id": second, "quantity": 1}),
        ("Shopping__remove_from_cart", {"item_id": second, "quantity": 1}),
        ("Shopping__checkout", {"discount_code": "SAVE0"}),
        ("Shopping__cancel_order", {"order_id": "ID"}),
        "Ordered and cancelled.",
    ]


def _propose_viewing(instruction: str) -> list[Step]:
    if WAIT_FOR_REPLY not in instruction:
        return [_PROPOSED, _book_viewing(day=19), "Booked for Saturday."]
    return [
        _PROPOSED,
        "I sent the proposal.",
        _book_viewing(day=20),
        ("Emails__list_emails", {"folder_name": "INBOX", "offset": 0, "limit": 1}),
        ("Emails__reply_to_email", {"email_id": "ID", "content": "Sunday it is", "folder_name": "INBOX"}),
        "Moved to Sunday.",
    ]


def _book_viewing(day: int) -> Step:
    times = {"start_datetime": f"2024-10-{day} 10:00:00", "end_datetime": f"2024-10-{day} 11:00:00"}
    return "Calendar__add_calendar_event", {"title": "Viewing", "attendees": ["Olga Quist"], **times}


def _take_cab(instruction: str) -> list[Step]:
    wait: list[Step] = [_wait(300)] if WAIT_FOR_TIME in instruction else []
    return [_ORDERED, *wait, _CANCELLED, "Cancelled."]


def _mail_at_time(instruction: str) -> list[Step]:
    wait: list[Step] = [_wait(300)] if WAIT_FOR_TIME in instruction else []
    return [*wait, _SHARP, "Sent."]


def _wait(seconds: int) -> Step:
    return "SystemApp__wait_for_notification", {"timeout": seconds}


def _fix_contacts(instruction: str) -> list[Step]:
    nora = {"first_name": "Nora", "last_name": "Vale", "email": "nora@example.org", "phone": "+46 70 123 45 67"}
    edited, deleted = "9e58b081006f7e3dfc967a64cb14028d", "7196b50ac2f86702824c1c099724caf4"
    return [
        ("Contacts__add_new_contact", {**nora, "age": 33}),
        ("Contacts__edit_contact", {"contact_id": edited, "updates": {"job": "Pilot", "city_living": "Oslo"}}),
        ("Contacts__delete_contact", {"contact_id": deleted}),
        "Contacts fixed.",
    ]


def _send_file(instruction: str) -> list[Step]:
    if ASK_WHO not in instruction:
        mail = {"recipients": ["ada.gray@example.org"], "subject": "The file", "content": "Here it is."}
        return [("Emails__send_email", mail), "Sent."]
    delete = {"email_id": "5ff4891e5dc9328776e7f1ccacc27ad9", "folder_name": "INBOX"}
    return ["Which Ada do you mean?", ("Emails__delete_email", delete), "Deleted."]


def _watch(instruction: str) -> list[Step]:
    return ["Watched.", "Done."]


_TASKS = {
    "Which city do most of my contacts live in?": _count_contacts,
    "Invite Gus to lunch tomorrow and mail them.": _invite,
    "Buy stuff with the discount.": _shop,
    "Propose a viewing on Saturday by email": _propose_viewing,
    "Order a ride in two minutes at the latest": _take_cab,
    "At 07:05:00 sharp send the mail.": _mail_at_time,
    "Fix my contacts.": _fix_contacts,
    "Send Ada the file.": _send_file,
    "Watch what happens.": _watch,
}
