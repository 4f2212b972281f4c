"""The one table of statuses."""

import inspect

import pytest
from grpc import StatusCode

from adk_agent_sim import errors
from adk_agent_sim.server.statuses import STATUSES, status_of


def test_an_error_is_told_as_its_own_class_or_the_nearest_above():
    assert status_of(errors.TurnNotFound("s", "t")) == (StatusCode.NOT_FOUND, 404)
    assert status_of(errors.ToolNotOffered("add", [])) == STATUSES[errors.DecisionDoubtful]
    assert status_of(errors.StoreTooNew("db", 3, 2)) == STATUSES[errors.StoreFailed]


def test_an_error_that_is_not_ours_is_internal():
    assert status_of(KeyError("x")) == (StatusCode.INTERNAL, 500)


@pytest.mark.parametrize("kind", [kind for kind in STATUSES if kind is not errors.SimulatorError])
def test_every_row_is_an_error_of_ours(kind: type[Exception]):
    assert issubclass(kind, errors.SimulatorError)
    assert kind in dict(inspect.getmembers(errors, inspect.isclass)).values()
