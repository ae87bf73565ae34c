"""The public API's index: each feature adds its router. Its documentation is packaged, at /api/v1/docs."""

from __future__ import annotations

from django.conf import settings
from ninja import NinjaAPI
from ninja.throttling import AnonRateThrottle, AuthRateThrottle

from quiz.bank.api import router as questions
from quiz.practice.api import router as exercises

api = NinjaAPI(
    title="QKV",
    version="1",
    description="Attention exercises computed on the spot, marking that names mistakes, and the questions.",
    urls_namespace="api",
    throttle=[AnonRateThrottle(settings.API_RATE), AuthRateThrottle(settings.API_RATE)],
)
api.add_router("", exercises)
api.add_router("", questions)
