"""How large an expression and everything it computes may be. An author meets none of these in honest use."""

SOURCE_LENGTH = 1000  # characters
NODES = 400
DEPTH = 40
INTEGER_BITS = 1024
ELEMENTS = 16_384  # of one array
DIMENSIONS = 4
CORE_ELEMENTS = 4096  # of an array given to attention_core: its products stay under a million entries
CORE_LENGTH = 256  # of any of its axes
CORE_DIMENSIONS = 3
SECONDS = 1.0  # of this thread's processor time
TEXT_LENGTH = 40
