"""Results of the ARE package seen in `make are-parity`, beyond the corpus."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scenario_corpus import load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, World

ME, GUS = "94d92d6ed2de3b5cb41eec89663bbc0b", "632a1654afbd862d71259488e65cf81b"
PAIR = "77b9c6635acf071080970328507eca1b"
NO_DATE = "time data '' does not match format '%Y-%m-%d %H:%M:%S'"


@pytest.fixture
def world() -> World:
    file = json.dumps(load_scenarios()["scenario_synth_s01_search"])
    return World(JsonScenarioImporter().import_from_json(json_str=file)[0])


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("Chats__read_conversation", {"conversation_id": PAIR, "max_date": ""}, NO_DATE),
        (
            "Chats__read_conversation",
            {"conversation_id": PAIR, "offset": -1, "min_date": "x"},
            "Offset must be positive",
        ),
        ("Chats__read_conversation", {"conversation_id": PAIR, "offset": 1000, "min_date": ""}, NO_DATE),
        ("Chats__regex_search", {"query": "zzz", "min_date": ""}, NO_DATE),
        (
            "Chats__list_recent_conversations",
            {"offset": -1, "limit": 6},
            "Limit must be smaller than the view limit of 5",
        ),
        (
            "Chats__list_conversations_by_participant",
            {"user_id": GUS, "offset": 100},
            "Offset is larger than the number",
        ),
        ("Messages__send_message", {"user_id": "Oslo"}, "User Oslo is not a valid phone number"),
        ("Messages__send_message", {"user_id": "12", "attachment_path": ""}, "Is a directory"),
        ("Shopping__remove_from_cart", {"item_id": "x", "quantity": -1}, "Quantity cannot be negative"),
        ("Emails__move_email", {"email_id": "x", "dest_folder_name": "Oslo"}, "'OSLO'"),
        ("Emails__send_email", {"recipients": ["Oslo"], "attachment_paths": ["x"]}, "Invalid email address: Oslo"),
        ("Contacts__edit_contact", {"contact_id": "x", "updates": 5}, "must be of type dict[str, typing.Any], got"),
        (
            "Contacts__add_new_contact",
            {"first_name": "A", "last_name": "B", "status": "", "age": 0},
            "'' is not a valid",
        ),
        ("Files__mv", {"path1": "", "path2": "d"}, "Cannot move a directory '<FSROOT>' into itself '<FSROOT>/d'."),
        ("Files__open", {"path": "x", "mode": "rw"}, "must have exactly one of create/read/write/append mode"),
        ("Files__open", {"path": "x", "mode": "t"}, "and at most one plus"),
        ("Files__open", {"path": "x", "mode": "tb"}, "can't have text and binary mode at once"),
        (
            "Contacts__add_new_contact",
            {"first_name": "Gus", "last_name": "Tate"},
            "Contact already exists with contact id - bebb2737f6a6f0fb23c6f5da2cec2554.",
        ),
    ],
)
def test_the_first_problem_is_reported(world: World, tool: str, arguments: dict[str, Any], message: str) -> None:
    app, _, function = tool.partition("__")
    assert message in str(world.try_call(app, function, arguments).error)


@pytest.mark.parametrize("function", ["search", "regex_search"])
def test_conversations_are_found_by_the_ids_of_their_people(world: World, function: str) -> None:
    assert world.call("Chats", function, {"query": "cb2aac"}) == ["d61717b8467b81b80eabed869a99455b"]


def test_a_date_that_is_none_does_not_matter_where_the_title_is_enough(world: World) -> None:
    assert PAIR in world.call("Chats", "search", {"query": "", "min_date": "never"})


@pytest.mark.parametrize("user_id", ["12ab", "a1", "cb2aac543c63b09d2d6d41d5ce05124f"])
def test_anything_with_a_digit_is_a_phone_number(world: World, user_id: str) -> None:
    world.call("Messages", "send_message", {"user_id": user_id, "content": "x"})


def test_a_title_names_the_people_that_are_known(world: World) -> None:
    def title() -> str:
        return world.call("Chats", "read_conversation", {"conversation_id": PAIR})["metadata"]["conversation_title"]

    titles = [title()]
    for user_id in ("+46670660838", GUS):
        world.call("Chats", "add_participant_to_conversation", {"conversation_id": PAIR, "user_id": user_id})
        titles.append(title())
    assert titles == ["Zane Lund", "Zane Lund", "Gus Park, Zane Lund"]


def test_a_conversation_is_never_without_a_title(world: World) -> None:
    for user_ids, given, expected in (([ME, ME], None, ME), ([GUS, ME], "", f"{ME}, {GUS}")):
        made = world.call("Chats", "create_group_conversation", {"user_ids": user_ids, "title": given})
        assert world.state()["Chats"]["conversations"][made]["title"] == expected


def test_a_message_counts_as_read_when_it_was_read_first(world: World) -> None:
    world.call("AgentUserInterface", "send_message_to_agent", {"content": "Hi"}, via="user")
    for time in (4, 9):
        world.set_time(time)
        assert world.call("AgentUserInterface", "get_last_message_from_user")["time_read"] == 1728975604
    assert world.call("AgentUserInterface", "get_all_messages")[0]["time_read"] == 1728975609


@pytest.mark.parametrize(("path", "head"), [("", "/"), (".", "."), ("/", "/"), ("./", "/"), ("d", "d"), ("d/", "/")])
def test_a_tree_is_headed_by_the_last_part_of_its_path(world: World, path: str, head: str) -> None:
    world.call("Files", "mkdir", {"path": "d/f"})
    assert world.call("Files", "tree", {"path": path}).splitlines()[0] == head


def test_the_root_moved_to_itself_stays(world: World) -> None:
    world.call("Files", "mv", {"path1": "", "path2": "/"})


@pytest.mark.parametrize("path", ["", "/", "."])
def test_the_root_of_a_file_system_cannot_be_removed(world: World, path: str) -> None:
    for function, arguments in (("rmdir", {}), ("rm", {"recursive": True})):
        world.try_call("Files", function, {"path": path, **arguments})
    world.call("Files", "mkdir", {"path": "still/there"})


def test_who_writes_to_himself_starts_a_conversation_each_time(world: World) -> None:
    made = {world.call("Chats", "send_message", {"user_id": ME, "content": text}) for text in "ab"}
    assert len(made) == 2


def test_a_conversation_whose_title_was_taken_away_is_listed_by_its_people(world: World) -> None:
    world.call("Chats", "change_conversation_title", {"conversation_id": PAIR, "title": ""})
    listed = world.call("Chats", "list_conversations_by_participant", {"user_id": "360eb5910dacdeefa6e157d2cb922657"})
    assert next(each["title"] for each in listed if each["conversation_id"] == PAIR).startswith(f"{ME}, ")
    assert world.state()["Chats"]["conversations"][PAIR]["title"] == ""
