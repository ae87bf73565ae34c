#!/usr/bin/env python
"""Django's command line for QKV: `manage.py serve`, `sync_bank`, `autocheck`, `exercise`, …"""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quiz.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
