"""The first lines that `serve` prints: where the site is, what is in it, and what to do first."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from quiz.accounts.models import User
from quiz.bank.models import Question, Section
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark
from quiz.exercises.registry import all_families, in_group
from quiz.exercises.types import Value
from quiz.management.serving.addresses import local_url, phone_url, qr_code
from quiz.management.serving.console import Console
from quiz.work.models import Queue, Worker

logger = logging.getLogger(__name__)

WEB_SECONDS = 60.0
DEVICE_SECONDS = 20.0
INDENT = "     "


class Welcome:
    """Says the first lines when the site answers, beside the supervisor's loop."""

    def __init__(self, console: Console, *, host: str, port: int, lab: bool) -> None:
        self.console = console
        self.host = host
        self.port = port
        self.lab = lab
        self._begun = time.time()

    def say(self) -> None:
        try:
            if wait_for_web(local_url(self.host, self.port)):
                for line in self.lines():
                    self.console.tell(line)
            else:
                self.console.tell("QKV  the web server does not answer yet; its lines follow   stop: Ctrl-C")
        except DatabaseError as error:
            self.console.tell(f"QKV  the database does not answer: {error}")
        finally:
            self.console.open()
            connection.close()

    def lines(self) -> Iterator[str]:
        """Each as soon as it is known: the address at once, the lab's device when its worker has told it."""
        yield f"QKV  web {local_url(self.host, self.port)}"
        yield from phone_lines(phone_url(self.host, self.port))
        yield f"{INDENT}bank {bank_text()}   {self.lab_text()}"
        yield INDENT + first_steps()

    def lab_text(self) -> str:
        """The device as the lab's worker tells it; it may need some seconds to find out."""
        if not self.lab:
            return "lab: off, torch is not installed (make serve installs it, LAB=0 does not)"
        until = time.monotonic() + DEVICE_SECONDS
        while time.monotonic() < until:
            device = newest_device(since=self._begun)
            if device:
                return f"lab worker: {device}"
            time.sleep(0.1)
        return "lab worker: starting"


def newest_device(*, since: float) -> str:
    """The device of the lab worker that started last, if it has told it; else nothing."""
    workers = Worker.objects.filter(queue=Queue.LAB).exclude(device="").order_by("-started_at")
    newest = workers.first()
    return newest.device if newest and newest.started_at.timestamp() >= since else ""


def wait_for_web(url: str) -> bool:
    """Whether the web server answers (anything) in time. No proxy is asked."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + WEB_SECONDS
    while time.monotonic() < until:
        try:
            opener.open(f"{url}/health/", timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False


def phone_lines(url: str | None) -> list[str]:
    if url is None:
        return []
    lines = [f"{INDENT}phone {url}"]
    try:
        code = qr_code(url)
        code.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return lines
    return lines + code.rstrip("\n").split("\n")


def bank_text() -> str:
    """Counted, not told: "39 questions, 24 sections, 64 exercise families, 5 drills (checked)"."""
    counts = [
        (Question.objects.filter(is_published=True).count(), "question", "questions"),
        (Section.objects.published().numbered().count(), "section", "sections"),
        (len(in_group("numeric")), "exercise family", "exercise families"),
        (len(in_group("drill")), "drill", "drills"),
    ]
    text = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)
    broken = [family.slug for family in all_families() if not is_in_order(family.slug)]
    return f"{text} ({'broken: ' + ', '.join(broken) if broken else 'checked'})"


def is_in_order(slug: str) -> bool:
    """Whether the family draws a variant and its own right answers, typed back, are marked right."""
    try:
        variant = vary(slug, 0)
        typed = {name: as_typed(as_json(value)) for name, value in variant.right.items()}
        return mark(variant, typed).key == "right"
    except Exception:
        logger.exception("the exercise family %s is not in order", slug)
        return False


def as_typed(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def first_steps() -> str:
    """How to make the first administrator, as long as there is none; how to stop."""
    stop = "stop: Ctrl-C"
    if User.objects.filter(is_superuser=True).exists():
        return stop
    return f"first administrator: {python_path()} manage.py createsuperuser   {stop}"


def python_path() -> str:
    """This Python as a person would type it: relative to the project where it lies inside."""
    path = Path(sys.executable)
    root = settings.BASE_DIR
    return os.path.relpath(path, root) if path.is_relative_to(root) else str(path)
