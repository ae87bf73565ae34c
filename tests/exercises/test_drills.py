"""The drills of broken implementations, dispatchers and incidents: what they show is computed, and enough."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core import attention, drills
from attention_core.kernel_rules import allowed_error, decide, refusal
from quiz.exercises import registry
from quiz.exercises.drills.experiments import EXPERIMENTS, as_table, clear, failing, told_apart
from quiz.exercises.drills.fault_words import FAULT_WORDS, step_of
from quiz.exercises.drills.incidents import INCIDENTS
from quiz.exercises.families import broken_implementation as broken
from quiz.exercises.families import dispatcher_decision as dispatcher
from quiz.exercises.registry import all_families
from quiz.exercises.types import Table
from tests.exercises.drawn import variants

DRILLS = ("broken_implementation", "dispatcher_decision", "spot_the_line", "symptom_chain", "true_or_false")


def test_the_drills_are_those_of_the_design_and_ask_choices_only() -> None:
    found = sorted(family.slug for family in all_families() if family.group == "drill")
    assert found == sorted(DRILLS)
    assert sum(family.group == "numeric" for family in all_families()) == 64
    for slug in DRILLS:
        assert {part.kind for part in variants(slug)[0].parts} == {"choice"}
        assert registry.get(slug).one_handed


# ---- the broken implementation ----


def numbers(table: Table) -> list[tuple[str, ...]]:
    return [tuple(cell.en for cell in row[1:]) for row in table.rows]


def test_every_probe_belongs_to_one_experiment_and_makes_the_same_calls() -> None:
    used = [name for one in EXPERIMENTS.values() for name in one.probes]
    assert len(used) == len(set(used))
    for one in EXPERIMENTS.values():
        first = drills.PROBES[one.probes[0]].calls
        for name in one.probes:
            assert [id(call) for call in drills.PROBES[name].calls] == [id(call) for call in first] or all(
                np.array_equal(a.q, b.q) and np.array_equal(a.k, b.k) and np.array_equal(a.v, b.v)
                for a, b in zip(drills.PROBES[name].calls, first, strict=False)
            )


@pytest.mark.parametrize("slug", EXPERIMENTS)
def test_a_right_implementation_shows_what_it_should(slug: str) -> None:
    """Rows that should stay the same do, to every decimal shown; rows that should move do so visibly."""
    one = EXPERIMENTS[slug]
    seen, failed = one.tried(attention)
    assert failed == frozenset()
    assert seen is not None
    if one.kind != "other":
        assert (seen.lines[0][1] == seen.lines[1][1]) == (one.kind == "same")


@pytest.mark.parametrize("fault", broken.FAULTY)
def test_what_an_experiment_shows_of_a_fault_is_what_its_probes_find(fault: str) -> None:
    """The numbers of a clear experiment give its outcome away: an independent look at the printed rows."""
    table = drills.table()[fault]
    for slug in clear(fault):
        one = EXPERIMENTS[slug]
        if fault == drills.DROPOUT and slug != "again":
            continue
        found = failing(fault)[slug]
        if "shapes_do_not_fit" not in found:
            assert found == table & set(one.probes)
        shown = numbers(as_table(1, slug, fault, 0))
        if one.kind == "same" and len(shown) == 2:
            assert (shown[0] != shown[1]) == bool(found), slug
        if one.kind == "moves" and len(shown) == 2:
            assert (shown[0] == shown[1]) == bool(found), slug
        right, _ = one.tried(attention)
        assert right is not None
        if one.kind == "other" and found:
            assert shown != [line for _, line in right.lines], slug


def test_four_probes_tell_the_fault_from_every_other_option() -> None:
    asked_dropout = 0
    for variant in variants("broken_implementation"):
        d = variant.drawn
        assert len(d["options"]) == broken.OPTIONS
        assert (len(set(d["probes"])), len(set(d["more"]))) == (broken.SHOWN, broken.MORE)
        assert not set(d["probes"]) & set(d["more"])
        for other in set(d["options"]) - {d["fault"]}:
            assert any(told_apart(slug, d["fault"], other) for slug in d["probes"]), (variant.seed, other)
        asked_dropout += drills.DROPOUT in d["options"]
        assert [t.caption.en.split(":")[0] for t in (*variant.prompt.tables, *variant.probes)] == [
            f"Probe {number}" for number in range(1, 7)
        ]
    assert 0 < asked_dropout < len(variants("broken_implementation")) / 2


def test_dropout_shows_another_output_each_time_and_the_same_page_each_time() -> None:
    first, second = (numbers(as_table(1, "again", drills.DROPOUT, seed)) for seed in (5, 5))
    assert first == second
    assert first[0] != first[1]
    assert numbers(as_table(1, "again", drills.DROPOUT, 6)) != first
    assert step_of(drills.DROPOUT) == step_of("mix_with_keys")


def test_every_fault_of_the_drill_has_its_words_and_can_be_seen() -> None:
    assert set(broken.FAULTY) == set(FAULT_WORDS) & set(drills.DRILLED)
    assert len(broken.FAULTY) >= 30
    for fault in broken.FAULTY:
        assert any(failing(fault)[slug] for slug in clear(fault))


# ---- the dispatcher ----


def test_decisions_follow_from_the_rules_and_no_number_is_near_the_edge() -> None:
    seen = set()
    for variant in variants("dispatcher_decision"):
        d = variant.drawn
        request, outcome = dispatcher._request(d), dispatcher._outcome(d)
        decision = decide(d["asked"], request, outcome)
        assert variant.right["decision"] == decision
        allowed = allowed_error(plain=d["plain"], largest=d["largest"], dtype=d["dtype"])
        refused = refusal(d["asked"], request)
        reason = variant.right["reason"]
        if decision == "stop":
            assert reason == ("nan" if d["error"] is None else "hidden" if d["influenced"] else "error")
            assert math.isnan(outcome.error) or outcome.influenced or outcome.error > 3 * allowed
        else:
            assert outcome.error < 2 * d["plain"] <= allowed
            assert (reason == "accepted") == (refused is None) == (decision == "run")
        if d["influenced"]:
            assert d["mask"] != "none"
        seen.add((decision, reason))
    assert {decision for decision, _ in seen} == {"run", "fall_back", "stop"}
    assert {reason for _, reason in seen} == set(dispatcher.WANTED)


@pytest.mark.parametrize("reason", ["dtype", "mask", "device", "width"])
def test_the_refusal_has_one_cause_and_names_it(reason: str) -> None:
    words = {"dtype": ("float16", "bfloat16"), "mask": ("mask",), "device": ("CUDA",), "width": ("width",)}
    found = [v for v in variants("dispatcher_decision") if v.right["reason"] == reason]
    assert found
    for variant in found:
        told = refusal(variant.drawn["asked"], dispatcher._request(variant.drawn))
        assert told is not None
        assert any(word in told for word in words[reason]), told


def test_the_number_on_the_page_is_the_number_that_decides() -> None:
    for variant in variants("dispatcher_decision")[:30]:
        shown = variant.prompt.tables[1].rows[0][1].en
        error = variant.drawn["error"]
        if error is None:
            assert shown == "NaN"
            continue
        mantissa, exponent = shown.strip("$").split(" \\times 10^")
        assert float(f"{mantissa}e{exponent.strip('{}')}") == error


# ---- the incidents ----


def test_every_incident_is_told_in_three_ways_and_its_near_misses_are_its_own() -> None:
    assert len(INCIDENTS) == 5
    near = [one.link(column).near for one in INCIDENTS.values() for column in ("cause", "remedy", "evidence")]
    assert len(set(near)) == len(near) == 15
    assert not set(near) & set(INCIDENTS)
    assert all(len({text.zh for text in one.symptoms}) == 3 for one in INCIDENTS.values())


def test_the_same_incidents_are_offered_in_all_three_links() -> None:
    """So that nobody can find the one that is common to the three."""
    for variant in variants("symptom_chain"):
        offered = [set(variant.drawn[column]) & set(INCIDENTS) for column in ("cause", "remedy", "evidence")]
        assert offered[0] == offered[1] == offered[2]
        assert len(offered[0]) == 4
        assert variant.drawn["incident"] in offered[0]
