"""Pages compressed as they are sent, fast rather than small: a page of formulas shrinks to a fifth.

A file name of random length in the header hides the length of the page's secrets ("Heal the Breach"). Files
of the stylesheet kind are compressed beforehand, when they are collected.
"""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Callable
from io import BytesIO

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

LEVEL = 2
WORTH_IT = 500  # bytes
MOST_HIDING = 100  # random bytes


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
            response.content = compressed(response.content)
            response.headers["Content-Encoding"] = "gzip"
            response.headers["Content-Length"] = str(len(response.content))
        return response


def _is_text(response: HttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "")
    return kind.startswith(("text/", "application/json", "image/svg"))


def compressed(content: bytes) -> bytes:
    buffer = BytesIO()
    name = "a" * secrets.randbelow(MOST_HIDING + 1)
    with gzip.GzipFile(filename=name, mode="wb", compresslevel=LEVEL, fileobj=buffer, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()
