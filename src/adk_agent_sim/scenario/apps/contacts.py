"""The user's address book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import JSON, App
from adk_agent_sim.scenario.app_base.entity import Entity, get_object
from adk_agent_sim.scenario.app_base.paging import slice_page
from adk_agent_sim.scenario.app_base.tool import APP, DATA, READ, WRITE, tool
from adk_agent_sim.scenario.app_entities.choice import Choice

GENDER = Choice("Gender", "Male", "Female", "Other", "Unknown")
STATUS = Choice("Status", "Student", "Employed", "Unemployed", "Retired", "Unknown")

_VALID_AGES = range(1, 101)


class Contact(Entity):
    """A person in the address book."""

    fields = (
        "first_name", "last_name", "contact_id", "is_user", "gender", "age", "nationality", "city_living", "country",
        "status", "job", "description", "phone", "email", "address",
    )  # fmt: skip
    enums: ClassVar[Mapping[str, str]] = {"gender": "Gender", "status": "Status"}
    defaults: ClassVar[Mapping[str, Any]] = {
        **dict.fromkeys(fields),
        "is_user": False,
        "gender": "Unknown",
        "status": "Unknown",
    }

    def __str__(self) -> str:
        return (
            f"\nContact ID: {self['contact_id']}\nFirst Name: {self['first_name']}\nLast Name: {self['last_name']}"
            f"\nGender: {GENDER.format_qualified(self['gender'])}\nAge: {self['age']}"
            f"\nNationality: {self['nationality']}"
            f"\nCity Living: {self['city_living']}\nCountry: {self['country']}"
            f"\nStatus: {STATUS.format_qualified(self['status'])}"
            f"\nJob: {self['job']}\nDescription: {self['description']}\nPhone: {self['phone']}\nEmail: {self['email']}"
            f"\nIs User: {self['is_user']}\nAddress: {self['address']}\n"
        )


class ContactsApp(App):
    """The user's address book."""

    state_keys = ("contacts", "view_limit")

    def load(self, state: JSON) -> None:
        """Load the contacts."""
        super().load(state)
        self._view_limit: int = state.get("view_limit", 10)
        self._contacts: dict[str, JSON] = dict(get_object(state, "contacts"))
        self._ids_by_name: dict[str, str] | None = None

    def _mutable_state(self) -> JSON:
        return {"contacts": dict(self._contacts)}

    @tool(APP, DATA, operation=READ)
    def get_contacts(self, offset: int = 0) -> dict[str, Any]:
        """List contacts, a page at a time.

        Returns ten contacts at a time, with the range shown and how many there are in all. To find a person,
        search_contacts is faster.

        Args:
            offset: How many to pass over first.
        """
        found, places = slice_page(list(self._contacts.values()), offset, self._view_limit)
        return {
            "contacts": [Contact(each) for each in found],
            "metadata": {"range": places, "total": len(self._contacts)},
        }

    @tool(APP, DATA, operation=READ, return_type="Contact")
    def get_contact(self, contact_id: str) -> Any:
        """Look at one contact.

        Returns name, gender, age, nationality, city, country, status, job, description, phone number, mail
        address and postal address.

        Args:
            contact_id: The id of the contact.
        """
        if contact_id not in self._contacts:
            raise KeyError(f"Contact {contact_id} does not exist.")
        return Contact(self._contacts[contact_id])

    @tool(APP, DATA, operation=READ, return_type="Contact")
    def get_current_user_details(self) -> Any:
        """Look at the user's own entry.

        Returns the same fields as get_contact; use it for the user's own name, phone number and addresses.
        """
        for each in self._contacts.values():
            if each.get("is_user"):
                return Contact(each)
        raise KeyError("User Contact does not exist.")

    @tool(APP, DATA, operation=WRITE)
    def add_new_contact(
        self,
        first_name: str,
        last_name: str,
        gender: str | None = None,
        age: int | None = None,
        nationality: str | None = None,
        city_living: str | None = None,
        country: str | None = None,
        status: str | None = None,
        job: str | None = None,
        description: str | None = None,
        phone: str | None = None,
        email: str | None = None,
        address: str | None = None,
    ) -> str:
        """Add a person to the address book.

        Returns the id of the new contact. It is an error if somebody of the same name is there already.

        Args:
            first_name: The first name.
            last_name: The last name.
            gender: Male, Female, Other or Unknown.
            age: The age in years.
            nationality: The nationality.
            city_living: The city the person lives in.
            country: The country the person lives in.
            status: Student, Employed, Unemployed, Retired or Unknown.
            job: What the person does for a living.
            description: Anything else about the person.
            phone: The phone number.
            email: The mail address.
            address: The postal address.
        """
        known = self._index_by_name()
        full_name = f"{first_name} {last_name}".lower()
        if full_name in known:
            raise ValueError(f"Contact already exists with contact id - {known[full_name]}.")
        chosen_gender = GENDER.parse_exact("Unknown" if gender is None else gender)
        chosen_status = STATUS.parse_exact("Unknown" if status is None else status)
        contact: JSON = {
            "first_name": _validate_field("first_name", first_name),
            "last_name": _validate_field("last_name", last_name),
            "contact_id": "",
            "is_user": False,
            "gender": chosen_gender,
            "age": _validate_field("age", age),
            "nationality": nationality,
            "city_living": city_living,
            "country": country,
            "status": chosen_status,
            "job": job,
            "description": description,
            "phone": phone,
            "email": email,
            "address": address,
        }
        contact["contact_id"] = self.random.new_id()
        self._contacts[contact["contact_id"]] = contact
        known[full_name] = contact["contact_id"]
        return contact["contact_id"]

    @tool(APP, DATA, operation=WRITE)
    def edit_contact(self, contact_id: str, updates: dict[str, Any]) -> str | None:
        """Change fields of a contact.

        The fields are those that get_contact shows, such as phone, email, city_living or job. Fields before a
        wrong one are changed all the same.

        Args:
            contact_id: The id of the contact.
            updates: The fields to change, each with its new value.
        """
        self._get_contact(contact_id)
        self._ids_by_name = None
        for name, value in updates.items():
            if name not in Contact.fields:
                raise AttributeError(f"{name} is not a valid attribute of Contact.")
            self._contacts[contact_id] = self._contacts[contact_id] | {name: _validate_field(name, value)}
        return f"Contact {contact_id} updated successfully."

    @tool(APP, DATA, operation=WRITE)
    def delete_contact(self, contact_id: str) -> str:
        """Take a contact out of the address book.

        Args:
            contact_id: The id of the contact.
        """
        self._get_contact(contact_id)
        del self._contacts[contact_id]
        self._ids_by_name = None
        return f"Contact {contact_id} successfully deleted."

    @tool(APP, operation=READ, return_type="list[Contact]")
    def search_contacts(self, query: str) -> Any:
        """Find contacts by part of a name, phone number or address.

        Returns every contact whose full name, in either order, phone number or mail address contains the query,
        in upper or lower case.

        Args:
            query: What to look for.
        """
        wanted = query.lower()
        return [
            Contact(each)
            for each in self._contacts.values()
            if any(wanted in text for text in _collect_contact_texts(each))
        ]

    def _index_by_name(self) -> dict[str, str]:
        """Return the id of the last contact with each full name, in lower case."""
        if self._ids_by_name is None:
            self._ids_by_name = {
                f"{each['first_name']} {each['last_name']}".lower(): contact_id
                for contact_id, each in self._contacts.items()
            }
        return self._ids_by_name

    def _get_contact(self, contact_id: str) -> JSON:
        if contact_id not in self._contacts:
            raise KeyError("Contact does not exist.")
        return self._contacts[contact_id]


class Contacts(ContactsApp):
    """The same app under its short name."""


class InternalContacts(ContactsApp):
    """The same app, for people of one company."""


def _collect_contact_texts(contact: JSON) -> list[str]:
    first, last = str(contact["first_name"]).lower(), str(contact["last_name"]).lower()
    return [f"{first} {last}", f"{last} {first}", *(str(contact.get(key) or "").lower() for key in ("phone", "email"))]


def _validate_field(name: str, value: Any) -> Any:
    """Return the value that a field takes when it is set to a given value.

    Raises:
        ValueError: The field does not allow the value.
    """
    if name in {"first_name", "last_name"} and not isinstance(value, str):
        raise ValueError(f"Invalid {name.replace('_', ' ')}.")
    if name == "age" and value is not None and value not in _VALID_AGES:
        raise ValueError("Invalid age.", value)  # two arguments, as in ARE: agents see the tuple
    choice = {"gender": GENDER, "status": STATUS}.get(name)
    return choice.parse_lenient(value) if choice else value
