"""What each role may do in the admin. Groups and their permissions are made after every migration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

from quiz.accounts.roles import CANDIDATE, GRADER, INSTRUCTOR

BANK = ("section", "sectiontext", "question", "questiontext")
RECORDS = ("variant", "response", "report", "run", "point", "job", "worker")

GRANTS: dict[str, set[str]] = {
    CANDIDATE: set(),
    GRADER: {f"view_{model}" for model in BANK + RECORDS},
    INSTRUCTOR: {f"{deed}_{model}" for deed in ("add", "change", "view") for model in BANK}
    | {f"delete_{model}" for model in ("questiontext", "sectiontext")}
    | {f"view_{model}" for model in RECORDS}
    | {"change_report"}
    | {f"view_historical{model}" for model in BANK},
}


def grant_roles(sender: AppConfig, *, using: str, **_signal: Any) -> None:
    """Make the groups and give them exactly the permissions of `GRANTS` (post_migrate receiver).

    Django makes the permissions in a receiver of its own that may come later: it is called here first.
    """
    create_permissions(sender, verbosity=0, using=using)
    ours = Permission.objects.using(using).filter(content_type__app_label=sender.label)
    for role, codenames in GRANTS.items():
        group, _made = Group.objects.using(using).get_or_create(name=role)
        group.permissions.set(ours.filter(codename__in=codenames))
