"""Pages go compressed to browsers that take it, and unchanged to others."""

from __future__ import annotations

import gzip
import zlib

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from quiz.pages.compression import CompressionMiddleware, compressed

LONG = "一段文字 " * 200


def answer(response: HttpResponse | StreamingHttpResponse, accepts: str = "gzip, br") -> HttpResponse:
    request = RequestFactory().get("/", headers={"accept-encoding": accepts})
    given = CompressionMiddleware(lambda _: response)(request)
    assert isinstance(given, HttpResponse | StreamingHttpResponse)
    return given  # type: ignore[return-value]


def test_a_page_is_compressed_and_says_so() -> None:
    given = answer(HttpResponse(LONG))
    assert gzip.decompress(given.content).decode() == LONG
    assert given.headers["Content-Encoding"] == "gzip"
    assert given.headers["Content-Length"] == str(len(given.content))
    assert given.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("response", "accepts"),
    [
        (HttpResponse(LONG), "br"),
        (HttpResponse("short"), "gzip"),
        (HttpResponse(LONG, content_type="image/png"), "gzip"),
        (HttpResponse(LONG, headers={"Content-Encoding": "br"}), "gzip"),
    ],
)
def test_these_pass_unchanged(response: HttpResponse, accepts: str) -> None:
    before = response.content
    given = answer(response, accepts)
    assert given.content == before
    assert given.headers.get("Content-Encoding") != "gzip"


def test_a_stream_passes_unread() -> None:
    given = answer(StreamingHttpResponse(iter([LONG.encode()])))  # type: ignore[arg-type]
    assert "Content-Encoding" not in given.headers


@pytest.mark.parametrize("shared", ["", LONG, "not there", LONG[:700], "一段"])
def test_what_answers_share_is_put_together_with_the_rest(shared: str) -> None:
    whole = f"<p>before 前</p>{LONG}<p>after 后</p>".encode()
    for _ in range(2):
        assert gzip.decompress(compressed(whole, shared.encode())) == whole


@given(st.binary(max_size=400), st.binary(max_size=400), st.binary(max_size=400))
def test_any_pieces_come_back_as_they_were(before: bytes, shared: bytes, after: bytes) -> None:
    whole = before + shared + after
    assert gzip.decompress(compressed(whole, shared)) == whole
    assert zlib.decompress(compressed(whole, shared), 31) == whole


def test_the_length_tells_little_of_the_content() -> None:
    assert len({len(compressed(LONG.encode())) for _ in range(50)}) > 10


@pytest.mark.django_db
def test_the_site_compresses_its_pages(client: Client, bank: None) -> None:
    plain = client.get("/chapter/7.9/").content
    zipped = client.get("/chapter/7.9/", headers={"accept-encoding": "gzip"})
    assert len(zipped.content) < len(plain) / 3
    assert gzip.decompress(zipped.content).startswith(b"<!doctype html>")


def test_a_request_without_the_header_is_answered() -> None:
    given = CompressionMiddleware(lambda _: HttpResponse(LONG))(HttpRequest())
    assert isinstance(given, HttpResponse)
    assert given.content.decode() == LONG
