"""The textbook's examples run, and every public function of it has one, with its shapes or its promise."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import attention_core

MODULES = sorted(module.name for module in pkgutil.walk_packages(attention_core.__path__, "attention_core."))
# What carries the textbook but is not its text: reading arguments, commands, what needs a card, or measures
# this machine. Their docstrings say what they do; an example would show nothing, or another thing everywhere.
CARRYING = (
    "attention_core.arrays",
    "attention_core.benchmark",
    "attention_core.benchmark_decode",
    "attention_core.benchmark_limit",
    "attention_core.benchmark_padding",
    "attention_core.benchmark_rollout",
    "attention_core.drills.examples",
    "attention_core.drills.probe",
    "attention_core.faults.scoring",
    "attention_core.inputs",
    "attention_core.kernels.compiling",
    "attention_core.kernels.flex",
    "attention_core.kernels.influence",
    "attention_core.kernels.launching",
    "attention_core.kernels.limiting",
    "attention_core.kernels.memory",
    "attention_core.kernels.record",
    "attention_core.kernels.resources",
    "attention_core.kernels.sdpa",
    "attention_core.kernels.timing",
    "attention_core.kernels.triton_flash",
    "attention_core.measuring",
)
PLUMBING = {
    "attention_core.drills.extras": {"extras"},
    "attention_core.drills.probes": {"all_probes"},
    "attention_core.drills.promises": {"promises", "operands", "sharpness"},
    "attention_core.drills.visibility": {"time", "hiding"},
    "attention_core.fault_report": {"main", "measure"},
    "attention_core.kernels.card": {"cards", "users"},
    "attention_core.kernels.naive": {"naive_rows"},
    "attention_core.kernels.spying": {"launched"},
    "attention_core.kernels.tiles": {"constants_of"},
    "attention_core.kernels.verifying": {"check"},
    "attention_core.masks": {"check_mask", "check_spreads"},
    "attention_core.softmax": {"softmax_along"},
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def public_functions(name):
    module = importlib.import_module(name)
    for key, value in vars(module).items():
        if not key.startswith("_") and inspect.isfunction(value) and value.__module__ == name:
            yield key, inspect.getdoc(value) or ""


def test_every_public_function_says_what_it_does():
    silent = [f"{name}.{key}" for name in MODULES for key, text in public_functions(name) if len(text) < 20]
    assert silent == []


def test_every_public_function_of_the_textbook_has_an_example():
    bare = {
        f"{name}.{key}"
        for name in MODULES
        if name not in CARRYING
        for key, text in public_functions(name)
        if ">>>" not in text and key not in PLUMBING.get(name, ())
    }
    assert bare == set()


def test_the_exceptions_are_needed():
    for name, keys in PLUMBING.items():
        texts = dict(public_functions(name))
        assert all(">>>" not in texts[key] for key in keys)
    assert set(CARRYING) | set(PLUMBING) <= set(MODULES)
