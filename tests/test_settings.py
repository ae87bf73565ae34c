"""Settings in both modes, as a fresh process reads them from its environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from quiz.pages.security import POLICY

ROOT = Path(__file__).resolve().parent.parent
SHOWN = (
    "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
    "SECURE_HSTS_SECONDS", "SECURE_SSL_REDIRECT", "VISITOR_DAYS",
)  # fmt: skip
SHOW = f"""
import json
from django.conf import settings
print(json.dumps({{name: getattr(settings, name) for name in {SHOWN!r}}}))
"""


def start(folder: Path, code: str = SHOW, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("QUIZ_", "DATABASE_URL"))}
    clean |= {"DJANGO_SETTINGS_MODULE": "quiz.settings", "QUIZ_DATA_DIR": str(folder)} | environment
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=clean, capture_output=True, text=True)


def shown(folder: Path, **environment: str) -> dict[str, Any]:
    ran = start(folder, **environment)
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout))


def test_production_refuses_to_start_without_a_secret(tmp_path: Path) -> None:
    ran = start(tmp_path, QUIZ_PRODUCTION="1")
    assert ran.returncode != 0
    assert "QUIZ_SECRET_KEY must be set" in ran.stderr


def test_production_refuses_debugging(tmp_path: Path) -> None:
    ran = start(tmp_path, QUIZ_PRODUCTION="1", QUIZ_SECRET_KEY="x" * 50, QUIZ_DEBUG="1")
    assert ran.returncode != 0
    assert "QUIZ_DEBUG must be off" in ran.stderr


def test_production_is_strict(tmp_path: Path) -> None:
    found = shown(
        tmp_path, QUIZ_PRODUCTION="1", QUIZ_SECRET_KEY="x" * 50, QUIZ_HOSTS="quiz.example.org,b.example"
    )
    assert found == {
        "DEBUG": False,
        "SECRET_KEY": "x" * 50,
        "ALLOWED_HOSTS": ["quiz.example.org", "b.example"],
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_HSTS_SECONDS": 31536000,
        "SECURE_SSL_REDIRECT": True,
        "VISITOR_DAYS": 90,
    }


def test_forwarded_headers_are_believed_only_behind_a_proxy_of_ours(tmp_path: Path) -> None:
    show = "from django.conf import settings as s; print(s.SECURE_PROXY_SSL_HEADER, s.NINJA_NUM_PROXIES)"
    for count, header in (("0", None), ("1", ("HTTP_X_FORWARDED_PROTO", "https"))):
        ran = start(tmp_path, show, QUIZ_PRODUCTION="1", QUIZ_SECRET_KEY="x" * 50, QUIZ_PROXIES=count)
        assert ran.stdout.strip() == f"{header} {count}", ran.stderr


def test_elsewhere_a_secret_is_made_once_and_kept_private(tmp_path: Path) -> None:
    first, again = shown(tmp_path), shown(tmp_path)
    assert first["SECRET_KEY"] == again["SECRET_KEY"]
    assert len(first["SECRET_KEY"]) >= 50
    kept = tmp_path / "secret_key"
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == (first["SECRET_KEY"], 0o600)
    assert [p.name for p in tmp_path.glob("secret_key*")] == ["secret_key"]


def test_processes_that_start_together_agree_on_the_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        keys = {found["SECRET_KEY"] for found in pool.map(lambda _: shown(tmp_path), range(4))}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QUIZ_VISITOR_DAYS", "soon"),
        ("QUIZ_VISITOR_DAYS", "0"),
        ("QUIZ_PRODUCTION", "perhaps"),
        ("QUIZ_API_RATE", "often"),
    ],
)
def test_a_setting_of_the_wrong_type_is_named(tmp_path: Path, name: str, value: str) -> None:
    ran = start(tmp_path, **{name: value})
    assert ran.returncode != 0
    assert name in ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("path", ["/exercises/", "/accounts/login/", "/api/v1/docs", "/no/such/page/"])
@pytest.mark.django_db
def test_every_answer_carries_the_policy(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_policy_allows_nothing_inline() -> None:
    assert POLICY.startswith("default-src 'self'; ")
    assert "unsafe" not in POLICY
