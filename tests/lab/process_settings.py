"""The settings of workers and sites whose lab measures in no time: see `tests.lab.plug`."""

from tests.work.process_settings import *  # noqa: F403
from tests.work.process_settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.lab.apps.LabTests"]
