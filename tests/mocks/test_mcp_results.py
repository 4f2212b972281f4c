"""Results of MCP tools, wrapped and unwrapped."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.mocks.tool_results import unwrap_result, wrap_mcp_result


@pytest.mark.parametrize("has_output_schema", [True, False])
@pytest.mark.parametrize("value", [{"id": 7, "name": "Zoë"}, [1, 2], "plain text: no JSON"])
def test_a_wrapped_value_is_unwrapped(value: Any, has_output_schema: bool) -> None:
    wrapped = wrap_mcp_result(value, has_output_schema=has_output_schema)

    assert wrapped["isError"] is False
    if isinstance(value, str) and not has_output_schema:
        assert unwrap_result(wrapped) == wrapped
    else:
        assert unwrap_result({**wrapped, "resultType": "complete"}) == value


def test_what_is_no_mcp_result_is_left_alone_and_plain_values_lose_their_wrapping() -> None:
    assert unwrap_result({"result": [1]}) == [1]
    assert unwrap_result({"result": 1, "total": 2}) == {"result": 1, "total": 2}
    assert unwrap_result("text") == "text"
