"""Roles decide who enters the admin, and are made by the migration."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from quiz.accounts.models import User
from quiz.accounts.permissions import GRANTS
from quiz.accounts.roles import CANDIDATE, GRADER, INSTRUCTOR, ROLES

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def codenames(role: str) -> set[str]:
    return set(Group.objects.get(name=role).permissions.values_list("codename", flat=True))


def test_migrating_makes_the_three_roles_with_their_permissions() -> None:
    assert {role: codenames(role) for role in ROLES} == GRANTS


def test_every_granted_permission_exists() -> None:
    """A typing error in the table would grant nothing, silently."""
    known = set(Permission.objects.filter(content_type__app_label="quiz").values_list("codename", flat=True))
    assert set().union(*GRANTS.values()) <= known


def test_migrating_again_takes_back_what_was_added_by_hand() -> None:
    extra = Permission.objects.get(codename="change_question")
    Group.objects.get(name=CANDIDATE).permissions.add(extra)
    call_command("migrate", verbosity=0)
    assert codenames(CANDIDATE) == set()


def test_graders_may_change_nothing() -> None:
    assert {name for name in GRANTS[GRADER] if not name.startswith("view_")} == set()


@pytest.mark.parametrize(
    ("roles", "enters"),
    [((), False), ((CANDIDATE,), False), ((GRADER,), True), ((CANDIDATE, INSTRUCTOR), True)],
)
def test_entering_the_admin_follows_from_the_role(roles: tuple[str, ...], enters: bool) -> None:
    user = User.objects.create_user("lin", password="pass")
    user.groups.set(Group.objects.filter(name__in=roles))
    assert User.objects.get(pk=user.pk).is_staff is enters


def test_an_administrator_has_every_role() -> None:
    boss = User.objects.create_superuser("boss", password="pass")
    assert boss.is_staff
    assert boss.has_role(GRADER)


def test_a_user_needs_a_name() -> None:
    with pytest.raises(ValueError, match="empty"):
        User.objects.create_user("")
