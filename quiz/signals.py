"""Every signal receiver of the features, connected in one place when Django is ready."""

from __future__ import annotations

from django.apps import apps
from django.db.models.signals import post_migrate


def connect() -> None:
    """Connect the receivers; a `dispatch_uid` keeps each to one."""
    from quiz.accounts.permissions import grant_roles

    post_migrate.connect(grant_roles, sender=apps.get_app_config("quiz"), dispatch_uid="grant_roles")
