"""Motion constraints and the forces behind them (Featherstone 2008, chapter 3).

equations      EquationOfMotion, equation_of_motion, equation_of_body, collect
constraints    apply_implicit (K, k), apply_explicit and apply_explicit_dual (G, g), project
one body       attached_body, by_motion_subspace, by_constraint_forces, by_generalized_coordinates, split_force
joints         joint_constraint, active_forces
many bodies    incidence, multibody_system: all bodies and joints, loop joints included, in one equation
beyond joints  constrained_motion under a MotionConstraint: RollingContact, TautString; classify determines its kind
of a model     constraints_of: elements, loop and mimic joints, gears and limits as MotionConstraints, each a Held
"""

from rbdkit.algorithms.constraints.classification import Classification, allowed, along, around, bracket, classify
from rbdkit.algorithms.constraints.constrained_body import (
    AttachedBody,
    ConstrainedMotion,
    apparent_inverse_inertia,
    attached_body,
    by_constraint_forces,
    by_generalized_coordinates,
    by_motion_subspace,
)
from rbdkit.algorithms.constraints.equation import EquationOfMotion, collect, equation_of_body, equation_of_motion
from rbdkit.algorithms.constraints.explicit import ExplicitResult, apply_explicit, apply_explicit_dual, project
from rbdkit.algorithms.constraints.force_split import ForceSplit, split_force
from rbdkit.algorithms.constraints.held import Held, constraints_of
from rbdkit.algorithms.constraints.implicit import ImplicitResult, apply_implicit
from rbdkit.algorithms.constraints.joint_constraint import JointConstraint, active_forces, joint_constraint
from rbdkit.algorithms.constraints.motion_constraint import (
    MotionConstraint,
    constrained_motion,
    lets_go,
    velocity_error,
)
from rbdkit.algorithms.constraints.multibody_system import (
    MultibodyMotion,
    MultibodySystem,
    incidence,
    multibody_system,
)
from rbdkit.algorithms.constraints.rolling_contact import RollingContact
from rbdkit.algorithms.constraints.taut_string import TautString

__all__ = [
    "AttachedBody",
    "Classification",
    "ConstrainedMotion",
    "EquationOfMotion",
    "ExplicitResult",
    "ForceSplit",
    "Held",
    "ImplicitResult",
    "JointConstraint",
    "MotionConstraint",
    "MultibodyMotion",
    "MultibodySystem",
    "RollingContact",
    "TautString",
    "active_forces",
    "allowed",
    "along",
    "apparent_inverse_inertia",
    "apply_explicit",
    "apply_explicit_dual",
    "apply_implicit",
    "around",
    "attached_body",
    "bracket",
    "by_constraint_forces",
    "by_generalized_coordinates",
    "by_motion_subspace",
    "classify",
    "collect",
    "constrained_motion",
    "constraints_of",
    "equation_of_body",
    "equation_of_motion",
    "incidence",
    "joint_constraint",
    "lets_go",
    "multibody_system",
    "project",
    "split_force",
    "velocity_error",
]
