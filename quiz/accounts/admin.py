"""Users and their roles, for administrators."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.utils.translation import gettext_lazy as _

from quiz.accounts.forms import ChangeUserForm, NewUserForm
from quiz.accounts.models import User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Roles are groups: instructors and graders may enter the admin by having one."""

    form = ChangeUserForm
    add_form = NewUserForm
    list_display = ("username", "name", "email", "is_active", "date_joined")
    list_filter = ("groups", "is_active", "is_superuser")
    search_fields = ("username", "name", "email")
    filter_horizontal = ("groups",)
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("name", "email")}),
        (_("Role"), {"fields": ("is_active", "groups", "is_superuser")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("username", "name", "email", "usable_password", "password1", "password2")}),
    )
