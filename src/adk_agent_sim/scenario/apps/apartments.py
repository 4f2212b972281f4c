"""Flats to rent, and those that the user has saved."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, HIGH, READ, WRITE, Notice, tool


class ApartmentListingApp(App):
    """Flats to rent, and those that the user has saved."""

    state_keys = ("apartments", "saved_apartments")

    @tool(APP, DATA, operation=READ, type_checked=False)
    def list_all_apartments(self) -> dict[str, Any]:
        """List every flat on offer."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="Apartment")
    def get_apartment_details(self, apartment_id: str) -> Any:
        """Look at one flat.

        Args:
            apartment_id: The id of the flat.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE)
    def save_apartment(self, apartment_id: str) -> None:
        """Put a flat on the user's list of saved flats.

        Args:
            apartment_id: The id of the flat.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE)
    def remove_saved_apartment(self, apartment_id: str) -> None:
        """Take a flat off the user's list of saved flats.

        Args:
            apartment_id: The id of the flat.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="dict[str, Apartment]", type_checked=False)
    def list_saved_apartments(self) -> Any:
        """List the flats that the user has saved."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="dict[str, Apartment]")
    def search_apartments(
        self,
        name: str | None = None,
        location: str | None = None,
        zip_code: str | None = None,
        min_price: int | float | None = None,
        max_price: int | float | None = None,
        number_of_bedrooms: int | None = None,
        number_of_bathrooms: int | None = None,
        property_type: str | None = None,
        square_footage: int | None = None,
        furnished_status: str | None = None,
        floor_level: str | None = None,
        pet_policy: str | None = None,
        lease_term: str | None = None,
        amenities: list[str] | None = None,
        saved_only: bool = False,
    ) -> Any:
        """Find the flats that meet every condition given; conditions left out are not checked.

        Args:
            name: A name, or part of one.
            location: Where it is.
            zip_code: The zip code.
            min_price: The lowest rent.
            max_price: The highest rent.
            number_of_bedrooms: How many bedrooms it has.
            number_of_bathrooms: How many bathrooms it has.
            property_type: What it is, such as Apartment or House.
            square_footage: The least area in square feet.
            furnished_status: How it is furnished.
            floor_level: On which floor it is.
            pet_policy: Whether pets are allowed.
            lease_term: For how long it is let.
            amenities: What comes with it, such as Pool.
            saved_only: Look at saved flats only.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(HIGH, "New apartment available with name {name}"))
    def add_new_apartment(
        self,
        name: str,
        location: str,
        zip_code: str,
        price: float,
        number_of_bedrooms: int,
        number_of_bathrooms: int,
        square_footage: int,
        property_type: str = "",
        furnished_status: str = "",
        floor_level: str = "",
        pet_policy: str = "",
        lease_term: str = "",
        amenities: list[str] | None = None,
    ) -> str:
        """Put a new flat on offer.

        Args:
            name: What the flat is called.
            location: Where it is.
            zip_code: The zip code.
            price: The rent.
            number_of_bedrooms: How many bedrooms it has.
            number_of_bathrooms: How many bathrooms it has.
            square_footage: Its area in square feet.
            property_type: What it is, such as Apartment or House.
            furnished_status: How it is furnished.
            floor_level: On which floor it is.
            pet_policy: Whether pets are allowed.
            lease_term: For how long it is let.
            amenities: What comes with it, such as Pool.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE)
    def update_apartment(self, apartment_id: str, new_price: float) -> str:
        """Change the rent of a flat.

        Args:
            apartment_id: The id of the flat.
            new_price: The new price.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE)
    def delete_apartment(self, apartment_id: str) -> None:
        """Take a flat off the market.

        Args:
            apartment_id: The id of the flat.
        """
        raise NotImplementedError


class RentAFlat(ApartmentListingApp):
    """The same app under the name Gaia2 gives it."""
