"""Run a module in this process with a memory limit, and die with the parent.

    python -m quiz.lab.guarded BYTES PARENT MODULE [ARGUMENT …]

BYTES limits the address space (0: no limit). Ctrl-C and SIGTERM are left to the parent, which decides what
becomes of the measurement; if the parent dies, the kernel kills this process. No Django or torch here.
"""

from __future__ import annotations

import ctypes
import os
import resource
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1
LARGEST_FILE = 2**26  # bytes: a child that talks without end fills neither the memory nor the disk


def limit_address_space(most: int) -> None:
    if most > 0:
        _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bounded, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_files(most: int) -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def die_with(parent: int) -> None:
    """Ask Linux to kill this process when its parent dies; end now if that has happened already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def main(arguments: list[str]) -> None:
    most, parent, module, *rest = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with(int(parent))
    limit_address_space(int(most))
    limit_files(LARGEST_FILE)
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
