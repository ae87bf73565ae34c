"""Who someone is: a user with roles, or a visitor known by a random id kept in the session."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from quiz.accounts.roles import DESK_ROLES


class UserManager(BaseUserManager["User"]):
    """Makes users; `createsuperuser` uses the second."""

    def create_user(self, username: str, email: str = "", password: str | None = None, **more: Any) -> User:
        if not username:
            raise ValueError("A user needs a user name; an empty one was given.")
        user = self.model(
            username=self.model.normalize_username(username), email=self.normalize_email(email), **more
        )
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, username: str, email: str = "", password: str | None = None) -> User:
        return self.create_user(username, email, password, is_superuser=True)


class User(AbstractBaseUser, PermissionsMixin):
    """Signs in by user name or e-mail. What a user may do follows from groups (see `roles`)."""

    username = models.CharField(
        _("user name"), max_length=150, unique=True, validators=[UnicodeUsernameValidator()]
    )
    email = models.EmailField(_("e-mail"), blank=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["email"]

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")

    def __str__(self) -> str:
        return self.name or self.username

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of the user's groups, read once a request."""
        return frozenset(self.groups.values_list("name", flat=True))

    def has_role(self, *roles: str) -> bool:
        """Whether the user has one of these roles; administrators have every one."""
        return self.is_superuser or bool(self.roles & set(roles))

    @property
    def tab_key(self) -> str:
        """What a browser tab keeps for this person is kept under it; it does not tell who they are."""
        return salted_hmac("quiz.accounts.tab", str(self.pk)).hexdigest()[:16]

    @property
    def works_at_desk(self) -> bool:
        """Instructors and graders, and administrators."""
        return self.has_role(*DESK_ROLES)

    @property
    def is_staff(self) -> bool:
        """Django's name for "may enter the admin": follows from the role, so that there is one truth."""
        return self.works_at_desk


class Visitor(models.Model):
    """Someone without an account. A row appears with the first answer, and goes when idle too long."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        verbose_name = _("visitor")
        verbose_name_plural = _("visitors")

    def __str__(self) -> str:
        return str(self.id)


class OwnedModel(models.Model):
    """A row that belongs to a user or to a visitor, never to both."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True)
    visitor = models.ForeignKey(Visitor, on_delete=models.CASCADE, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    once: ClassVar[tuple[str, ...]] = ()  # the fields in which no two rows of a person are alike, if any

    class Meta:
        abstract = True

    @classmethod
    def adopt(cls, visitor_id: uuid.UUID, user: User) -> None:
        """Hand a visitor's rows over to the user; what the user has already stays there once. Call it inside
        a transaction."""
        theirs = cls._default_manager.filter(visitor_id=visitor_id)
        if cls.once:
            same = cls._default_manager.filter(
                user=user, **{name: models.OuterRef(name) for name in cls.once}
            )
            theirs.filter(models.Exists(same)).delete()
        theirs.update(user=user, visitor=None)
