"""`manage.py serve`: everything that QKV needs, in one command and one terminal."""

from __future__ import annotations

import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from quiz.bank.search import gathering
from quiz.management.serving.addresses import AddressRefused, require_free
from quiz.management.serving.children import Child
from quiz.management.serving.console import Console
from quiz.management.serving.static_files import collect_when_changed
from quiz.management.serving.supervisor import Supervisor
from quiz.management.serving.welcome import Welcome

WEB_THREADS = 8


class Command(BaseCommand):
    help = "Prepare the database and run the web server and the workers until Ctrl-C."
    requires_system_checks: list[str] = []  # migrate checks

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 serves the whole network")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=1, help="workers for short jobs")
        parser.add_argument("--parent", type=int, help="stop when no longer the child of this process")

    def handle(self, *, host: str, port: int, workers: int, parent: int | None, **_options: Any) -> None:
        if not 1 <= port <= 65535:
            raise CommandError(f"--port must be 1 to 65535, not {port}.")
        if not 0 <= workers <= 64:
            raise CommandError(f"--workers must be 0 to 64, not {workers}.")
        try:
            require_free(host, port)
        except AddressRefused as error:
            raise CommandError(str(error)) from error
        prepare()
        commands = child_commands(host, port, workers=workers, lab=settings.LAB_INSTALLED)
        console = Console(sys.stdout, list(commands))
        children = [Child(name, command, say=console.say) for name, command in commands.items()]
        welcome = Welcome(console, host=host, port=port, lab=settings.LAB_INSTALLED)

        def begin() -> None:
            welcome.say()
            prepare_search()

        Supervisor(children, parent=parent).run(once_started=begin)
        console.tell("QKV  stopped")


def prepare() -> None:
    """Bring the database, the bank and the static files up to date; say nothing unless something fails."""
    call_command("migrate", interactive=False, verbosity=0)
    call_command("sync_bank", verbosity=0)
    collect_when_changed()
    connections.close_all()


def prepare_search() -> None:
    """Keep what is searched beside the rendered pages, so that nobody's first search waits for it."""
    try:
        gathering.written()
    finally:
        connections.close_all()


def child_commands(host: str, port: int, *, workers: int, lab: bool) -> dict[str, list[str]]:
    """The children by name. The lab's worker is left out where torch is not installed."""
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py")]
    web = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port)]
    web += [
        "--log-level",
        "error",
        "--workers",
        "1",
        "--blocking-threads",
        str(WEB_THREADS),
        "--working-dir",
        str(settings.BASE_DIR),
    ]
    commands = {"web": [*web, "quiz.wsgi:application"]}
    for number in range(1, workers + 1):
        commands["checks" if workers == 1 else f"checks-{number}"] = [*manage, "worker", "checks"]
    if lab:
        commands["lab"] = [*manage, "worker", "lab"]
    return commands
