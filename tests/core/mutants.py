"""Do the tests notice? Every mutant of `mutations` is put into a copy of attention_core, and tests run on it.

`python -m tests.core.mutants [words of a name]` prints a table and exits 1 when a mutant survives, when the
tests fail without any, or when a mutant's text is no longer found. Each run is a fork of this process, which
has imported what takes long (torch, Hypothesis), but not attention_core.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import hypothesis  # noqa: F401  # so that every fork has them already
import pytest
import torch

from tests.core.mutations import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # a mutant that loops counts as noticed
PASSED, FAILED, INTERRUPTED = 0, 1, 2  # pytest's exit codes; a module that cannot be collected interrupts


class OutOfDate(Exception):
    """A mutant whose text does not stand exactly once in its file."""


def mutated(mutant: Mutant) -> str:
    """The file's text with the mutant in it."""
    text = (ROOT / "attention_core" / mutant.file).read_text("utf-8")
    for old, new in mutant.edits:
        if text.count(old) != 1:
            raise OutOfDate(f"{mutant.name}: {old!r} stands {text.count(old)} times in {mutant.file}")
        text = text.replace(old, new)
    compile(text, mutant.file, "exec")
    return text


def copy_to(folder: Path, mutant: Mutant | None) -> None:
    """The library and its tests, with the mutant in it."""
    ignored = shutil.ignore_patterns("__pycache__", "README.md")
    shutil.copytree(ROOT / "attention_core", folder / "attention_core", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "core", folder / "tests" / "core", ignore=ignored)
    (folder / "tests" / "__init__.py").touch()
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  prove: a long proof\n")
    if mutant is not None:
        (folder / "attention_core" / mutant.file).write_text(mutated(mutant), "utf-8")


def fork(folder: Path, tests: Iterable[str]) -> int:
    """Run these test modules in a child process; returns its id. What it prints goes to `folder`/output."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        with (folder / "output").open("w") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        os.chdir(folder)
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "attention_core")]:
            del sys.modules[name]
        sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in ("", str(ROOT)))]
        signal.alarm(SECONDS)
        files = [f"tests/core/test_{name}.py" for name in tests]
        quietly = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:django", "-m", "not prove"]
        code = int(pytest.main([*quietly, "-c", "pytest.ini", "--hypothesis-seed=0", *files]))
    finally:
        os._exit(code)


def outcomes(mutants: Iterable[Mutant | None], *, at_once: int) -> Iterator[tuple[Mutant | None, int, str]]:
    """(mutant, exit code, the last words of its run), as they come."""
    waiting = iter(mutants)
    running: dict[int, tuple[Mutant | None, Path]] = {}
    with tempfile.TemporaryDirectory(prefix="mutants") as place:
        while True:
            while len(running) < at_once and (mutant := next(waiting, waiting)) is not waiting:
                assert mutant is None or isinstance(mutant, Mutant)
                folder = Path(tempfile.mkdtemp(dir=place))
                copy_to(folder, mutant)
                tests = mutant.tests if mutant else sorted({name for m in MUTANTS for name in m.tests})
                running[fork(folder, tests)] = mutant, folder
            if not running:
                return
            child, status = os.wait()
            mutant, folder = running.pop(child)
            yield mutant, os.waitstatus_to_exitcode(status), noticed_by(folder / "output")
            shutil.rmtree(folder)


def noticed_by(output: Path) -> str:
    """The first test that failed, or pytest's last line."""
    lines = output.read_text("utf-8", errors="replace").splitlines() or [""]
    found = [line.split(" - ")[0] for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return found[0].removeprefix("FAILED tests/core/") if found else lines[-1]


def main(arguments: list[str]) -> int:
    """Print a line for each mutant and return the exit status."""
    torch.set_num_threads(1)
    words = " ".join(arguments)
    chosen = [mutant for mutant in MUTANTS if words in mutant.name]
    for mutant in chosen:
        mutated(mutant)  # all texts are found before any test is run
    start, bad, killed = time.monotonic(), [], 0
    for mutant, code, words in outcomes([None, *chosen], at_once=os.cpu_count() or 1):
        name = mutant.name if mutant else "no mutant"
        noticed = code in (FAILED, INTERRUPTED, -signal.SIGALRM)
        killed += noticed and mutant is not None
        verdict = "killed" if noticed else "SURVIVED" if code == PASSED else f"exit {code}"
        if mutant is None:
            verdict = "passes" if code == PASSED else "FAILS"
        if (code == PASSED) is not (mutant is None) or not (noticed or mutant is None):
            bad.append(name)
        print(f"{verdict:9} {name:52} {words}", flush=True)
    print(f"{killed} of {len(chosen)} mutants killed in {time.monotonic() - start:.0f} s")
    if bad:
        print("not as they should be:", "; ".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
