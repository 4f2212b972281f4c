"""The one table of statuses."""

import inspect

import pytest
from grpc import StatusCode

from adk_agent_sim import errors
from adk_agent_sim.server.error_status import ERROR_STATUSES, get_error_status


def test_an_error_is_told_as_its_own_class_or_the_nearest_above():
    assert get_error_status(errors.TurnNotFound("s", "t")) == (StatusCode.NOT_FOUND, 404)
    assert get_error_status(errors.ToolNotOffered("add", [])) == ERROR_STATUSES[errors.DecisionMismatch]
    assert get_error_status(errors.StoreTooNew("db", 3, 2)) == ERROR_STATUSES[errors.StoreFailed]


def test_an_error_that_is_not_ours_is_internal():
    assert get_error_status(KeyError("x")) == (StatusCode.INTERNAL, 500)


@pytest.mark.parametrize("kind", [kind for kind in ERROR_STATUSES if kind is not errors.SimulatorError])
def test_every_row_is_an_error_of_ours(kind: type[Exception]):
    assert issubclass(kind, errors.SimulatorError)
    assert kind in dict(inspect.getmembers(errors, inspect.isclass)).values()
