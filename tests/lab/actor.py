"""Starts a run from outside: `python -m tests.lab.actor PARAMETERS`; prints the run's and job's numbers."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from quiz.accounts.models import Visitor  # noqa: E402
from quiz.accounts.people import Person  # noqa: E402
from quiz.lab import demos  # noqa: E402
from quiz.lab.starting import start  # noqa: E402

if __name__ == "__main__":
    person = Person(visitor_id=Visitor.objects.create().pk)
    run = start(person, demos.get("attention_length"), json.loads(sys.argv[1]), now=timezone.now())
    print(json.dumps([run.pk, run.job_id]))
