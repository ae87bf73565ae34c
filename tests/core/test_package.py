"""The package as a whole: what importing it loads, its examples, what a call costs."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import attention_core

MODULES = [name for _, name, _ in pkgutil.walk_packages(attention_core.__path__, "attention_core.")]


def test_importing_loads_neither_torch_nor_django_nor_the_compatibility_layer():
    heavy = ("torch", "triton", "django", "array_api_compat", "quiz")
    code = f"import attention_core, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_numpy_work_loads_nothing_more():
    code = (
        "import sys, numpy as np; from attention_core import attention, faults, trace\n"
        "x = np.ones((3, 2)); attention(x, x, x, causal='top_left', mask=np.ones((3, 3), dtype=bool))\n"
        "trace(x, x, x, steps=faults.steps_with('no_scale'))\n"
        "print('torch' in sys.modules, 'array_api_compat' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_public_names():
    assert set(attention_core.__all__) == {
        name for name in vars(attention_core) if name in attention_core.__all__
    }
    assert {"attention", "trace", "trace_from_x", "softmax", "faults", "costs", "masks", "errors"} <= set(
        attention_core.__all__
    )


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    result = doctest.testmod(sys.modules.get(name) or importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples_to_test():
    finder = doctest.DocTestFinder()
    examples = [len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(examples) >= 10


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_why_it_exists(name):
    assert len(importlib.import_module(name).__doc__) > 40
