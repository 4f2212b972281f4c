"""Crime rates of a city by zip code, behind a limit of calls."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, ENV, READ, WRITE, tool


class CityApp(App):
    """Crime rates of a city by zip code, behind a limit of calls."""

    state_keys = ("api_call_limit", "crime_data")

    @tool(APP, operation=READ, returns="CrimeDataPoint")
    def get_crime_rate(self, zip_code: str) -> Any:
        """Look up the crime rates of a zip code. Each lookup counts towards the limit.

        Args:
            zip_code: The zip code.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_count(self) -> int:
        """Tell how many lookups were made."""
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_limit(self) -> int:
        """Tell how many lookups are allowed."""
        raise NotImplementedError

    @tool(ENV, operation=WRITE)
    def add_crime_rate(self, zip_code: str, violent_crime_rate: float, property_crime_rate: float) -> str:
        """Add the crime rates of a zip code.

        Args:
            zip_code: The zip code.
            violent_crime_rate: Violent crimes per 100,000 people.
            property_crime_rate: Property crimes per 100,000 people.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE)
    def update_crime_rate(
        self, zip_code: str, new_violent_crime_rate: float | None = None, new_property_crime_rate: float | None = None
    ) -> str:
        """Change the crime rates of a zip code.

        Args:
            zip_code: The zip code.
            new_violent_crime_rate: The new rate of violent crimes; unchanged if left out.
            new_property_crime_rate: The new rate of property crimes; unchanged if left out.
        """
        raise NotImplementedError
