"""Stands in for the measuring command: does what the configuration says, without torch."""

import ctypes
import json
import mmap
import os
import signal
import subprocess
import sys
import time
from typing import Any


def main(arguments: list[str]) -> None:
    asked: dict[str, Any] = json.loads(arguments[arguments.index("--json") + 1])
    deed = asked["do"]
    if deed == "answer":
        print("a line before the result")
        print(json.dumps({"outcome": "measured", "median_ms": 1.5, "budget": arguments[-1]}))
    elif deed == "hang":
        print("begun", file=sys.stderr, flush=True)
        time.sleep(600)
    elif deed == "babble":
        print("no result")
    elif deed == "unknown_outcome":
        print('{"outcome": "splendid"}')
    elif deed == "fail":
        sys.exit("ValueError: something specific")
    elif deed == "abort":
        os.abort()
    elif deed == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif deed == "signal":
        os.kill(os.getpid(), int(asked["number"]))
        time.sleep(600)
    elif deed == "illegal_access":
        ctypes.string_at(0)
    elif deed == "silent":
        sys.exit(0)
    elif deed == "print":
        print(asked["text"])
    elif deed == "fail_in_bytes":
        os.write(2, bytes.fromhex(asked["hex"]))
        sys.exit(1)
    elif deed == "talk_without_end":
        while True:
            sys.stdout.write("x" * 2**20)
    elif deed == "leave_someone_behind":
        left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(json.dumps({"outcome": "measured", "left": left.pid}), flush=True)
        time.sleep(600 if asked.get("and_hang") else 0)
        os._exit(0)
    elif deed == "grow":
        held = [bytearray(os.urandom(2**20)) for _ in range(int(asked["mib"]))]
        time.sleep(600 if held else 0)
    elif deed == "allocate":
        bytearray(int(asked["bytes"]))
        print('{"outcome": "measured"}')
    elif deed == "reserve":
        mmap.mmap(-1, int(asked["bytes"]))
        print('{"outcome": "measured"}')
    elif deed == "ignore_signals":
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        print('{"outcome": "measured"}')


if __name__ == "__main__":
    main(sys.argv[1:])
