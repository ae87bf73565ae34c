"""The package as a whole: what importing it loads, its names, what its modules are for."""

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
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)
    assert set(attention_core.__all__) <= set(dir(attention_core))
    with pytest.raises(AttributeError, match=r"^module 'attention_core' has no attribute 'atention'$"):
        attention_core.atention  # noqa: B018


def test_chapters_are_loaded_when_they_are_asked_for():
    code = (
        "import attention_core, sys\n"
        "later = 'blocks cache costs faults gradients multihead similarity tiling training'.split()\n"
        "print([name for name in later if 'attention_core.' + name in sys.modules])\n"
        "modules = [getattr(attention_core, name).__name__ for name in later]\n"
        "print(sum(module == 'attention_core.' + name for module, name in zip(modules, later, strict=True)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n9\n"


def test_functions_stay_functions_when_chapters_are_loaded():
    code = (
        "import attention_core\n"
        "attention_core.faults, attention_core.blocks, attention_core.tiling\n"
        "print(callable(attention_core.softmax), callable(attention_core.attention))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_the_names_that_the_chapters_promise():
    assert {"attention", "trace", "trace_from_x", "softmax", "faults", "costs", "masks", "errors"} <= set(
        attention_core.__all__
    )


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_why_it_exists(name):
    assert len(importlib.import_module(name).__doc__) > 40
