"""What the drills are made of: broken implementations, listings, dispatches, incidents, statements.

    drill         a family all of whose parts are choices
    fault_words   what each fault is called, and how it would show (weighing_faults, hiding_faults)
    experiments   the probes as they are told: what was done, what should come of it, the numbers
                  (open_experiments, hiding_experiments; looking: what is looked at)
    listings      short pieces of Python, and the faults that can be put into them
    lines         what each kind of line does, for whoever suspects the wrong one
    dispatches    kernels, masks, decisions and what decides them
    incidents     symptom, cause, remedy, evidence (chaining: these as choices)
    statements    true and false sentences, and their corrections

The drills themselves are modules of `families`, found there like every other.
"""
