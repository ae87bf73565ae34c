"""Django's index of the features' admin pages. One signs in on the site's own page, which limits guesses."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from quiz.accounts import admin as accounts
from quiz.bank import admin as bank
from quiz.responses import admin as responses

__all__ = ["accounts", "bank", "responses"]

admin.site.site_header = _("QKV authoring")
admin.site.site_title = "QKV"
admin.site.index_title = _("Author")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
