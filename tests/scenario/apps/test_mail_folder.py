"""Mail folders list the newest email first."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.scenario.app_entities.mail import MailFolder

_TIMES = st.lists(st.sampled_from([None, 0, 1, 2, 3]), max_size=6)


def _build_mails(prefix: str, times: list[int | None]) -> list[dict[str, Any]]:
    return [{"email_id": f"{prefix}{number}", "timestamp": time} for number, time in enumerate(times)]


def _list_ids(folder: MailFolder) -> list[str]:
    return [mail["email_id"] for mail in folder.list_newest_first()]


@given(_TIMES, _TIMES)
def test_mails_of_one_time_stay_in_the_order_in_which_they_came(
    loaded: list[int | None], added: list[int | None]
) -> None:
    mails, more = _build_mails("loaded", loaded), _build_mails("added", added)
    folder = MailFolder({"emails": mails})
    assert folder.list_newest_first() == mails
    for mail in more:
        folder.add(mail)
    expected = sorted([*mails, *more], key=lambda mail: mail["timestamp"] or 0, reverse=True) if more else mails
    assert folder.list_newest_first() == expected == folder.to_state().get("emails", [])


def test_an_id_that_a_folder_has_twice_means_the_first() -> None:
    first, second = {"email_id": "a", "subject": "first"}, {"email_id": "a", "subject": "second"}
    folder = MailFolder({"emails": [first, {"email_id": "b"}, second]})
    assert folder.get("a") == first
    folder.replace({"email_id": "a", "subject": "changed"})
    assert folder.require("a")["subject"] == "changed"
    assert folder.remove("a")["subject"] == "changed"
    assert _list_ids(folder) == ["b", "a"]
    assert folder.get("a") == second
