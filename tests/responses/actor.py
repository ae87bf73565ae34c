"""What a person does twice at the same moment, in a process with a real database, for
`python -m tests.responses.actor user` or `visitor`: answers with the rows that came of it, in JSON.

Each of the two stands still after looking up what there is, long enough for the other to look too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from quiz.accounts.models import User, Visitor  # noqa: E402
from quiz.accounts.people import Person  # noqa: E402
from quiz.exercises.drawing import vary  # noqa: E402
from quiz.exercises.registry import all_families  # noqa: E402
from quiz.responses import probing, recording, reporting  # noqa: E402
from quiz.responses.models import Help, Probe, Report, Response  # noqa: E402

WAIT = 0.5
Look = tuple[Any, str]  # a module and the function in it that looks up what there is
ENTRY, ROW = vary("scaled_entry", 7), vary("attention_row", 3)
DRILL = next(vary(family.slug, 1) for family in all_families() if len(vary(family.slug, 1).probes) > 1)


def answer(person: Person, text: str) -> None:
    recording.record(person, variant=ENTRY, raw={"scaled": text}, now=timezone.now())


def ask(person: Person, step: int) -> None:
    recording.record_help(person, variant=ROW, step=step, now=timezone.now())


def probe(person: Person, _number: int) -> None:
    probing.record_probe(person, variant=DRILL, now=timezone.now())


def report(person: Person, words: str) -> None:
    reporting.file_report(person, variant=ROW, response=None, kind="text", words=words, now=timezone.now())


def at_once(act: Callable[[Any], None], arguments: tuple[Any, Any], *, look: Look) -> None:
    """Do it twice at once. Raises what one of them raises."""
    module, name = look
    original, together = getattr(module, name), Barrier(2)

    def slow(*given: Any, **named: Any) -> Any:
        found = original(*given, **named)
        time.sleep(WAIT)
        return found

    def run(argument: Any) -> None:
        connection.ensure_connection()
        together.wait()
        act(argument)
        connection.close()

    setattr(module, name, slow)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, arguments))
    setattr(module, name, original)


def main(kind: str) -> dict[str, object]:
    if kind == "user":
        person = Person(user=User.objects.create_user("lin"))
    else:
        person = Person(visitor_id=Visitor.objects.create().pk)
    standing = (recording, "standing_of")
    at_once(lambda text: answer(person, text), ("999", "999"), look=standing)
    at_once(lambda text: answer(person, text), ("998", "997"), look=standing)
    at_once(lambda step: ask(person, step), (1, 1), look=standing)
    at_once(lambda step: ask(person, step), (Help.SOLUTION, Help.SOLUTION), look=standing)
    at_once(lambda number: probe(person, number), (1, 1), look=(probing, "probes_asked"))
    at_once(lambda words: report(person, words), ("one", "other"), look=(reporting, "_check_limits"))
    return {
        "tries": list(Response.objects.order_by("id").values_list("try_number", flat=True)),
        "helps": sorted(Help.objects.values_list("step", flat=True)),
        "probes": sorted(Probe.objects.values_list("number", flat=True)),
        "reports": Report.objects.count(),
        "others": Response.objects.exclude(person.owns()).count(),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
