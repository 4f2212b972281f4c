"""Apartments for rent, and those that the user has saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, DATA, ENV, HIGH, JSON, READ, WRITE, App, NotificationTemplate, tool
from adk_agent_sim.scenario.app_base.entity import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Entity,
    Fields,
    ListOf,
    MapOf,
    get_list,
    get_object,
)


class Apartment(Entity):
    """An apartment for rent."""

    fields = (
        "name", "location", "zip_code", "price", "bedrooms", "bathrooms", "property_type", "square_footage",
        "furnished_status", "floor_level", "pet_policy", "lease_term", "apartment_id", "amenities", "saved",
    )  # fmt: skip
    defaults: ClassVar[Mapping[str, Any]] = {
        "property_type": "", "furnished_status": "", "floor_level": "", "pet_policy": "", "lease_term": "",
        "amenities": [], "saved": False,
    }  # fmt: skip


APARTMENT_SHAPE = Fields(
    {
        **dict.fromkeys(Apartment.fields, TEXT), "price": NUMBER, "bedrooms": NUMBER, "bathrooms": NUMBER,
        "square_footage": NUMBER, "amenities": ListOf(TEXT), "saved": BOOLEAN,
    },
    required=("name", "location", "price", "bedrooms", "bathrooms", "square_footage"),
)  # fmt: skip


class ApartmentListingApp(App):
    """Apartments for rent, and those that the user has saved."""

    state_keys = ("apartments", "saved_apartments")
    empty_state: ClassVar[Mapping[str, Any] | None] = {"apartments": {}, "saved_apartments": []}
    state_shape = Fields({"apartments": MapOf(APARTMENT_SHAPE), "saved_apartments": ListOf(TEXT)})

    def load(self, state: JSON) -> None:
        """Load the apartments."""
        super().load(state)
        self._apartments: dict[str, JSON] = dict(get_object(state, "apartments"))
        self._saved_ids: list[str] = list(get_list(state, "saved_apartments"))

    def _mutable_state(self) -> JSON:
        return {"apartments": dict(self._apartments), "saved_apartments": list(self._saved_ids)}

    @tool(APP, DATA, operation=READ, type_checked=False)
    def list_all_apartments(self) -> dict[str, Any]:
        """List every flat on offer.

        Returns the flats by id, each with name, place, zip code, rent, rooms, area in square feet, terms and
        amenities. The list can be long: search_apartments finds faster.
        """
        return {flat_id: Apartment(each) for flat_id, each in self._apartments.items()}

    @tool(APP, DATA, operation=READ, return_type="Apartment")
    def get_apartment_details(self, apartment_id: str) -> Any:
        """Look at one flat.

        Returns name, place, zip code, rent, rooms, area in square feet, terms, amenities, and whether the user
        has saved it.

        Args:
            apartment_id: The id of the flat.
        """
        return Apartment(self._get_apartment(apartment_id))

    @tool(APP, DATA, operation=WRITE, success_text="Successfully saved apartment")
    def save_apartment(self, apartment_id: str) -> None:
        """Put a flat on the user's list of saved flats.

        Saving it again changes nothing.

        Args:
            apartment_id: The id of the flat.
        """
        self._get_apartment(apartment_id)
        if apartment_id not in self._saved_ids:
            self._saved_ids.append(apartment_id)
            self._set_saved(apartment_id, saved=True)

    @tool(APP, DATA, operation=WRITE, success_text="Successfully removed apartment from favorites")
    def remove_saved_apartment(self, apartment_id: str) -> None:
        """Take a flat off the user's list of saved flats.

        It is an error if the flat is not on that list.

        Args:
            apartment_id: The id of the flat.
        """
        if apartment_id not in self._saved_ids:
            raise ValueError("Apartment not in saved list")
        self._saved_ids.remove(apartment_id)
        self._set_saved(apartment_id, saved=False)

    @tool(APP, DATA, operation=READ, return_type="dict[str, Apartment]", type_checked=False)
    def list_saved_apartments(self) -> Any:
        """List the flats that the user has saved.

        Returns the saved flats by id, with all their details.
        """
        return {flat_id: Apartment(self._apartments[flat_id]) for flat_id in self._saved_ids}

    @tool(APP, DATA, operation=READ, return_type="dict[str, Apartment]")
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

        Returns the flats that were found by id, with all their details. Names and places are found by a part of them,
        in upper or lower case; rents and area are bounds; everything else must be equal, the floor level also in case.

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
        flats = self.list_saved_apartments() if saved_only else self.list_all_apartments()
        texts = {
            "name": name, "location": location, "property_type": property_type, "furnished_status": furnished_status,
            "pet_policy": pet_policy, "lease_term": lease_term,
        }  # fmt: skip
        # A value that is no text is an error also if there is no flat to compare it with.
        wanted: JSON = {key: each.lower() if each else None for key, each in texts.items()} | {
            "amenities": {each.lower() for each in amenities or []},
            "zip_code": zip_code, "bedrooms": number_of_bedrooms, "bathrooms": number_of_bathrooms,
            "floor_level": floor_level, "min_price": min_price, "max_price": max_price, "min_area": square_footage,
        }  # fmt: skip
        return {flat_id: flat for flat_id, flat in flats.items() if _meets_conditions(flat, wanted)}

    @tool(
        ENV, DATA, operation=WRITE, notification=NotificationTemplate(HIGH, "New apartment available with name {name}")
    )
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
        flat: JSON = {
            "name": name, "location": location, "zip_code": zip_code, "price": price, "bedrooms": number_of_bedrooms,
            "bathrooms": number_of_bathrooms, "property_type": property_type, "square_footage": square_footage,
            "furnished_status": furnished_status, "floor_level": floor_level, "pet_policy": pet_policy,
            "lease_term": lease_term, "apartment_id": self.random.new_id(), "amenities": list(amenities or []),
            "saved": False,
        }  # fmt: skip
        self._apartments[flat["apartment_id"]] = flat
        return flat["apartment_id"]

    @tool(ENV, DATA, operation=WRITE)
    def update_apartment(self, apartment_id: str, new_price: float) -> str:
        """Change the rent of a flat.

        Args:
            apartment_id: The id of the flat.
            new_price: The new price.
        """
        self._apartments[apartment_id] = self._get_apartment(apartment_id) | {"price": new_price}
        return apartment_id

    @tool(ENV, DATA, operation=WRITE)
    def delete_apartment(self, apartment_id: str) -> None:
        """Take a flat off the market.

        Args:
            apartment_id: The id of the flat.
        """
        if apartment_id not in self._apartments:
            raise ValueError("Apartment does not exist.")
        del self._apartments[apartment_id]

    def _get_apartment(self, apartment_id: str) -> JSON:
        if apartment_id not in self._apartments:
            raise ValueError("Apartment does not exist")
        return self._apartments[apartment_id]

    def _set_saved(self, apartment_id: str, *, saved: bool) -> None:
        self._apartments[apartment_id] = self._apartments[apartment_id] | {"saved": saved}


class RentAFlat(ApartmentListingApp):
    """The same app under the name that Gaia2 uses."""


def _meets_conditions(flat: JSON, wanted: JSON) -> bool:
    """Return whether a flat is one that a search looks for; terms that it does not state fit any search."""
    return (
        all(not wanted[key] or wanted[key] in flat[key].lower() for key in ("name", "location"))
        and all(not wanted[key] or flat[key] == wanted[key] for key in ("zip_code", "bedrooms", "bathrooms"))
        and all(
            not wanted[key] or not flat[key] or flat[key].lower() == wanted[key]
            for key in ("furnished_status", "pet_policy", "lease_term")
        )
        and (not wanted["property_type"] or flat["property_type"].lower() == wanted["property_type"])
        and (not wanted["floor_level"] or flat["floor_level"] == wanted["floor_level"])
        and (not wanted["min_price"] or flat["price"] >= wanted["min_price"])
        and (not wanted["max_price"] or flat["price"] <= wanted["max_price"])
        and (not wanted["min_area"] or flat["square_footage"] >= wanted["min_area"])
        and wanted["amenities"] <= {each.lower() for each in flat["amenities"]}
    )
