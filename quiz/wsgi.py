"""The WSGI entry point, which granian serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quiz.settings")

application = get_wsgi_application()
