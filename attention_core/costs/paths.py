"""How far apart two tokens are in each kind of layer, and what a layer costs: Vaswani et al. 2017, table 1.

Path lengths count layers (steps, for a recurrent network) between the first and the last of n tokens.
"""

from attention_core.costs.counting import product
from attention_core.errors import ShapeError


def attention_path(*, length: int) -> int:
    """1: every token reads every other directly (0 when there is only one).

    >>> attention_path(length=50)
    1
    """
    return min(1, max(0, product(length=length) - 1))


def recurrent_path(*, length: int) -> int:
    """n − 1: the state is handed on from token to token.

    >>> recurrent_path(length=50)
    49
    """
    return max(0, product(length=length) - 1)


def convolution_path(*, length: int, kernel: int, centred: bool = False) -> int:
    """⌈(n − 1)/(k − 1)⌉ layers of a kernel that looks k − 1 tokens back; a centred one reaches half as far:
    ⌈2(n − 1)/(k − 1)⌉.

    >>> convolution_path(length=50, kernel=3), convolution_path(length=50, kernel=3, centred=True)
    (25, 49)
    """
    distance = recurrent_path(length=length) * (2 if centred else 1)
    return -(-distance // (_kernel(kernel) - 1))


def dilated_path(*, length: int, kernel: int) -> int:
    """⌈log_k n⌉ layers when layer i looks k^i apart: the field grows k-fold with each.

    >>> dilated_path(length=81, kernel=3), dilated_path(length=82, kernel=3)
    (4, 5)
    """
    layers, field = 0, 1
    while field < product(length=length):
        layers, field = layers + 1, field * _kernel(kernel)
    return layers


def _kernel(kernel: int) -> int:
    if product(kernel=kernel) < 2:
        raise ShapeError("kernel", str(kernel), "at least 2 tokens")
    return kernel


def receptive_field(*, layers: int, window: int) -> int:
    """L (w − 1) + 1 tokens, when each layer sees w tokens, the token itself included.

    >>> receptive_field(layers=4, window=3)
    9
    """
    if product(window=window) == 0:
        raise ShapeError("window", "0", "at least 1: the token itself")
    return product(layers=layers) * (window - 1) + 1


def attention_operations(*, length: int, width: int) -> int:
    """n² d multiplications a layer; 1 step after another.

    >>> attention_operations(length=50, width=64)
    160000
    """
    return product(length=length, width=width) * length


def recurrent_operations(*, length: int, width: int) -> int:
    """n d² multiplications a layer; n steps, one after another.

    >>> recurrent_operations(length=50, width=64)
    204800
    """
    return product(length=length, width=width) * width


def convolution_operations(*, length: int, width: int, kernel: int) -> int:
    """k n d² multiplications a layer; 1 step after another.

    >>> convolution_operations(length=50, width=64, kernel=3)
    614400
    """
    return product(length=length, width=width, kernel=kernel) * width
