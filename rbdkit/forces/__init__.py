"""Force elements, one a file: what acts in a mechanism by itself.

`element` says what each provides; `surroundings` what it may ask and do. They act in every formulation, readable and
compiled, as ``model.add_force(name, element)`` enters them; the springs, dampers and rotors of joints belong to
`rbdkit.model.Joint`.
"""

from rbdkit.forces.element import ForceElement
from rbdkit.forces.joint_friction import JointFriction
from rbdkit.forces.spring import Spring
from rbdkit.forces.surroundings import BodyMotion, Surroundings

__all__ = ["BodyMotion", "ForceElement", "JointFriction", "Spring", "Surroundings"]
