"""The public API's index: each feature adds its router."""

from ninja import NinjaAPI

api = NinjaAPI(title="QKV", version="1", urls_namespace="api")
