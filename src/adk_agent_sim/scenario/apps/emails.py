"""The user's mail, in folders."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, MEDIUM, READ, WRITE, Notice, tool


class EmailClientApp(App):
    """The user's mail, in folders."""

    state_keys = ("user_email", "view_limit", "folders")

    @tool(APP, operation=READ, returns="ReturnedEmails")
    def list_emails(self, folder_name: str = "INBOX", offset: int = 0, limit: int = 10) -> Any:
        """List the mails of a folder, newest first, a page at a time.

        Args:
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="Email")
    def get_email_by_id(self, email_id: str, folder_name: str = "INBOX") -> Any:
        """Read one mail. It counts as read from then on.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="Email")
    def get_email_by_index(self, idx: int, folder_name: str = "INBOX") -> Any:
        """Read the mail at a place in its folder, 0 being the newest.

        Args:
            idx: The place in the list, from 0.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def send_email(
        self,
        recipients: list[str] | None = None,
        subject: str = "",
        content: str = "",
        cc: list[str] | None = None,
        attachment_paths: list[str] | None = None,
    ) -> str:
        """Send a mail.

        Args:
            recipients: The mail addresses it goes to.
            subject: The subject.
            content: The text.
            cc: The mail addresses that get a copy.
            attachment_paths: Paths of the files to attach.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def forward_email(self, email_id: str, recipients: list[str] | None = None, folder_name: str = "INBOX") -> str:
        """Send a mail on to other people.

        Args:
            email_id: The id of the mail.
            recipients: The mail addresses it goes to.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def download_attachments(
        self, email_id: str, folder_name: str = "INBOX", path_to_save: str = "Downloads/"
    ) -> list[str]:
        """Save the files attached to a mail.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            path_to_save: The folder to save into.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def reply_to_email(
        self, email_id: str, folder_name: str = "INBOX", content: str = "", attachment_paths: list[str] | None = None
    ) -> str:
        """Answer a mail.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            content: The text.
            attachment_paths: Paths of the files to attach.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def move_email(self, email_id: str, source_folder_name: str = "INBOX", dest_folder_name: str = "DRAFT") -> str:
        """Move a mail from one folder to another.

        Args:
            email_id: The id of the mail.
            source_folder_name: The folder it is in.
            dest_folder_name: The folder it goes to.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE)
    def delete_email(self, email_id: str, folder_name: str = "INBOX") -> str:
        """Delete a mail; it goes to the trash.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[Email]")
    def search_emails(self, query: str, folder_name: str = "INBOX") -> Any:
        """Find mails of a folder by words in sender, recipients, subject or text.

        Args:
            query: What to look for.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "New email received from {sender}"), type_checked=False)
    def send_email_to_user_only(self, sender: str, subject: str = "", content: str = "") -> str:
        """Let a mail to the user arrive.

        Args:
            sender: The mail address it comes from.
            subject: The subject.
            content: The text.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "New email received"))
    def reply_to_email_from_user(
        self, sender: str, email_id: str, content: str = "", attachment_paths: list[str] | None = None
    ) -> str:
        """Let somebody's answer to a mail arrive.

        Args:
            sender: The mail address it comes from.
            email_id: The id of the mail.
            content: The text.
            attachment_paths: Paths of the files to attach.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "New email received from {sender}"), type_checked=False)
    def create_and_add_email(
        self,
        sender: str,
        recipients: list[str] | None = None,
        subject: str = "",
        content: str = "",
        folder_name: str = "INBOX",
    ) -> str:
        """Let a mail arrive in a folder.

        Args:
            sender: The mail address it comes from.
            recipients: The mail addresses it goes to.
            subject: The subject.
            content: The text.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError

    @tool(DATA, operation=WRITE, type_checked=False)
    def create_and_add_email_with_time(
        self,
        sender: str,
        recipients: list[str] | None = None,
        subject: str = "",
        content: str = "",
        email_time: str = "",
        folder_name: str = "INBOX",
    ) -> str:
        """Put a mail with a given time into a folder.

        Args:
            sender: The mail address it comes from.
            recipients: The mail addresses it goes to.
            subject: The subject.
            content: The text.
            email_time: When it was sent, as `YYYY-MM-DD HH:MM:SS`; the present if empty.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        raise NotImplementedError


class EmailClientV2(EmailClientApp):
    """The mail app of Gaia2; its tools are the same."""


class Mail(EmailClientApp):
    """The same mail under its short name."""
