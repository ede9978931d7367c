"""Forces on points of bodies with their potentials, stiffness K and damping D (Sueda, sections 1.9.2 to 1.9.6).

All in the symbols of the notes: E is the pose of a body in the world, phi its twist in body coordinates, angular part
first, Gamma the Jacobian of a point (Eq 1.12). Wrenches f, (6,) for each point in turn, are in body coordinates, too;
``K = df/dE`` are derivatives along displacements of that kind, and ``D = -df/dPhi`` by the twists, so that the linearly
implicit step is ``(M + h D - h^2 K) Phi' = ...`` (Eq 1.30). Some printed signs differ; the errata say which and why.

In the order of reading::

    attached           points of bodies, what comes out of a force, and rows of several points as those of bodies
    directed_force     a force that keeps its direction in the world
    point_spring       a spring of no length between two points
    spring_damper      a spring with a rest length and a damper
    muscle             a muscle between two points
    muscle_path        a muscle through any number of points

`rbdkit.stiffness_and_damping` gives both for all that acts in a model, by derivatives of the force elements themselves.
"""

from rbdkit.algorithms.elastic.attached import Attached, PointForces, onto_bodies
from rbdkit.algorithms.elastic.directed_force import directed_force
from rbdkit.algorithms.elastic.muscle import MuscleNumbers, muscle
from rbdkit.algorithms.elastic.muscle_path import muscle_path
from rbdkit.algorithms.elastic.point_spring import point_spring
from rbdkit.algorithms.elastic.spring_damper import spring_damper

__all__ = [
    "Attached",
    "MuscleNumbers",
    "PointForces",
    "directed_force",
    "muscle",
    "muscle_path",
    "onto_bodies",
    "point_spring",
    "spring_damper",
]
