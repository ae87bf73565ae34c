"""Pages compressed as they are sent: what many answers share is compressed once, and well; the rest fast.

A view may say of its answer which long text inside other answers hold as well (`response.shared`, bytes). A
gzip stream may be put together from pieces that were each ended by a full flush, so that piece is taken from
memory, and no secret (the token of a form) is ever compressed together with it. A file name of random length
in the header hides the length of the rest ("Heal the Breach"). Files are compressed when they are collected.
"""

from __future__ import annotations

import secrets
import struct
import zlib
from collections.abc import Callable
from functools import lru_cache

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

FAST, WELL = 1, 9
WORTH_IT = 500  # bytes
MOST_HIDING = 100  # random bytes
BEGINNING = 200  # bytes by which a shared piece is found
_HEADER = (
    b"\x1f\x8b\x08\x08" + bytes(4) + b"\x00\xff"
)  # deflate, a file name follows, no time, unknown system


class CompressionMiddleware:
    """Compresses whole text answers for browsers that take gzip; streams and answers already coded pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or response.streaming or len(response.content) < WORTH_IT:
            return response
        if response.has_header("Content-Encoding") or not _is_text(response):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response.content = compressed(response.content, getattr(response, "shared", b""))
            response.headers["Content-Encoding"] = "gzip"
            response.headers["Content-Length"] = str(len(response.content))
        return response


def compressed(content: bytes, shared: bytes = b"") -> bytes:
    """The content as a gzip file; `shared` is a piece of it that is compressed once and kept."""
    name = b"a" * secrets.randbelow(MOST_HIDING + 1) + b"\0"
    at = _place(content, shared)
    if at < 0:
        body = _deflated(content, FAST, zlib.Z_FINISH)
    else:
        before, after = content[:at], content[at + len(shared) :]
        body = _deflated(before, FAST, zlib.Z_FULL_FLUSH) + _deflated_well(shared)
        body += _deflated(after, FAST, zlib.Z_FINISH)
    return _HEADER + name + body + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


def _place(content: bytes, shared: bytes) -> int:
    """Where the shared piece begins, or −1; its beginning is looked for, for all of it would take longer."""
    at = content.find(shared[:BEGINNING]) if shared else -1
    return at if at >= 0 and content.startswith(shared, at) else -1


@lru_cache(maxsize=256)
def _deflated_well(piece: bytes) -> bytes:
    return _deflated(piece, WELL, zlib.Z_FULL_FLUSH)


def _deflated(piece: bytes, level: int, ending: int) -> bytes:
    deflater = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflater.compress(piece) + deflater.flush(ending)


def _is_text(response: HttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "")
    return kind.startswith(("text/", "application/json", "image/svg"))
