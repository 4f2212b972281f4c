"""A check says whether a scenario is solvable, not trivially passed and deterministic, and if not, why."""

from __future__ import annotations

import itertools
from typing import Any, cast

import pytest
from world_builders import build_reply_event, build_world_event, build_world_scenario

from adk_agent_sim.scenario.app_base.app import APP, READ, App, tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS
from adk_agent_sim.scenario.players.checked_scenario import RUN_COUNT, CheckStatus, check_scenario

USER = build_world_event("u", "USER", delay=0)
SOUND = (USER, build_world_event("a", after=("u",)), build_reply_event("r", "a"))


def test_a_sound_scenario_is_ok() -> None:
    done: list[tuple[int, int]] = []

    def show_progress(run: int, total: int) -> None:
        done.append((run, total))

    result = check_scenario(build_world_scenario(*SOUND), seed=5, progress=show_progress)

    assert result.status is CheckStatus.OK
    assert done == [(number, RUN_COUNT) for number in range(1, RUN_COUNT + 1)]
    value = result.model_dump(mode="json")
    assert (value["status"], value["seed"], value["solvable"]["holds"]) == ("ok", 5, True)
    assert [each["player"] for each in value["runs"]] == ["oracle", "nothing", "random"]


def test_an_event_that_needs_a_turn_to_have_ended_makes_it_unsolvable() -> None:
    # The oracle's own run is clean: only in a run with an agent the mail has no id before its turn has ended.
    reply = build_world_event(
        "e", "ENV", ("a",), "Emails__reply_to_email_from_user", sender="a@example.org", email_id="{{a}}", content="x"
    )
    result = check_scenario(build_world_scenario(*SOUND[:2], reply, build_reply_event("r", "e")))

    assert result.status is CheckStatus.NOT_SOLVABLE
    assert "The event 'e' failed: UnresolvedReference" in result.solvable.reason
    assert "`adksim scenario run --player oracle`" in result.solvable.next_step
    assert result.deterministic.holds


def test_a_scenario_whose_oracle_fails_is_unsolvable_and_the_rest_is_unknown() -> None:
    wrong = build_world_event("a", "AGENT", ("u",), "Emails__delete_email", email_id="none")
    result = check_scenario(build_world_scenario(USER, wrong))

    assert result.status is CheckStatus.NOT_SOLVABLE
    assert "event 'a' (Emails__delete_email)" in result.solvable.reason
    assert result.solvable.next_step == "Correct the event; `adksim scenario run --oracle` shows all problems."
    assert (result.not_trivial.holds, result.deterministic.holds) == (None, None)


def test_a_scenario_that_expects_only_reads_is_passed_by_doing_nothing() -> None:
    read = build_world_event("a", "AGENT", ("u",), "Emails__list_emails", folder_name="INBOX")
    result = check_scenario(build_world_scenario(USER, read))

    assert result.status is CheckStatus.TRIVIAL
    assert result.not_trivial.reason == "An agent that does nothing passes."
    assert result.not_trivial.next_step.startswith("Expect an action")


def test_a_scenario_without_texts_to_compare_says_so() -> None:
    scenario = build_world_scenario(USER, build_reply_event("r", "u"))

    assert "any answer passes" in check_scenario(scenario).notes[0]
    assert check_scenario(scenario, soft=lambda check: False).notes == ()
    assert check_scenario(build_world_scenario(*SOUND)).notes == ()


_NUMBERS = itertools.count()


class LotteryApp(App):
    """An app that draws numbers of its own."""

    state_keys = ()

    @tool(APP, operation=READ, type_checked=False)
    def draw(self) -> int:
        """Draw a number."""
        return next(_NUMBERS)


def test_an_app_with_numbers_of_its_own_is_not_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, type[App]]", BUILT_IN_APPS), "LotteryApp", LotteryApp)
    draw = build_world_event("d", "AGENT", ("u",), "LotteryApp__draw")
    result = check_scenario(build_world_scenario(USER, draw, *SOUND[1:]))

    assert result.status is CheckStatus.NOT_DETERMINISTIC
    where = "trace['completed_events'][3]['metadata']['return_value']"
    reason = f"Two runs of the player oracle with the same seed differ, first at {where}."
    assert result.deterministic.reason == reason
    assert "self.random" in result.deterministic.next_step


_VALIDATION: dict[str, Any] = build_world_event("v", "USER") | {
    "class_name": "ValidationEvent",
    "event_type": "VALIDATION",
    "action": None,
}


@pytest.mark.parametrize(
    ("events", "problem"),
    [([USER], "it expects nothing of the agent"), ([*SOUND, _VALIDATION], "milestones or minefields")],
)
def test_what_cannot_be_judged_is_a_result(events: list[dict[str, Any]], problem: str) -> None:
    result = check_scenario(build_world_scenario(*events))

    assert result.status is CheckStatus.NOT_JUDGEABLE
    assert problem in result.problem
    assert result.model_dump(mode="json")["solvable"]["holds"] is None


class _FastClock:
    """A clock by which every look takes a second."""

    def __init__(self) -> None:
        self._seconds = itertools.count()

    def now(self) -> float:
        return float(next(self._seconds))

    monotonic = now


def test_a_check_that_takes_too_long_is_given_up() -> None:
    result = check_scenario(build_world_scenario(*SOUND), max_wall_seconds=4, clock=_FastClock())

    assert result.status is CheckStatus.NOT_JUDGEABLE
    assert result.problem == "The check took longer than 4 s. Run `adksim scenario check` without a limit."
    assert check_scenario(build_world_scenario(*SOUND), max_wall_seconds=1_000, clock=_FastClock()).status == "ok"
