"""Fixtures of the whole suite: the fixed cast, the bank, the programs that some tests need, the browser.

QUIZ_REQUIRE_ALL=1 (set in CI) turns "skipped, because a program is missing" into a failure.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group

from quiz.accounts.models import User
from quiz.accounts.roles import CANDIDATE, GRADER, INSTRUCTOR
from quiz.bank.parsing import parse_bank
from quiz.bank.specs import BankSpec
from quiz.bank.syncing import sync
from tests import clusters, databases

NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "chromium": (lambda: shutil.which("chromium") is not None, "Chromium is not installed (apt: chromium)"),
    "postgres": (lambda: bool(os.environ.get("QUIZ_TEST_POSTGRES")), "QUIZ_TEST_POSTGRES is not set"),
    "postgres server": (
        lambda: clusters.programs() is not None,
        "the programs of a PostgreSQL server are not installed (apt: postgresql)",
    ),
    "torch": (lambda: _is_installed("torch"), "torch is not installed (pip: requirements.txt)"),
    "linux": (lambda: Path("/proc/self").is_dir(), "needs Linux (/proc)"),
}
PASSWORD = "correct horse"


def _is_installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def require(what: str) -> None:
    """Skip the test where the program is missing, or fail it when QUIZ_REQUIRE_ALL is 1."""
    present, reason = NEEDS[what]
    if present():
        return
    if os.environ.get("QUIZ_REQUIRE_ALL") == "1":
        pytest.fail(f"{reason}, and QUIZ_REQUIRE_ALL is 1")
    pytest.skip(reason)


@pytest.fixture(name="require")
def require_fixture() -> Callable[[str], None]:
    return require


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Playwright's event loop, once started, runs in this thread to the end of the session: from then on
    Django must be told that a loop here means no danger."""
    if item.get_closest_marker("browser"):
        require("chromium")
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    elif not _loop_is_running():
        os.environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


# --- the cast -----------------------------------------------------------------------------------------
def cast(username: str, *, role: str, **fields: Any) -> User:
    user = User.objects.create_user(username, f"{username}@example.org", PASSWORD, **fields)
    user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


@pytest.fixture
def candidate(db: None) -> User:
    return cast("lin", role=CANDIDATE, name="林晓")


@pytest.fixture
def other_candidate(db: None) -> User:
    return cast("wu", role=CANDIDATE, name="吴桐")


@pytest.fixture
def instructor(db: None) -> User:
    return cast("chen", role=INSTRUCTOR, name="陈老师")


@pytest.fixture
def grader(db: None) -> User:
    return cast("guo", role=GRADER, name="郭助教")


# --- what there is to read ----------------------------------------------------------------------------
@pytest.fixture(scope="session")
def shipped_bank() -> BankSpec:
    """The content files, read and checked once."""
    return parse_bank()


@pytest.fixture
def bank(db: None, shipped_bank: BankSpec) -> None:
    """The shipped sections and questions."""
    sync(shipped_bank)


# --- databases that several processes share ---------------------------------------------------------------
@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return databases.make_sqlite_template(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    require("postgres")
    with databases.postgres_template(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.fixture
def sqlite_file(sqlite_template: Path, tmp_path: Path) -> Iterator[databases.RealDatabase]:
    with databases.sqlite_copy(sqlite_template, tmp_path) as database:
        yield database


@pytest.fixture
def postgres(postgres_template: str, tmp_path: Path) -> Iterator[databases.RealDatabase]:
    folder = tmp_path / "postgres"
    folder.mkdir()
    with databases.postgres_copy(postgres_template, folder) as database:
        yield database


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.prove)])
def real_database(request: pytest.FixtureRequest) -> databases.RealDatabase:
    """On a SQLite file in `make test`, on PostgreSQL too in `make prove`."""
    name = {"sqlite": "sqlite_file", "postgres": "postgres"}[request.param]
    found: databases.RealDatabase = request.getfixturevalue(name)
    return found


# --- the browser --------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync"]
    return {
        **browser_type_launch_args,
        "executable_path": shutil.which("chromium"),
        "args": ["--no-sandbox", "--disable-gpu", *quiet],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "zh-CN", "viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def site(live_server: Any) -> str:
    """The address of the site, served from the test's database."""
    return str(live_server.url)


class Watch:
    """What went wrong behind a test's back: errors on the console, requests to another origin."""

    def __init__(self, context: Any, site: str) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.is_paused = False
        context.on("console", lambda message: self._note(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: self._note(str(error.error)))
        context.on("request", lambda request: self._look_at(request.url, site))

    def _note(self, text: str) -> None:
        if not self.is_paused:
            self.errors.append(text)

    def _look_at(self, url: str, site: str) -> None:
        if not url.startswith((f"{site}/", "data:", "about:", "blob:")):
            self.foreign.append(url)

    def require_nothing(self) -> None:
        assert self.errors == []
        assert self.foreign == []


@pytest.fixture
def watch(context: Any, site: str) -> Any:
    """Fails the test for every console error and every request to another origin."""
    watched = Watch(context, site)
    yield watched
    watched.require_nothing()


@pytest.fixture
def page(page: Any, watch: Watch) -> Any:
    """Every browser test is watched. A busy machine may take its time over a page; nothing is timed here."""
    page.set_default_timeout(120_000)
    return page


def is_formula_in_a_header(violation: dict[str, Any]) -> bool:
    """axe takes a table header that holds a formula alone for an empty one: it does not read MathML."""
    nodes = violation["nodes"]
    return violation["id"] == "empty-table-header" and all("<math" in node["html"] for node in nodes)


@pytest.fixture
def accessible(watch: Watch) -> Callable[[Any], None]:
    """`accessible(page)`: no violation found by axe on the page as it is. (axe's own styles break the content
    security policy, so the console is not watched meanwhile.)"""
    from axe_playwright_python.sync_playwright import Axe

    def check(page: Any) -> None:
        watch.require_nothing()
        watch.is_paused = True
        results = Axe().run(page)
        page.wait_for_timeout(50)
        watch.is_paused = False
        violations = [one for one in results.response["violations"] if not is_formula_in_a_header(one)]
        assert violations == [], results.generate_report()

    return check
