"""The prepared data of the contracts, which is recorded once."""

from __future__ import annotations

import asyncio

import pytest
from use_cases.contract import Place, prepare_data


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Two recorded sessions of an agent in a folder."""
    return asyncio.run(prepare_data(tmp_path_factory.mktemp("prepared")))
