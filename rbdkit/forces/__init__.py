"""Force elements, one a file: springs, dampers, friction, muscles, motors and forces given by functions.

`ForceElement` is their base class, and `Surroundings` the interface by which they read a state and apply forces.
Elements added by ``model.add_force(name, element)`` act in every formulation, readable and compiled. The stiffness,
damping and friction of a `rbdkit.model.Joint` are shorthand for such elements; its armature is an inertia, not a force.
An element may have internal states z, which are integrated together with q and v.
"""

from typing import TYPE_CHECKING

from rbdkit.forces.element import ForceElement
from rbdkit.forces.joint_damper import JointDamper
from rbdkit.forces.joint_friction import JointFriction
from rbdkit.forces.joint_spring import JointSpring
from rbdkit.forces.point_force import DirectedForce, PointForce, TimedPointForce, point_force
from rbdkit.forces.surroundings import BodyMotion, Surroundings
from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.forces.actuator import Actuator
    from rbdkit.forces.damper import Damper
    from rbdkit.forces.maxwell import Maxwell
    from rbdkit.forces.muscle import ExcitedMuscle, Muscle, TimedMuscle, timed_muscle
    from rbdkit.forces.pull import Pull
    from rbdkit.forces.servo import Servo
    from rbdkit.forces.spring import Spring
    from rbdkit.forces.zero_length_spring import ZeroLengthSpring

__all__ = [
    "Actuator",
    "BodyMotion",
    "Damper",
    "DirectedForce",
    "ExcitedMuscle",
    "ForceElement",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "Maxwell",
    "Muscle",
    "PointForce",
    "Pull",
    "Servo",
    "Spring",
    "Surroundings",
    "TimedMuscle",
    "TimedPointForce",
    "ZeroLengthSpring",
    "point_force",
    "timed_muscle",
]

# Elements that most models do without are loaded when they are first asked for.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.forces.actuator": ["Actuator"],
        "rbdkit.forces.damper": ["Damper"],
        "rbdkit.forces.maxwell": ["Maxwell"],
        "rbdkit.forces.muscle": ["ExcitedMuscle", "Muscle", "TimedMuscle", "timed_muscle"],
        "rbdkit.forces.pull": ["Pull"],
        "rbdkit.forces.servo": ["Servo"],
        "rbdkit.forces.spring": ["Spring"],
        "rbdkit.forces.zero_length_spring": ["ZeroLengthSpring"],
    },
)
