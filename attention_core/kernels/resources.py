"""What a compiled kernel would take of a card, read from its binary."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

SHARED_LIMIT = 232_448  # bytes that one program may have on compute capability 9.0


@dataclass(frozen=True)
class Resources:
    """What one compiled kernel takes: bytes of shared memory, registers a thread, bytes spilled."""

    shared: int
    registers: int
    spilled: int
    tensor_cores: bool

    @property
    def fits(self) -> bool:
        """True when it can be launched, and keeps its state in registers."""
        return self.shared <= SHARED_LIMIT and self.spilled == 0


def usage(cubin: bytes) -> tuple[int, int]:
    """(registers, bytes of stack and local memory), told by the disassembler in Triton's own wheel."""
    import triton

    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        told = subprocess.run([tool, "-res-usage", path], capture_output=True, text=True, check=True).stdout  # noqa: S603
    found = {name: int(number) for name, number in re.findall(r"\b(REG|STACK|LOCAL):(\d+)", told)}
    return found["REG"], found["STACK"] + found["LOCAL"]
