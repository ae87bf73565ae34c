"""The mutants: small changes of attention_core's text, each of which some test must notice.

A text that is to be changed must stand exactly once in its file, so that a mutant cannot silently change
nothing when the library is rewritten. `python -m tests.core.mutants` runs them.
"""

from tests.core.mutations.attending import WRONG_ATTENTIONS
from tests.core.mutations.layers import LAYERS, NORMS, POSITIONS
from tests.core.mutations.mutant import Mutant
from tests.core.mutations.running import COSTS, GRADIENTS_AND_TRAINING, TILES_AND_CACHE

MUTANTS = (
    *WRONG_ATTENTIONS,
    *NORMS,
    *POSITIONS,
    *LAYERS,
    *TILES_AND_CACHE,
    *GRADIENTS_AND_TRAINING,
    *COSTS,
)

__all__ = ["MUTANTS", "NORMS", "POSITIONS", "WRONG_ATTENTIONS", "Mutant"]
