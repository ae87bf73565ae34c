"""heads: the cut is along the width, the copies of a group stand side by side."""

import numpy as np
import pytest

from attention_core import heads
from attention_core.errors import ShapeError
from tests.core.examples import drawn


def test_each_head_is_a_band_of_the_width():
    x = drawn(1, (2, 5, 12))[0]
    apart = heads.split(x, heads=3)
    assert apart.shape == (2, 3, 5, 4)
    for head in range(3):
        assert (apart[:, head] == x[:, :, 4 * head : 4 * head + 4]).all()


def test_merging_undoes_splitting():
    x = drawn(2, (2, 5, 12))[0]
    assert (heads.merge(heads.split(x, heads=4)) == x).all()


def test_heads_are_joined_in_order():
    assert heads.merge(np.array([[[0.6, 0.8]], [[0.2, 0.5]]])).tolist() == [[0.6, 0.8, 0.2, 0.5]]


def test_shapes_are_computed():
    assert heads.head_shape(batch=2, length=5, d_model=512, heads=8) == (2, 8, 5, 64)
    assert heads.score_shape(batch=2, heads=8, queries=5, keys=9) == (2, 8, 5, 9)
    assert (
        heads.head_shape(batch=3, length=7, d_model=32, heads=4)
        == heads.split(np.ones((3, 7, 32)), heads=4).shape
    )


def test_groups_are_repeated_side_by_side():
    x = np.arange(2.0).reshape(1, 2, 1, 1)
    assert heads.repeat_groups(x, heads=6)[0, :, 0, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert heads.repeat_groups(x, heads=2) is x


@pytest.mark.parametrize("count", [0, -1, 5])
def test_a_width_that_cannot_be_cut_is_refused(count):
    with pytest.raises(ShapeError, match=rf"^heads: given {count}; expected"):
        heads.split(np.ones((2, 12)), heads=count)
    with pytest.raises(ShapeError, match=rf"^heads: given {count}; expected"):
        heads.head_shape(batch=1, length=2, d_model=12, heads=count)


def test_groups_must_divide_the_heads():
    with pytest.raises(ShapeError, match=r"^heads: given 4; expected a multiple of the 3"):
        heads.repeat_groups(np.ones((3, 1, 1)), heads=4)
