"""The port is tested before anything starts; the address for a phone, and its QR code."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
import segno

from quiz.management.serving import addresses
from quiz.management.serving.addresses import AddressRefused, local_url, phone_url, qr_code, require_free


def listening(*, share: bool = False) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if share:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    server.bind(("127.0.0.1", 0))
    server.listen()
    return server


@pytest.mark.parametrize("share", [False, True])
def test_a_taken_port_is_refused_in_one_line(share: bool) -> None:
    """Also one that its server would share, as granian does: two sites would answer in turn."""
    with listening(share=share) as server:
        port = server.getsockname()[1]
        with pytest.raises(AddressRefused) as refused:
            require_free("127.0.0.1", port)
        assert str(refused.value) == (
            f"Port {port} on 127.0.0.1 is taken. Choose another: make serve PORT={port + 1}"
        )
        with pytest.raises(AddressRefused, match="is taken"):
            require_free("0.0.0.0", port)


def test_a_port_is_free_again_when_its_server_ended() -> None:
    """Closed connections may linger (TIME_WAIT): they do not take the port."""
    with listening() as server:
        address = server.getsockname()
        with socket.create_connection(address), server.accept()[0] as accepted:
            accepted.shutdown(socket.SHUT_RDWR)
    require_free(*address)


def test_a_host_that_is_not_ours_is_refused() -> None:
    with pytest.raises(AddressRefused, match=r"Cannot serve on 192\.0\.2\.77, port 8000: "):
        require_free("192.0.2.77", 8000)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("10.1.2.3", "http://10.1.2.3:8000"),
    ],
)
def test_local_url(host: str, url: str) -> None:
    assert local_url(host, 8000) == url


@pytest.mark.parametrize(
    ("host", "lan", "url"),
    [
        ("127.0.0.1", "10.1.2.3", None),
        ("localhost", "10.1.2.3", None),
        ("::1", "10.1.2.3", None),
        ("0.0.0.0", "10.1.2.3", "http://10.1.2.3:8000"),
        ("0.0.0.0", None, None),
        ("10.9.9.9", "10.1.2.3", "http://10.9.9.9:8000"),
    ],
)
def test_phone_url(host: str, lan: str | None, url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "lan_address", lambda: lan)
    assert phone_url(host, 8000) == url


def test_the_qr_code_in_the_terminal_is_the_codes_matrix() -> None:
    """Half blocks read back: light modules are drawn, two rows a line, with a border of two."""
    url = "http://10.1.2.3:8000"
    halves = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    rows: list[tuple[int, ...]] = []
    for line in qr_code(url).rstrip("\n").split("\n"):
        rows += zip(*(halves[character] for character in line), strict=True)
    expected = [tuple(row) for row in segno.make(url, error="l", micro=False).matrix_iter(border=2)]
    assert rows[: len(expected)] == expected


def test_serve_says_a_taken_port_in_one_line_and_ends_with_1() -> None:
    with listening() as server:
        port = server.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)], capture_output=True, text=True
        )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"CommandError: Port {port} on 127.0.0.1 is taken. Choose another: make serve PORT={port + 1}"
    ]
