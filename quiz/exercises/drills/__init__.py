"""What the drills are made of: broken implementations, listings, incidents, statements, kernels.

    drill         a family all of whose parts are choices
    fault_words   what each fault is called, and how it would show
    experiments   the probes as they are told: what was done, what should come of it, the numbers
    listings      short pieces of Python, and the faults that can be put into them
    lines         what each kind of line does, for whoever suspects the wrong one
    incidents     symptom, cause, remedy, evidence
    statements    true and false sentences, and their corrections

The drills themselves are modules of `families`, found there like every other.
"""
