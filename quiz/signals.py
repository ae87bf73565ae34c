"""Every signal receiver of the features, connected in one place when Django is ready."""

from __future__ import annotations

from django.apps import apps
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate


def connect() -> None:
    """Connect the receivers; a `dispatch_uid` keeps each to one."""
    from quiz.accounts.expiry import remove_expired_sessions, remove_idle_visitors
    from quiz.accounts.permissions import grant_roles
    from quiz.responses.adopting import adopt_visitor_rows
    from quiz.work.tidying import tidy_work, tidying

    post_migrate.connect(grant_roles, sender=apps.get_app_config("quiz"), dispatch_uid="grant_roles")
    tidying.connect(remove_idle_visitors, dispatch_uid="remove_idle_visitors")
    tidying.connect(remove_expired_sessions, dispatch_uid="remove_expired_sessions")
    tidying.connect(tidy_work, dispatch_uid="tidy_work")
    user_logged_in.connect(adopt_visitor_rows, dispatch_uid="adopt_visitor_rows")
