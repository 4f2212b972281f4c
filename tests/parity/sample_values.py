"""Values from which the arguments of generated calls are chosen."""

from __future__ import annotations

from typing import Any

STATE_KEYS: dict[str, tuple[str, ...]] = {
    "user_id": ("participant_ids",),
    "user_ids": ("participant_ids",),
    "sender_id": ("participant_ids",),
    "participant": ("participants",),
    "recipients": ("email", "sender", "user_email"),
    "sender": ("email", "recipients", "user_email"),
    "cc": ("email",),
    "folder": ("folder_name",),
    "source_folder_name": ("folder_name",),
    "dest_folder_name": ("folder_name",),
    "city": ("city_living",),
    "query": ("first_name", "title", "name", "content", "subject", "attendees", "participant_ids"),
    "start_location": ("address", "location"),
    "end_location": ("address", "location"),
    "user_name": ("current_user_name", "$names"),
    "product_name": ("name",),
    "who_add": ("first_name", "attendees"),
    "who_delete": ("attendees",),
    "zip_code": ("$zip_codes",),
    "discount_code": ("$codes",),
    "location": ("location",),
}
"""The state keys with values for an argument, if they are named differently."""

CHOICES: dict[str, list[Any]] = {
    "folder_name": ["INBOX", "SENT", "DRAFT", "TRASH", "inbox", "Sent", "Spam"],
    "service_type": ["Default", "Premium", "Van", "default", "Bus"],
    "status": ["shipped", "delivered", "DELAYED", "IN_PROGRESS", "ARRIVED_AT_PICKUP", "BOOKED", "Student", "x"],
    "gender": ["Male", "Female", "male", "Gender.MALE", "x"],
    "who_cancel": ["driver", "user", "nobody"],
    "order_status": ["processed", "shipped", "x"],
    "mode": ["r", "rb", "w", "wb", "a", "ab", "x", "xb", "r+", "w+b", "rw", "", "t", "rt", "wt", "tb", "bb", "z", "rr"],
    "on_error": ["raise", "omit", "return", "x"],
    "max_lines": [1, 0, None, -1, 20],
    "timeout": [0, 1, -1],
    "user_name": ["a", "e", " t ", "ad", "x" * 90],
    "compression": [None, "gzip", "x"],
    "query": ["a", "r", "@", "Re", "[", "(a", "a+", "^G", "e.*e", "\\d", ""],
    "updates": [
        {}, {"job": "Pilot"}, {"age": 0}, {"age": 101}, {"age": "5"}, {"age": 30.0}, {"age": True}, {"gender": "male"},
        {"gender": "Male"},
        {"gender": "x"}, {"status": "Student"}, {"status": None}, {"nope": 1}, {"first_name": 5}, {"first_name": ""},
        {"job": 5, "age": 200}, {"job": "x", "nope": 1}, {"phone": 5}, {"email": None}, {"contact_id": "x"},
        {"is_user": True}, {"is_user": "x"}, {"last_name": None}, {"__class__": 1}, {"summary": 1},
        {"phone": "12", "gender": 5},
        {"gender": "Gender.FEMALE"}, {"status": "Status.EMPLOYED"}, {"status": "employed"}, {"city_living": ["x"]},
    ],
    "options": [{}, {"color": "red"}, {"a": [1]}],
    "$discounts": [{}, {"X": 5.0}, {"SAVE0": 0.0}, {"X": 5}, {"X": "a"}, {"A": 150.0, "B": -1.5}],
}  # fmt: skip
"""Interesting values of an argument, beyond those in the state."""

ALL_CHOICES: dict[str, list[Any]] = {
    "due_datetime": [
        "2024-10-15 07:00:00", "2024-10-15 07:01:00", "2024-10-15 07:30:00", "2024-10-15 12:00:00",
        "2024-10-31 00:00:00", "2026-03-20 00:00:00", "2030-01-01 00:00:00", "9999-12-31 23:59:59",
        "0001-01-01 00:00:00", "2024-10-15", "soon", "",
    ],
    "repetition_unit": ["second", "minute", "hour", "day", "week", "month", "year", "", "Month"],
    "repetition_value": [1, 1, 2, 5, 12, 40, 0, -1, -5, 10**6, None, True, 1.5],
}  # fmt: skip
"""The values of arguments for which others make no sense: with a huge number of months, the package counts for ever."""

PATHS = [
    "", "/", ".", "..", "a.txt", "/a.txt", "./a.txt", "d", "d/", "d/e", "/d/e/f.txt", "../x", "d/../a.txt", "d/../../x",
    "~", "~/a", "~user", "~other/a", "a.log", "Documents", "Documents/report.md", "Documents/old", "Documents/old/x",
    "Documents/page.html", "Documents/budget.csv", "empty.txt", "Downloads/", "Pictures/sunset.png", "config.json",
    "config.json/x", "a\0b", "x" * 256, "x" * 255, "ü", "é/ö.txt", "a b", "*", "d*", "a?", "[a]", "//a.txt", "d//e",
    "Documents/../Documents", "Documents/old/..", "a.txt/..", "\n", " ", "a/" * 120, "C:\\x", "file:///a", "d/.",
    "d/./e",
]  # fmt: skip
"""Paths of all kinds: existing, missing, outside the root, overlong, with special characters."""

TEXTS = [
    "", "Oslo", "lunch", "ü", "É", " ", "  lunch ", "a@example.org", "b@c", "@", "a b@c d", "x@y.z@w", "no-address",
    "2024-10-16 12:00:00", "2024-10-15 06:00:00", "2024-10-15 06:00:00.5", "2024-10-15", "1-1-1 1:1:1",
    "9999-12-31 23:59:59",
    "0001-01-01 00:00:00", "2024-02-30 00:00:00", " 2024-10-16 12:00:00", "Default", "INBOX", "5", "-1", "None", "null",
    "{{x}}", "a\0b",
    "x" * 300, "line\nline", "😀", "<b>x</b>", "'", '"', "\\", "%s", "{0}", "{x}", "+46 123", "12ab", "ß", "İ",
]  # fmt: skip
"""Texts that are valid for some argument, and texts that are for none."""

PLAIN: dict[str, list[Any]] = {
    "str": TEXTS,
    "int": [0, 1, 2, 5, 10, 100, -1, -5, 10**20, True, 101],
    "float": [0.0, 1.5, 100.0, -2.0, 1e308, 5, True, 0.1],
    "bool": [True, False],
    "dict": [{}, {"job": "Pilot"}, {"a": 1}],
    "list": [[], ["Oslo"], ["a@example.org", "b@example.org"], ["a@b", "c"], ["x", "x"], [""]],
}
"""Values by type."""

WRONG = [5, "5", None, [], ["x"], {}, {"a": "b"}, 2.5, True, [1], [None], "", [["x"]], -1, {"1": 2}]
"""Values of other types than most arguments have."""
