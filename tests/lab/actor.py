"""Starts runs from outside: `python -m tests.lab.actor PARAMETERS …`; prints each run's and job's numbers."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from quiz.accounts.models import Visitor  # noqa: E402
from quiz.accounts.people import Person  # noqa: E402
from quiz.lab import demos  # noqa: E402
from quiz.lab.admission import assess  # noqa: E402
from quiz.lab.starting import start  # noqa: E402

if __name__ == "__main__":
    for told in sys.argv[1:]:
        person = Person(visitor_id=Visitor.objects.create().pk)
        assessment = assess(demos.get("attention_length"), json.loads(told), None)
        run = start(person, assessment, now=timezone.now())
        print(json.dumps([run.pk, run.job_id]))
