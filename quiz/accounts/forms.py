"""Making and changing users in the admin."""

from __future__ import annotations

from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm

from quiz.accounts.models import User


class NewUserForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("username", "name", "email")


class ChangeUserForm(UserChangeForm):
    class Meta:
        model = User
        fields = "__all__"
