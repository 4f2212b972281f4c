"""Where a server listens and under which addresses it is reached; refuses what would be open without encryption."""

from __future__ import annotations

import os
import socket
import ssl
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from adk_agent_sim.errors import ExposureRefused, InsecureFile
from adk_agent_sim.link.server_entry import format_address, is_loopback, is_wildcard


@dataclass(frozen=True, kw_only=True)
class TlsFiles:
    """The certificate of a server, with those of its authorities, and the private key; as PEM files."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """Check that the files can be used.

        A symbolic link is accepted, unlike for our own files: tools that renew certificates use them.

        Raises:
            InsecureFile: Every user of the machine can read the key, or it belongs to another user.
            ExposureRefused: The files are not a certificate and its key.
        """
        try:
            status = self.key.stat()
            # A group may read the key: servers often share one that way, such as Debian's group ssl-cert.
            if os.name == "posix" and status.st_mode & (stat.S_IRWXO | stat.S_IWGRP):
                mode = f"{stat.S_IMODE(status.st_mode):04o}"
                raise InsecureFile(
                    self.key, f"other users may read or change it (mode {mode})", f"Run: chmod 600 {self.key}"
                )
            if os.name == "posix" and status.st_uid not in (os.geteuid(), 0):
                raise InsecureFile(self.key, "it belongs to another user", "Use a key of your own.")
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
        except OSError as error:
            raise ExposureRefused(
                f"{self.certificate} and {self.key} are not a certificate and its private key as PEM files "
                f"({error.strerror or error}). Check --tls-cert and --tls-key."
            ) from None

    def read_fingerprint(self) -> str:
        """Return the SHA-256 hash of the server's certificate, by which programs of the same user recognize it."""
        pem = self.certificate.read_text(encoding="ascii")
        # The certificates of the authorities may follow in the same file.
        first = pem[: pem.index(ssl.PEM_FOOTER) + len(ssl.PEM_FOOTER)]
        return sha256(ssl.PEM_cert_to_DER_cert(first[first.index(ssl.PEM_HEADER) :])).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """The address that the web server and the gRPC server listen on, and how connections are encrypted."""

    host: str = "127.0.0.1"
    allow_hosts: Sequence[str] = ()
    """Other names of the web server, `name:port`, such as those of a forwarded port or a proxy."""
    tls: TlsFiles | None = None
    behind_tls_proxy: bool = False
    """Whether a proxy on the way to other machines encrypts."""
    allow_unauthenticated: bool = False
    """Whether gRPC calls need no token."""

    def check(self) -> None:
        """Refuse an address that other machines can reach without encryption or without a token.

        Raises:
            ExposureRefused: It is one.
            InsecureFile: The private key is not private.
        """
        if self.tls is not None:
            self.tls.check()
        if self.is_local:
            return
        if self.allow_unauthenticated:
            raise ExposureRefused(
                f"Other machines can reach {self.host!r}, so a token is required: leave out --allow-unauthenticated, "
                "or use --host 127.0.0.1."
            )
        if self.tls is None and not self.behind_tls_proxy:
            raise ExposureRefused(
                f"Other machines can reach {self.host!r}, but nothing would encrypt the tokens. Add --tls-cert and "
                "--tls-key, or --behind-tls-proxy if a proxy encrypts, or use --host 127.0.0.1."
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)

    @property
    def bound_host(self) -> str:
        """The address to bind."""
        return self.host or "0.0.0.0"  # noqa: S104 - what an empty address means to a socket

    def list_web_hosts(self, port: int) -> list[str]:
        """Return the Host headers of the web server; browsers omit the default port of the scheme."""
        names = ["127.0.0.1", "localhost", "::1", *([_get_machine_name()] if is_wildcard(self.host) else [self.host])]
        hosts = [*(format_address(name, port) for name in names), *self.allow_hosts]
        lowered = [host.lower() for host in hosts]
        defaults = (":443",) if self.tls else (":80", ":443") if self.behind_tls_proxy else (":80",)
        return list(dict.fromkeys([*lowered, *(host.removesuffix(end) for host in lowered for end in defaults)]))

    def build_web_url(self, port: int) -> str:
        """Return the address that people open, without a path."""
        if self.behind_tls_proxy and self.allow_hosts:
            return f"https://{self.allow_hosts[0]}"
        scheme = "https" if self.tls else "http"
        if is_wildcard(self.host) and self.allow_hosts:
            return f"{scheme}://{self.allow_hosts[0]}"
        if is_wildcard(self.host):
            # A certificate has the name of the machine; without one, other machines come through the proxy.
            return f"{scheme}://{format_address(_get_machine_name() if self.tls else '127.0.0.1', port)}"
        return f"{scheme}://{format_address(self.host, port)}"

    def build_local_url(self, port: int) -> str:
        """Return an address of the web server for programs on this machine."""
        host = "127.0.0.1" if is_wildcard(self.host) else self.host
        return f"{'https' if self.tls else 'http'}://{format_address(host, port)}"

    def build_grpc_url(self, port: int) -> str:
        """Return the address that agents connect to."""
        name = _get_machine_name() if is_wildcard(self.host) else self.host
        if self.tls:
            names = [host.rpartition(":")[0] or host for host in self.allow_hosts] if is_wildcard(self.host) else []
            return f"https://{format_address(next(iter(names), name), port)}"
        return format_address("127.0.0.1" if is_wildcard(self.host) else name, port)

    def list_grpc_addresses(self, port: int) -> list[str]:
        """Return `host:port` of each name or address under which agents reach the server."""
        names = [self.bound_host, *([_get_machine_name()] if is_wildcard(self.host) else [])]
        return [format_address(name, port) for name in names]


def build_exposure(
    host: str,
    allow_hosts: Sequence[str],
    tls_cert: str | Path | None,
    tls_key: str | Path | None,
    *,
    behind_tls_proxy: bool,
    allow_unauthenticated: bool = False,
) -> Exposure:
    """Build an exposure from options; raises ExposureRefused if only one of the two files is given."""
    if bool(tls_cert) != bool(tls_key):
        raise ExposureRefused("--tls-cert and --tls-key belong together: specify both.")
    return Exposure(
        host=host,
        allow_hosts=allow_hosts,
        tls=TlsFiles(certificate=Path(tls_cert), key=Path(tls_key)) if tls_cert and tls_key else None,
        behind_tls_proxy=behind_tls_proxy,
        allow_unauthenticated=allow_unauthenticated,
    )


def _get_machine_name() -> str:
    return socket.gethostname()
