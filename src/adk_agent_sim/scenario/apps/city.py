"""Crime rates of a city by zip code, with a limit on the number of lookups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, ENV, JSON, READ, WRITE, App, tool
from adk_agent_sim.scenario.app_base.entity import NUMBER, Entity, Fields, MapOf, get_object

_LOCK_SECONDS = 1800.0


class CrimeDataPoint(Entity):
    """The crime rates of one zip code."""


class CityApp(App):
    """Crime rates of a city by zip code, with a limit on the number of lookups."""

    state_keys = ("api_call_limit", "crime_data")
    empty_state: ClassVar[Mapping[str, Any] | None] = {"api_call_limit": 100, "crime_data": {}}
    state_shape = Fields(
        {
            "api_call_limit": NUMBER,
            "crime_data": MapOf(Fields({"violent_crime": NUMBER, "property_crime": NUMBER})),
        }
    )

    def load(self, state: JSON) -> None:
        """Load the crime rates. The count of lookups starts at 0."""
        super().load(state)
        self._call_limit: int = state.get("api_call_limit", 100)
        self._crime_rates: dict[str, JSON] = dict(get_object(state, "crime_data"))
        self._call_count = 0
        self._locked_at: float | None = None

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore the count of lookups and the lock."""
        super().restore_hidden_state(hidden_state)
        self._call_count, self._locked_at = hidden_state["calls"], hidden_state["locked_at"]

    def _mutable_state(self) -> JSON:
        return {"crime_data": dict(self._crime_rates)}

    def _extra_hidden_state(self) -> JSON:
        return {"calls": self._call_count, "locked_at": self._locked_at}

    @tool(APP, operation=READ, return_type="CrimeDataPoint")
    def get_crime_rate(self, zip_code: str) -> Any:
        """Look up the crime rates of a zip code. Each lookup counts towards the limit.

        Returns the rates of violent and of property crime. When the limit is reached, lookups are refused for
        30 minutes.

        Args:
            zip_code: The zip code.
        """
        self._unlock_if_expired()
        if self._locked_at is None and self._call_count >= self._call_limit:
            self._call_count, self._locked_at = 0, self.context.now()
        if self._locked_at is not None:
            raise ValueError(
                f"Free version only supports {self._call_limit} API calls. "
                "Please try again after 30 minutes or upgrade to pro-version."
            )
        self._call_count += 1
        return CrimeDataPoint(self._get_crime_rates(zip_code))

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_count(self) -> int:
        """Tell how many lookups were made.

        The count starts again when lookups were refused.
        """
        return self._call_count

    @tool(APP, operation=READ, type_checked=False)
    def get_api_call_limit(self) -> int:
        """Tell how many lookups are allowed."""
        return self._call_limit

    @tool(ENV, operation=WRITE)
    def add_crime_rate(self, zip_code: str, violent_crime_rate: float, property_crime_rate: float) -> str:
        """Add the crime rates of a zip code.

        Args:
            zip_code: The zip code.
            violent_crime_rate: Violent crimes per 100,000 people.
            property_crime_rate: Property crimes per 100,000 people.
        """
        self._crime_rates[zip_code] = {"violent_crime": violent_crime_rate, "property_crime": property_crime_rate}
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
        rates = {"violent_crime": new_violent_crime_rate, "property_crime": new_property_crime_rate}
        changes = {name: rate for name, rate in rates.items() if rate is not None}
        if not changes:
            raise ValueError("No update provided")
        self._crime_rates[zip_code] = self._get_crime_rates(zip_code) | changes
        return "Updated Successfully"

    def _get_crime_rates(self, zip_code: str) -> JSON:
        if zip_code not in self._crime_rates:
            raise ValueError("Zip code does not exist in our database")
        return self._crime_rates[zip_code]

    def _unlock_if_expired(self) -> None:
        if self._locked_at is not None and self.context.now() - self._locked_at >= _LOCK_SECONDS:
            self._locked_at = None
