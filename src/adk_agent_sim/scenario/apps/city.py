"""Crime rates of a city by zip code, behind a limit of calls."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import JSON, App
from adk_agent_sim.scenario.apps.record import Record, keyed
from adk_agent_sim.scenario.apps.tool import APP, ENV, READ, WRITE, tool

_LOCK_SECONDS = 1800.0


class CrimeDataPoint(Record):
    """The crime rates of one zip code."""


class CityApp(App):
    """Crime rates of a city by zip code, behind a limit of calls."""

    state_keys = ("api_call_limit", "crime_data")

    def load(self, state: JSON) -> None:
        """Take over the rates; lookups are counted from here on."""
        super().load(state)
        self._limit: int = state.get("api_call_limit", 100)
        self._crime: dict[str, JSON] = dict(keyed(state, "crime_data"))
        self._calls = 0
        self._locked_at: float | None = None

    def recall(self, hidden: JSON) -> None:
        """Know the lookups again."""
        super().recall(hidden)
        self._calls, self._locked_at = hidden["calls"], hidden["locked_at"]

    def _held(self) -> JSON:
        return {"crime_data": dict(self._crime)}

    def _unstated(self) -> JSON:
        return {"calls": self._calls, "locked_at": self._locked_at}

    @tool(APP, operation=READ, returns="CrimeDataPoint")
    def get_crime_rate(self, zip_code: str) -> Any:
        """Look up the crime rates of a zip code. Each lookup counts towards the limit.

        Returns the rates of violent and of property crime. When the limit is reached, lookups are refused for
        30 minutes.

        Args:
            zip_code: The zip code.
        """
        self._unlock()
        if self._locked_at is None and self._calls >= self._limit:
            self._calls, self._locked_at = 0, self.world.now()
        if self._locked_at is not None:
            raise ValueError(
                f"Free version only supports {self._limit} API calls. "
                "Please try again after 30 minutes or upgrade to pro-version."
            )
        self._calls += 1
        return CrimeDataPoint(self._known(zip_code))

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_count(self) -> int:
        """Tell how many lookups were made.

        The count starts again when lookups were refused.
        """
        return self._calls

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_limit(self) -> int:
        """Tell how many lookups are allowed."""
        return self._limit

    @tool(ENV, operation=WRITE)
    def add_crime_rate(self, zip_code: str, violent_crime_rate: float, property_crime_rate: float) -> str:
        """Add the crime rates of a zip code.

        Args:
            zip_code: The zip code.
            violent_crime_rate: Violent crimes per 100,000 people.
            property_crime_rate: Property crimes per 100,000 people.
        """
        self._crime[zip_code] = {"violent_crime": violent_crime_rate, "property_crime": property_crime_rate}
        return "Added Successfully"

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
        known = self._known(zip_code)
        rates = {"violent_crime": new_violent_crime_rate, "property_crime": new_property_crime_rate}
        changes = {name: rate for name, rate in rates.items() if rate is not None}
        if not changes:
            raise ValueError("No update provided")
        self._crime[zip_code] = known | changes
        return "Updated Successfully"

    def _known(self, zip_code: str) -> JSON:
        if zip_code not in self._crime:
            raise ValueError("Zip code does not exist in our database")
        return self._crime[zip_code]

    def _unlock(self) -> None:
        if self._locked_at is not None and self.world.now() - self._locked_at >= _LOCK_SECONDS:
            self._locked_at = None
