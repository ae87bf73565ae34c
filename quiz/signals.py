"""Every signal receiver of the features, connected in one place when Django is ready."""


def connect() -> None:
    """Connect the receivers (each feature exports its own)."""
