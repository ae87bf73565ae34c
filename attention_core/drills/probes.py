"""The probes: experiments that attention passes and that each drillable mistake fails in its own way.

Most change what must not matter and look whether the output moved; some keep a promise of the definition
(rows of weights sum to 1, the output lies between the values); a few read the weights themselves, by taking
the identity matrix for the values.
"""

from collections.abc import Iterator

from attention_core.drills.extras import extras
from attention_core.drills.probe import Probe
from attention_core.drills.promises import operands, promises, sharpness
from attention_core.drills.visibility import hiding, time


def all_probes() -> Iterator[Probe]:
    """Every probe, in the order in which one would try them."""
    for kind in (promises, operands, sharpness, time, hiding, extras):
        yield from kind()
