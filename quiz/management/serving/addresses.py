"""The address to serve on: is it free, and under which name does a phone on the same network reach it."""

from __future__ import annotations

import errno
import io
import ipaddress
import os
import socket

import segno

ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


class AddressRefused(Exception):
    """The host and port cannot be served on; the text says why in one line."""


def require_free(host: str, port: int) -> None:
    """Bind and listen once, plainly. (granian shares ports, and would join another server unseen.)

    Raises AddressRefused.
    """
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        raise AddressRefused(_reason(error, host, port)) from error


def _reason(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken. Choose another: make serve PORT={_next(port)}"
    if error.errno == errno.EACCES:
        return f"Port {port} needs more rights than you have. Choose one above 1023: make serve PORT=8000"
    return f"Cannot serve on {host}, port {port}: {error.strerror or error}."


def _next(port: int) -> int:
    return port + 1 if port < 65535 else 8000


def local_url(host: str, port: int) -> str:
    """The address for a browser on this machine."""
    return _url(ANY.get(host, host), port)


def phone_url(host: str, port: int) -> str | None:
    """The address for other machines of the network, or None when only this machine is served."""
    if host in ANY:
        found = lan_address()
        return _url(found, port) if found else None
    try:
        loopback = ipaddress.ip_address(socket.gethostbyname(host)).is_loopback
    except OSError:
        loopback = ipaddress.ip_address(host).is_loopback
    return None if loopback else _url(host, port)


def lan_address() -> str | None:
    """This machine's address on its network. Nothing is sent: a UDP socket is only pointed outward."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if ipaddress.ip_address(address).is_loopback else address


def qr_code(url: str) -> str:
    """The address as a QR code for the terminal, two modules a character."""
    out = io.StringIO()
    segno.make(url, error="l", micro=False).terminal(out=out, border=2, compact=True)
    return out.getvalue()


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
