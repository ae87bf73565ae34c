"""The mutants are up to date, cover what they must, and (in `make prove`) the tests notice every one."""

import subprocess
import sys

import pytest

from tests.core.mutants import ROOT, mutated
from tests.core.mutations import MUTANTS, NORMS, POSITIONS, WRONG_ATTENTIONS


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_changes_the_text_as_it_stands_today(mutant):
    assert mutated(mutant) != (ROOT / "attention_core" / mutant.file).read_text("utf-8")


def test_there_are_as_many_as_promised_and_no_two_alike():
    assert len(WRONG_ATTENTIONS) >= 34
    assert len(NORMS) >= 7
    assert len(POSITIONS) >= 4
    assert (
        len({mutant.name for mutant in MUTANTS}) == len({mutant.edits for mutant in MUTANTS}) == len(MUTANTS)
    )


@pytest.mark.prove
def test_every_mutant_is_noticed():
    ran = subprocess.run(
        [sys.executable, "-m", "tests.core.mutants"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert f"{len(MUTANTS)} of {len(MUTANTS)} mutants killed" in ran.stdout
