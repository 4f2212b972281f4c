"""The user's address book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, DATA, JSON, READ, WRITE, App, tool
from adk_agent_sim.scenario.app_base.entity import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Choice,
    Entity,
    Fields,
    MapOf,
    get_object,
    slice_page,
)

GENDER = Choice("Gender", "Male", "Female", "Other", "Unknown")
STATUS = Choice("Status", "Student", "Employed", "Unemployed", "Retired", "Unknown")

_MIN_AGE, _MAX_AGE = 1, 100


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
        lines = {
            "Contact ID": self["contact_id"],
            "First Name": self["first_name"],
            "Last Name": self["last_name"],
            "Gender": GENDER.format_qualified(self["gender"]),
            "Age": self["age"],
            "Nationality": self["nationality"],
            "City Living": self["city_living"],
            "Country": self["country"],
            "Status": STATUS.format_qualified(self["status"]),
            "Job": self["job"],
            "Description": self["description"],
            "Phone": self["phone"],
            "Email": self["email"],
            "Is User": self["is_user"],
            "Address": self["address"],
        }
        # The margin stays where a field has several lines, as in ARE.
        margin = "\n        "
        return dedent("".join(f"{margin}{name}: {value}" for name, value in lines.items()) + margin)


class ContactsApp(App):
    """The user's address book."""

    state_keys = ("contacts", "view_limit")
    empty_state: ClassVar[Mapping[str, Any] | None] = {"contacts": {}, "view_limit": 10}
    state_shape = Fields(
        {
            "view_limit": NUMBER,
            "contacts": MapOf(
                Fields(
                    {**dict.fromkeys(Contact.fields, TEXT), "is_user": BOOLEAN, "age": NUMBER},
                    required=("first_name", "last_name"),
                )
            ),
        }
    )

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
        full_name = _get_full_name({"first_name": first_name, "last_name": last_name})
        self._check_name_is_new(full_name)
        chosen_gender = GENDER.parse_exact("Unknown" if gender is None else gender)
        chosen_status = STATUS.parse_exact("Unknown" if status is None else status)
        contact: JSON = {
            "first_name": first_name, "last_name": last_name, "contact_id": "", "is_user": False,
            "gender": chosen_gender, "age": age, "nationality": nationality, "city_living": city_living,
            "country": country, "status": chosen_status, "job": job, "description": description, "phone": phone,
            "email": email, "address": address,
        }  # fmt: skip
        contact = self._validate(contact)
        self._contacts[contact["contact_id"]] = contact
        self._index_by_name()[full_name] = contact["contact_id"]
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
        before = self._get_contact(contact_id)
        # Before the changes, because some of them stay even if the call fails.
        self._ids_by_name = None
        for name, value in updates.items():
            if name not in Contact.fields:
                raise AttributeError(f"{name} is not a valid attribute of Contact.")
            self._contacts[contact_id] = self._contacts[contact_id] | {name: value}
        # Checked only when all fields are set, so fields before an unknown one keep whatever they were given.
        try:
            self._contacts[contact_id] = self._validate(self._contacts[contact_id])
        except (TypeError, ValueError):
            self._contacts[contact_id] = before
            raise
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
            if any(wanted in text.lower() for text in _iterate_contact_texts(each))
        ]

    def _index_by_name(self) -> dict[str, str]:
        """Return the id of the last contact with each full name, in lower case."""
        if self._ids_by_name is None:
            self._ids_by_name = {
                _get_full_name(each): each.get("contact_id", key) for key, each in self._contacts.items()
            }
        return self._ids_by_name

    def _check_name_is_new(self, full_name: str) -> None:
        contact_id = self._index_by_name().get(full_name.lower())
        if contact_id is not None:
            raise ValueError(f"Contact already exists with contact id - {contact_id}.")

    def _validate(self, contact: JSON) -> JSON:
        """Return a contact with an id and the listed spelling of its gender and status.

        Raises:
            TypeError: The age is not a number, or the id is not a text.
            ValueError: A name is missing, or a field does not allow its value.
        """
        stated = Contact(contact)
        for name in ("first_name", "last_name"):
            if stated[name] is None:
                raise ValueError(f"Invalid {name.replace('_', ' ')}.")
        known_id = stated["contact_id"]
        contact_id = self.random.new_id() if known_id is None or len(known_id) == 0 else known_id
        gender = GENDER.parse_lenient(stated["gender"])
        age = stated["age"]
        if age is not None and not _MIN_AGE <= age <= _MAX_AGE:
            raise ValueError("Invalid age.", age)  # two arguments, as in ARE: agents see the tuple
        return contact | {
            "contact_id": contact_id,
            "gender": gender,
            "status": STATUS.parse_lenient(stated["status"]),
        }

    def _get_contact(self, contact_id: str) -> JSON:
        if contact_id not in self._contacts:
            raise KeyError("Contact does not exist.")
        return self._contacts[contact_id]


class Contacts(ContactsApp):
    """The same app under its short name."""


class InternalContacts(ContactsApp):
    """The same app, for people of one company."""


def _get_full_name(contact: JSON) -> str:
    return f"{contact['first_name'].lower()} {contact['last_name'].lower()}"


def _iterate_contact_texts(contact: JSON) -> Iterator[str]:
    """Yield the texts that a search looks at, one by one: a field that is no text matters only if it is reached."""
    first, last = contact["first_name"], contact["last_name"]
    yield from (first, last)
    yield from (contact[key] for key in ("phone", "email") if contact.get(key) is not None)
    yield f"{first} {last}"
    yield f"{last} {first}"
