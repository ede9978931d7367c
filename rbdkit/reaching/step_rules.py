"""Numbers that decide how long steps towards targets are, and when they end."""

REACHED = 1e-8
"""Error, rad or characteristic lengths, up to which a target counts as reached, if steps gain no more digits."""
NEAR = 1e-10
"""Error from which on steps end as soon as one does not halve it: what is left is round-off."""
ROUND_OFF = 1e-14
"""Error below which no further step is taken."""
MOST_STEPS, MOST_FAR_STEPS = 100, 40
"""Steps from one starting point; and steps after which it is given up if it is still `FAR`."""
FAR = 1e-3
"""Error, rad or characteristic lengths, up to which steps go on slowly, as they do at singular poses."""
MINIMUM = 1e-12
"""Share of an error that a step must be expected to gain, else it is at its minimum."""
FLAT = 1e-3
"""Share of a larger error that a step must be expected to gain; to start elsewhere costs less."""
KAPPA = 1e-3
"""Damping relative to the square of the error."""
LARGEST_STEP = 1.0
"""Of a coordinate, rad or characteristic lengths: the first radius of the trust region, and the largest."""
SMALLEST_MU = 1e-20
"""Damping at the end, where steps are Newton's."""
HOPELESS = 1e-10
"""Radius at which no step goes downhill any more."""
