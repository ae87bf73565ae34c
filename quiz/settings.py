"""Settings, all in one file. Every environment variable is read here, typed, and listed in README.md."""

from __future__ import annotations

import importlib.util
import secrets
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from environs import Env, validate

env = Env()

BASE_DIR = Path(__file__).resolve().parent.parent

# --- mode ---------------------------------------------------------------------------------------------
PRODUCTION = env.bool("QUIZ_PRODUCTION", False)
DEBUG = env.bool("QUIZ_DEBUG", False)
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("QUIZ_DEBUG must be off when QUIZ_PRODUCTION is on.")

DATA_DIR = Path(env.str("QUIZ_DATA_DIR", str(BASE_DIR / "var"))).resolve()


def _secret_key() -> str:
    """The given key, or outside production one made on the first run and kept in the data folder."""
    given = env.str("QUIZ_SECRET_KEY", "")
    if given:
        return given
    if PRODUCTION:
        raise ImproperlyConfigured("QUIZ_SECRET_KEY must be set when QUIZ_PRODUCTION is on.")
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        fresh = DATA_DIR / f"secret_key.{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(fresh)  # atomic: the first of several processes wins
        except FileExistsError:
            pass
        fresh.unlink()
    return path.read_text()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("QUIZ_HOSTS", [] if PRODUCTION else ["*"])
# Forwarded headers can be forged: they are believed only as far as there are proxies of ours.
PROXIES = env.int("QUIZ_PROXIES", 0, validate=validate.Range(min=0))
NINJA_NUM_PROXIES = ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
if PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_TRUSTED_ORIGINS: list[str] = env.list("QUIZ_TRUSTED_ORIGINS", [])

# --- applications -------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "quiz",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "django_htmx",
    "django_tasks_db",
    "ninja",
    "simple_history",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "quiz.pages.compression.CompressionMiddleware",
    "quiz.pages.security.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "quiz.accounts.private_pages.PrivatePagesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "quiz.urls"
WSGI_APPLICATION = "quiz.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # widgets of ours have templates among ours

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "quiz.pages.context.navigation",
            ],
        },
    },
]

# --- database -----------------------------------------------------------------------------------------
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA mmap_size=134217728;"
        "PRAGMA journal_size_limit=27103364;PRAGMA cache_size=2000;PRAGMA temp_store=MEMORY;"
    ),
}
DATABASES = {
    "default": env.dj_db_url(
        "DATABASE_URL", f"sqlite:///{DATA_DIR / 'quiz.sqlite3'}", conn_max_age=60, conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
    DATA_DIR.mkdir(parents=True, exist_ok=True)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Rendered texts, shared by the processes of a site; a third of it goes when it is full.
    "rendered": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "rendered",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 6000},
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- work ---------------------------------------------------------------------------------------------
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["checks", "lab", "gpu"]}}
WORK_LEASE_SECONDS = env.int("QUIZ_LEASE_SECONDS", 30, validate=validate.Range(min=3))
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # A process that is stopped in the middle of a transaction must not keep its locks past the lease.
    options = DATABASES["default"].setdefault("OPTIONS", {})
    silence = f"-c idle_in_transaction_session_timeout={WORK_LEASE_SECONDS * 1000}"
    options["options"] = f"{options.get('options', '')} {silence}".strip()
    # Nor may a cut cable hold a process up: an answer that does not come is an outage after a lease.
    options.setdefault("connect_timeout", 10)
    options.setdefault("tcp_user_timeout", WORK_LEASE_SECONDS * 1000)
VISITOR_DAYS = env.int("QUIZ_VISITOR_DAYS", 90, validate=validate.Range(min=1))

# --- the lab ------------------------------------------------------------------------------------------
LAB_INSTALLED = importlib.util.find_spec("torch") is not None
LAB_VISITOR_RUNS_A_DAY = env.int("QUIZ_LAB_VISITOR_RUNS_A_DAY", 5, validate=validate.Range(min=0))
LAB_USER_RUNS_A_DAY = env.int("QUIZ_LAB_USER_RUNS_A_DAY", 50, validate=validate.Range(min=0))
LAB_VISITOR_MAX_LENGTH = env.int("QUIZ_LAB_VISITOR_MAX_LENGTH", 1024, validate=validate.Range(min=16))
LAB_POINT_SECONDS = env.int("QUIZ_LAB_POINT_SECONDS", 60, validate=validate.Range(min=1))
LAB_VISITOR_RUN_SECONDS = env.int("QUIZ_LAB_VISITOR_RUN_SECONDS", 180, validate=validate.Range(min=1))
LAB_USER_RUN_SECONDS = env.int("QUIZ_LAB_USER_RUN_SECONDS", 1800, validate=validate.Range(min=1))
LAB_VISITOR_SECONDS_A_DAY = env.int("QUIZ_LAB_VISITOR_SECONDS_A_DAY", 600, validate=validate.Range(min=1))
LAB_USER_SECONDS_A_DAY = env.int("QUIZ_LAB_USER_SECONDS_A_DAY", 7200, validate=validate.Range(min=1))
LAB_SITE_SECONDS_A_DAY = env.int("QUIZ_LAB_SITE_SECONDS_A_DAY", 43200, validate=validate.Range(min=1))
LAB_VISITOR_POINT_MIB = env.int("QUIZ_LAB_VISITOR_POINT_MIB", 2048, validate=validate.Range(min=1))
LAB_USER_POINT_MIB = env.int("QUIZ_LAB_USER_POINT_MIB", 65536, validate=validate.Range(min=1))
LAB_QUEUE_LIMIT = env.int("QUIZ_LAB_QUEUE_LIMIT", 20, validate=validate.Range(min=1))

# --- people -------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "quiz.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_ADAPTER = "quiz.accounts.adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_SESSION_REMEMBER = True

# --- mail ---------------------------------------------------------------------------------------------
_mail = env.dj_email_url("QUIZ_MAIL_URL", "console://")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST = _mail["EMAIL_HOST"]
EMAIL_PORT = _mail["EMAIL_PORT"]
EMAIL_HOST_USER = _mail["EMAIL_HOST_USER"]
EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS = _mail["EMAIL_USE_TLS"]
EMAIL_USE_SSL = _mail["EMAIL_USE_SSL"]
DEFAULT_FROM_EMAIL = env.str("QUIZ_MAIL_FROM", "QKV <quiz@localhost>")

# --- languages and time -------------------------------------------------------------------------------
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", _("Chinese")), ("en", _("English"))]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "quiz" / "locale"]
TIME_ZONE = env.str("QUIZ_TIME_ZONE", "Asia/Shanghai")
USE_TZ = True
USE_I18N = True

# --- static files -------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "quiz.management.serving.static_files.Storage"},
}

# --- security -----------------------------------------------------------------------------------------
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 365 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# On a plain HTTP address of the local network browsers ignore the opener policy with a warning.
SECURE_CROSS_ORIGIN_OPENER_POLICY: str | None = "same-origin" if PRODUCTION else None
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.bool("QUIZ_SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^health/$"]
    SECURE_HSTS_SECONDS = env.int("QUIZ_HSTS_SECONDS", 365 * 24 * 3600, validate=validate.Range(min=0))
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

API_RATE = env.str("QUIZ_API_RATE", "60/m", validate=validate.Regexp(r"^\d+/[smhd]$"))

# --- logging ------------------------------------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "stream": sys.stderr}},
    "root": {"handlers": ["console"], "level": env.str("QUIZ_LOG_LEVEL", "INFO")},
}
