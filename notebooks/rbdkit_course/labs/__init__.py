"""Labs: the student writes the algorithm, in stages, and each stage has a check that names the mistake.

rnea           A  inverse dynamics, from one body to trees with all kinds of joints and outer forces
crba           B  the inertia matrix and the factorization that keeps its zeros
aba            C  forward dynamics in three passes
munthe_kaas    D  a step on the group of rotations, whose order is measured
closed_loop    E  a constraint, and what keeps it from drifting
contact        F  forces where bodies touch, up to the linear complementarity problem
judging        finds the mistake in a wrong algorithm, by right ones with mistakes planted in them; machines: test cases
counting       operations of a student's function, by running it on symbols
"""

from rbdkit_course.labs import aba, closed_loop, contact, crba, munthe_kaas, rnea
from rbdkit_course.labs.driving import moved_by

__all__ = ["aba", "closed_loop", "contact", "crba", "moved_by", "munthe_kaas", "rnea"]
