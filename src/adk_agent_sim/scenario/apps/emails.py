"""The user's email, in folders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import (
    APP,
    DATA,
    ENV,
    JSON,
    MEDIUM,
    READ,
    WRITE,
    App,
    NotificationTemplate,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import NUMBER, TEXT, Fields, ListOf, MapOf, get_object, slice_page
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool
from adk_agent_sim.scenario.app_entities.mail import (
    EMAIL_SHAPE,
    FOLDER_NAME,
    Email,
    MailFolder,
    ReturnedEmails,
    find_reply_recipient,
    iterate_search_texts,
    parse_email_time,
    require_address,
    require_addresses,
)
from adk_agent_sim.scenario.files.file_system import read_attachment, save_attachment


class EmailClientApp(App):
    """The user's email, in folders."""

    state_keys = ("user_email", "view_limit", "folders")
    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "user_email": "user@example.com",
        "view_limit": 5,
        "folders": {name: {"folder_name": name, "emails": []} for name in FOLDER_NAME.values},
    }
    state_shape = Fields(
        {
            "user_email": TEXT,
            "view_limit": NUMBER,
            "folders": MapOf(Fields({"folder_name": TEXT, "emails": ListOf(EMAIL_SHAPE)})),
        }
    )

    def load(self, state: JSON) -> None:
        """Load the folders."""
        super().load(state)
        self._user_email: str = state.get("user_email", "user@example.com")
        folders: dict[str, JSON] = get_object(state, "folders")
        self._folders = {name: MailFolder(each) for name, each in folders.items()}
        for name in FOLDER_NAME.values:
            self._folders.setdefault(name, MailFolder({"folder_name": name, "emails": []}))

    def _mutable_state(self) -> JSON:
        # Folders that were added by `load` are written only if they have emails.
        loaded: JSON = get_object(self._loaded_state, "folders")
        folders = {name: folder for name, folder in self._folders.items() if len(folder) or name in loaded}
        return {"folders": {name: folder.to_state() for name, folder in folders.items()}}

    @tool(APP, operation=READ, return_type="ReturnedEmails")
    def list_emails(self, folder_name: str = "INBOX", offset: int = 0, limit: int = 10) -> Any:
        """List the mails of a folder, newest first, a page at a time.

        Returns the mails with id, sender, recipients, subject, text, attachments and time, the range shown and
        how many are in the folder. To see older mails, ask again with a larger offset.

        Args:
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        folder = self._get_folder(folder_name)
        if offset < 0:
            raise ValueError("Offset must be non-negative")
        if offset > len(folder):
            raise ValueError("Offset must be less than the number of emails")
        shown, places = slice_page(folder.list_newest_first(), offset, limit)
        return ReturnedEmails(
            emails=[Email(each) for each in shown],
            emails_range=places,
            total_returned_emails=places[1] - places[0] + 1,  # one too many, as in ARE
            total_emails=len(folder),
        )

    @tool(APP, operation=READ, return_type="Email")
    def get_email_by_id(self, email_id: str, folder_name: str = "INBOX") -> Any:
        """Read one mail. It counts as read from then on.

        Returns sender, recipients, subject and text; an error if the mail is not in that folder.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        folder = self._get_folder(folder_name)
        if email_id is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise ValueError("Must provide either email_id")
        return self._mark_read(folder, folder.require(email_id))

    @tool(APP, operation=READ, return_type="Email")
    def get_email_by_index(self, idx: int, folder_name: str = "INBOX") -> Any:
        """Read the mail at a place in its folder, 0 being the newest.

        The mail counts as read from then on.

        Args:
            idx: The place in the list, from 0.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        folder = self._get_folder(folder_name)
        # ARE compares with `>` as well, so the index after the last email raises Python's IndexError below.
        if idx > len(folder):
            raise ValueError(f"Email with index {idx} does not exist")
        return self._mark_read(folder, folder.list_newest_first()[idx])

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

        Returns the id of the mail, which is in SENT from then on.

        Args:
            recipients: The mail addresses it goes to.
            subject: The subject.
            content: The text.
            cc: The mail addresses that get a copy.
            attachment_paths: Paths of the files to attach.
        """
        mail = self._build_mail(self._user_email, recipients, subject, content, cc=cc)
        return self._add_mail("SENT", mail | {"attachments": self._read_attachments(attachment_paths)})

    @tool(APP, operation=WRITE)
    def forward_email(self, email_id: str, recipients: list[str] | None = None, folder_name: str = "INBOX") -> str:
        """Send a mail on to other people.

        The text is quoted and the attachments go along. Returns the id of the new mail.

        Args:
            email_id: The id of the mail.
            recipients: The mail addresses it goes to.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        mail = call_nested_tool(self, "get_email_by_id", email_id=email_id, folder_name=folder_name)
        quoted = "> " + mail["content"]
        subject = "FWD: " + mail["subject"]
        parent_id, attachments = mail["email_id"], mail["attachments"]
        forwarded = self._build_mail(
            self._user_email, recipients, subject, quoted, parent_id=parent_id, attachments=attachments
        )
        return self._add_mail("SENT", forwarded)

    @tool(APP, operation=WRITE)
    def download_attachments(
        self, email_id: str, folder_name: str = "INBOX", path_to_save: str = "Downloads/"
    ) -> list[str]:
        """Save the files attached to a mail.

        Returns the paths of the saved files. The folder must exist.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            path_to_save: The folder to save into.
        """
        mail = self._get_folder(folder_name).require(email_id)
        return [
            save_attachment(self, path_to_save, name, content)
            for name, content in get_object(mail, "attachments").items()
        ]

    @tool(APP, operation=WRITE)
    def reply_to_email(
        self, email_id: str, folder_name: str = "INBOX", content: str = "", attachment_paths: list[str] | None = None
    ) -> str:
        """Answer a mail.

        The answer goes to who wrote the mail, under the subject with `Re: ` in front. Returns the id of the
        answer.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
            content: The text.
            attachment_paths: Paths of the files to attach.
        """
        mail = self._get_folder(folder_name).require(email_id)
        recipient = find_reply_recipient(mail, self._user_email, self._folders.values())
        return self._add_mail("SENT", self._build_reply(mail, self._user_email, [recipient], content, attachment_paths))

    @tool(APP, operation=WRITE)
    def move_email(self, email_id: str, source_folder_name: str = "INBOX", dest_folder_name: str = "DRAFT") -> str:
        """Move a mail from one folder to another.

        Returns the id of the mail, which stays the same.

        Args:
            email_id: The id of the mail.
            source_folder_name: The folder it is in.
            dest_folder_name: The folder it goes to.
        """
        source, target = self._get_folder(source_folder_name), self._get_folder(dest_folder_name)
        source.require(email_id)
        target.add(source.remove(email_id))
        return email_id

    @tool(APP, operation=WRITE)
    def delete_email(self, email_id: str, folder_name: str = "INBOX") -> str:
        """Delete a mail; it goes to the trash.

        Returns the id of the mail, which stays the same.

        Args:
            email_id: The id of the mail.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        folder = self._get_folder(folder_name)
        folder.require(email_id)
        self._get_folder("TRASH").add(folder.remove(email_id))
        return email_id

    @tool(APP, operation=READ, return_type="list[Email]")
    def search_emails(self, query: str, folder_name: str = "INBOX") -> Any:
        """Find mails of a folder by words in sender, recipients, subject or text.

        Returns the mails in which one of them contains the query, in upper or lower case, newest first.

        Args:
            query: What to look for.
            folder_name: The folder: INBOX, SENT, DRAFT or TRASH.
        """
        wanted = query.lower()
        return [
            Email(each)
            for each in self._get_folder(folder_name).list_newest_first()
            if any(wanted in text.lower() for text in iterate_search_texts(each))
        ]

    @tool(
        ENV,
        operation=WRITE,
        notification=NotificationTemplate(MEDIUM, "New email received from {sender}"),
        type_checked=False,
    )
    def send_email_to_user_only(self, sender: str, subject: str = "", content: str = "") -> str:
        """Let a mail to the user arrive.

        Args:
            sender: The mail address it comes from.
            subject: The subject.
            content: The text.
        """
        return self._add_mail("INBOX", self._build_mail(sender, [self._user_email], subject, content))

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "New email received"))
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
        mail = self._get_folder("SENT").require(email_id)
        if sender not in mail["recipients"]:
            raise ValueError(
                f"Sender {sender} is not a recipient of the email, the recipients are {mail['recipients']}"
            )
        return self._add_mail("INBOX", self._build_reply(mail, sender, [self._user_email], content, attachment_paths))

    @tool(
        ENV,
        operation=WRITE,
        notification=NotificationTemplate(MEDIUM, "New email received from {sender}"),
        type_checked=False,
    )
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
        mail = self._build_mail(sender, recipients, subject, content)
        return self._add_mail(FOLDER_NAME.parse_exact(folder_name), mail)

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
        sent_at = self.context.now() if email_time == "" else parse_email_time(email_time)
        mail = self._build_mail(sender, recipients, subject, content) | {"timestamp": sent_at, "is_read": True}
        return self._add_mail(FOLDER_NAME.parse_exact(folder_name), mail)

    def _get_folder(self, name: str) -> MailFolder:
        return self._folders[name.upper()]

    def _add_mail(self, folder_name: str, mail: JSON) -> str:
        self._folders[folder_name].add(mail)
        return mail["email_id"]

    def _mark_read(self, folder: MailFolder, mail: JSON) -> Email:
        if not mail.get("is_read"):
            mail = mail | {"is_read": True}
            folder.replace(mail)
        return Email(mail)

    def _build_mail(
        self,
        sender: str,
        recipients: list[str] | None,
        subject: str,
        content: str,
        *,
        parent_id: str | None = None,
        cc: list[str] | None = None,
        attachments: JSON | None = None,
    ) -> JSON:
        """Return a new email with the current time, after checking the addresses."""
        return {
            "sender": require_address(sender),
            "recipients": require_addresses(recipients),
            "subject": subject,
            "content": content,
            "email_id": self.random.new_id(),
            "parent_id": parent_id,
            "cc": require_addresses(cc),
            "attachments": attachments or {},
            "timestamp": self.context.now(),
            "is_read": False,
        }

    def _build_reply(
        self, mail: JSON, sender: str, recipients: list[str], content: str, attachment_paths: list[str] | None
    ) -> JSON:
        reply = self._build_mail(
            sender, recipients, "Re: " + Email(mail)["subject"], content, parent_id=mail["email_id"]
        )
        return reply | {"attachments": self._read_attachments(attachment_paths)}

    def _read_attachments(self, paths: list[str] | None) -> JSON:
        return dict(read_attachment(self, path, f"File does not exist: {path}") for path in paths or [])


class EmailClientV2(EmailClientApp):
    """The email app of Gaia2, with the same tools."""


class Mail(EmailClientApp):
    """The same app under its short name."""
