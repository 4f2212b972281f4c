"""The table of error statuses."""

import inspect

import pytest
from grpc import StatusCode

from adk_agent_sim import errors
from adk_agent_sim.server.web.error_status import ERROR_STATUSES, get_error_status


def test_an_error_has_the_status_of_its_class_or_the_nearest_base_class():
    assert get_error_status(errors.TurnNotFound("s", "t")) == (StatusCode.NOT_FOUND, 404)
    assert get_error_status(errors.ToolNotOffered("add", [])) == ERROR_STATUSES[errors.DecisionMismatch]
    assert get_error_status(errors.StoreTooNew("db", 3, 2)) == ERROR_STATUSES[errors.StoreFailed]


def test_an_error_that_is_not_ours_is_internal():
    assert get_error_status(KeyError("x")) == (StatusCode.INTERNAL, 500)


@pytest.mark.parametrize("kind", [kind for kind in ERROR_STATUSES if kind is not errors.SimulatorError])
def test_every_row_is_one_of_our_errors(kind: type[Exception]):
    assert issubclass(kind, errors.SimulatorError)
    assert kind in dict(inspect.getmembers(errors, inspect.isclass)).values()
