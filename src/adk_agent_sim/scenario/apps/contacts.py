"""The user's address book."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, READ, WRITE, tool


class ContactsApp(App):
    """The user's address book."""

    state_keys = ("contacts", "view_limit")

    @tool(APP, DATA, operation=READ)
    def get_contacts(self, offset: int = 0) -> dict[str, Any]:
        """List contacts, a page at a time.

        Args:
            offset: How many to pass over first.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="Contact")
    def get_contact(self, contact_id: str) -> Any:
        """Look at one contact.

        Args:
            contact_id: The id of the contact.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="Contact")
    def get_current_user_details(self) -> Any:
        """Look at the user's own entry."""
        raise NotImplementedError

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
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE)
    def edit_contact(self, contact_id: str, updates: dict[str, Any]) -> str | None:
        """Change fields of a contact.

        Args:
            contact_id: The id of the contact.
            updates: The fields to change, each with its new value.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE)
    def delete_contact(self, contact_id: str) -> str:
        """Take a contact out of the address book.

        Args:
            contact_id: The id of the contact.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[Contact]")
    def search_contacts(self, query: str) -> Any:
        """Find contacts by part of a name, phone number or address.

        Args:
            query: What to look for.
        """
        raise NotImplementedError


class Contacts(ContactsApp):
    """The same address book under its short name."""


class InternalContacts(ContactsApp):
    """The same address book, for people of one company."""
