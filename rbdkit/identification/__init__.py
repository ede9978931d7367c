"""Parameters of a model from measured motions: masses, centres of mass, inertias and friction.

`identify` fits measured joint forces, in which the inertial parameters of all bodies are linear; `exciting_motion`
finds motions that show them well.

How it works: not every parameter has an influence on joint forces, and others act only in sums, the *base parameters*,
which least squares determines with their uncertainty. Of all models with these the one nearest to the given model is
taken whose bodies can exist: masses positive, moments of inertia those of matter somewhere.
"""

from rbdkit.identification.exciting_motion import ExcitingMotion, exciting_motion
from rbdkit.identification.identify import Identification, identify

__all__ = ["identify", "exciting_motion", "ExcitingMotion", "Identification"]
