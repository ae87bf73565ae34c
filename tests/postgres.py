"""Runs the tests marked "database" on PostgreSQL: `python -m tests.postgres [pytest's arguments]`.

QUIZ_TEST_POSTGRES is the address of a role that may create databases, such as
postgres://quiz:quiz@localhost/quiz. Without it the run is skipped, or fails where QUIZ_REQUIRE_ALL is 1.
"""

import os
import subprocess
import sys


def main(arguments: list[str]) -> int:
    url = os.environ.get("QUIZ_TEST_POSTGRES", "")
    if not url:
        required = os.environ.get("QUIZ_REQUIRE_ALL") == "1"
        word = "FAILED" if required else "skipped"
        print(
            f"tests on PostgreSQL {word}: QUIZ_TEST_POSTGRES is not set (postgres://user:password@host/database)"
        )
        return int(required)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "database",
        "-n",
        "auto",
        "--dist",
        "loadfile",
        *arguments,
    ]
    return subprocess.run(command, env=os.environ | {"DATABASE_URL": url}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
