"""Public names of rbdkit and the modules that they come from: type checkers read them here, and `loads_later` does."""

from rbdkit import (
    accuracy as accuracy,
    algorithms as algorithms,
    collision as collision,
    constraints as constraints,
    costs as costs,
    derivatives as derivatives,
    drafting as drafting,
    engine as engine,
    export as export,
    figures as figures,
    forces as forces,
    formats as formats,
    formulas as formulas,
    formulations as formulations,
    identification as identification,
    integrators as integrators,
    joints as joints,
    laws as laws,
    library as library,
    linearization as linearization,
    meshes as meshes,
    model as model,
    pictures as pictures,
    reaching as reaching,
    scene as scene,
    simulation as simulation,
    spatial as spatial,
    stepping as stepping,
    trace as trace,
    widgets as widgets,
)
from rbdkit.accuracy.selfcheck import selfcheck as selfcheck
from rbdkit.actuation import inverse_dynamics as inverse_dynamics
from rbdkit.algorithms import wrench as wrench
from rbdkit.algorithms.constraints import constraints_of as constraints_of
from rbdkit.algorithms.contact import contacts as contacts
from rbdkit.assembly import (
    assemble as assemble,
    assembly_modes as assembly_modes,
    project_velocity as project_velocity,
)
from rbdkit.constraints import (
    ConstraintElement as ConstraintElement,
    Distance as Distance,
    Limit as Limit,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
    Rolling as Rolling,
    TautString as TautString,
    Tie as Tie,
)
from rbdkit.derivatives import (
    aba_derivatives as aba_derivatives,
    aba_gradient as aba_gradient,
    forward_dynamics_derivatives as forward_dynamics_derivatives,
    forward_dynamics_gradient as forward_dynamics_gradient,
    forward_dynamics_parameter_jacobian as forward_dynamics_parameter_jacobian,
    inertial_regressor as inertial_regressor,
    rnea_derivatives as rnea_derivatives,
    rnea_gradient as rnea_gradient,
    rnea_parameter_jacobian as rnea_parameter_jacobian,
    stiffness_and_damping as stiffness_and_damping,
)
from rbdkit.errors import (
    FormatError as FormatError,
    ModelError as ModelError,
    RbdkitError as RbdkitError,
    SimulationError as SimulationError,
    StateError as StateError,
)
from rbdkit.export import (
    to_gif as to_gif,
    to_html as to_html,
    to_mp4 as to_mp4,
    to_png as to_png,
)
from rbdkit.figures import plot as plot
from rbdkit.forces import (
    Actuator as Actuator,
    Damper as Damper,
    DirectedForce as DirectedForce,
    ExcitedMuscle as ExcitedMuscle,
    ForceElement as ForceElement,
    JointDamper as JointDamper,
    JointFriction as JointFriction,
    JointSpring as JointSpring,
    Maxwell as Maxwell,
    Muscle as Muscle,
    Pull as Pull,
    Servo as Servo,
    Spring as Spring,
    ZeroLengthSpring as ZeroLengthSpring,
)
from rbdkit.formats.load import (
    load as load,
    save as save,
)
from rbdkit.formats.mjcf.read import load_mujoco as load_mujoco
from rbdkit.formulas import (
    equations as equations,
    export_function as export_function,
)
from rbdkit.formulations import StateEquation as StateEquation
from rbdkit.freedom import (
    mobility as mobility,
    properly_constrained as properly_constrained,
)
from rbdkit.functions import (
    aba as aba,
    actuator_force as actuator_force,
    bias_acceleration as bias_acceleration,
    bias_force as bias_force,
    center_of_mass as center_of_mass,
    compile as compile,
    crba as crba,
    element_state_rates as element_state_rates,
    energy as energy,
    forward_dynamics as forward_dynamics,
    forward_kinematics as forward_kinematics,
    gravity_force as gravity_force,
    hybrid_dynamics as hybrid_dynamics,
    jacobian as jacobian,
    momentum as momentum,
    passive_force as passive_force,
    power_balance as power_balance,
    rnea as rnea,
    state_derivative as state_derivative,
)
from rbdkit.identification import identify as identify
from rbdkit.inspection import inspect as inspect
from rbdkit.joints import (
    Composite as Composite,
    Cylindrical as Cylindrical,
    EulerAngles as EulerAngles,
    EulerSpherical as EulerSpherical,
    ExponentialSpherical as ExponentialSpherical,
    Fixed as Fixed,
    Free as Free,
    FreeInPlane as FreeInPlane,
    Helical as Helical,
    Planar as Planar,
    PlanarTranslation as PlanarTranslation,
    Prescribed as Prescribed,
    Prismatic as Prismatic,
    RackAndPinion as RackAndPinion,
    Reversed as Reversed,
    Revolute as Revolute,
    SphereInCylinder as SphereInCylinder,
    Spherical as Spherical,
    SplineCurve as SplineCurve,
    SplineSurface as SplineSurface,
    Translational as Translational,
    Universal as Universal,
)
from rbdkit.linearization import (
    equilibrium as equilibrium,
    linearize as linearize,
)
from rbdkit.model import (
    Box as Box,
    Capsule as Capsule,
    Cone as Cone,
    Cylinder as Cylinder,
    Ellipsoid as Ellipsoid,
    Geometry as Geometry,
    Limits as Limits,
    Material as Material,
    Mesh as Mesh,
    Mimic as Mimic,
    Model as Model,
    Sphere as Sphere,
    validate as validate,
)
from rbdkit.reaching import (
    LookAt as LookAt,
    Orientation as Orientation,
    Pointing as Pointing,
    inverse_kinematics as inverse_kinematics,
    path as path,
)
from rbdkit.simulation import (
    Ensemble as Ensemble,
    Sampled as Sampled,
    Trajectory as Trajectory,
    compare_runs as compare_runs,
    sweep as sweep,
    traced as traced,
    untraced as untraced,
)
from rbdkit.simulation.simulate import simulate as simulate
from rbdkit.spatial.inertia import Inertia as Inertia
from rbdkit.spatial.se3 import pose as pose
from rbdkit.widgets import (
    build as build,
    show as show,
    step_algorithm as step_algorithm,
    step_integrator as step_integrator,
)
from rbdkit.widgets.comparison import compare as compare
from rbdkit.widgets.play import play as play
from rbdkit.widgets.sliders import sliders as sliders
from rbdkit.widgets.tweak import tweak as tweak

__version__: str
