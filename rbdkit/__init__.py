"""rbdkit: rigid-body dynamics that people can touch.

One model, every formulation: build a `Model` by code or `load` it from a file, ask for its dynamics (`rnea`, `aba`,
`crba`, `jacobian`, `energy`, ...), `simulate` it and `show` it in a notebook.

>>> import rbdkit as rbd
>>> model = rbd.Model("double pendulum")
>>> box = rbd.Inertia.box((0.05, 0.05, 1.0), mass=1.0)
>>> rod = box.transformed(rbd.pose(position=(0, 0, -0.5)))
>>> upper = model.add_body("upper", joint=rbd.Revolute("y"), inertia=rod)
>>> lower = model.add_body("lower", "upper", rbd.Revolute("y"), placement=(0, 0, -1.0), inertia=rod)
>>> trajectory = rbd.simulate(model, q0=[2.0, 1.0], duration=1.0)
>>> trajectory.q.shape
(1001, 2)

Conventions
-----------
- **Units** are SI units and radians, everywhere. 1 is the unit of quaternions and rotation matrices.
- **Gravity** is the acceleration of free fall in world coordinates, (0, 0, -9.81) m/s2 unless the model says otherwise.
- **Angular before linear**: a velocity is (omega, v), a force (moment, force), and so are the rows of Jacobians. What a
  source has the other way round is reordered on input.
- **Frames**: spatial quantities of a body are in its own coordinates, about its frame's origin, unless a name says
  otherwise. External forces are in world coordinates about the world's origin; `wrench` makes them.
- **Poses** are 4x4 matrices ``[R p; 0 1]``: the pose of B in A takes coordinates in B to coordinates in A. Transforms
  X, 6x6, take motion vectors from parent to body coordinates.
- **Quaternions** are scalar first. A ball joint has a unit quaternion for q and the angular velocity in its own axes
  for v; a free joint has q = (quaternion, position) and v = (omega, v), its twist in its own axes.
- **Coordinates live on a manifold**: q has nq numbers, velocities and forces nv. ``model.integrate(q, dv)`` moves q
  along it, ``model.difference(q0, q1)`` goes back, and derivatives with respect to q are along it, nv columns. A q off
  its manifold is refused; it is never mended in silence.
- **Bodies** are numbered outward from body 0, the fixed base 'world'; joint i connects body i to its parent. Bodies,
  joints and frames have names, and go by them.
- **Stacks**: leading axes make many states of one, ``q`` of shape (..., nq) gives results of shape (..., nv).
  A result has the same bits whatever the others of its stack are and wherever it stands there. Stacks of 100 states a
  joint and more may be computed by code of their own, which rounds otherwise: they differ from single calls and smaller
  stacks by about 1e-15 of the largest numbers that are added up.
- **A model never changes its numbers**; ``model.with_parameters({...})`` is another one of the same topology.
- **What cannot be computed is refused** by an `RbdkitError` that names the body, joint or argument, shows the value and
  says how to mend it.
- **Names** are words, but for the established `rnea`, `aba` and `crba`. Within `rbdkit.algorithms` symbols are those of
  the source, with the number of the equation on the line.

Where things are
----------------
`rbdkit.joints` has the joint types, `rbdkit.forces` springs, friction and what forces of your own are made from,
`rbdkit.constraints` rods, gears, rolling and what constraints of your own are made from, `rbdkit.library` ready models,
`rbdkit.formats` files, `rbdkit.formulations` and `rbdkit.integrators` what `simulate` can do.
The readable algorithms with all that they compute are in `rbdkit.algorithms`, rotations, poses and spatial
vectors in `rbdkit.spatial`, derivatives in `rbdkit.derivatives`.

The names below are loaded when first used, so that ``import rbdkit`` is quick and needs no notebook packages.
"""

from __future__ import annotations

from rbdkit.loaded import loads_later, names_in_stub

__version__ = "0.1.0"

# One list of the public names: type checkers read the stub, and so does this module.
_HOMES, _PACKAGES = names_in_stub(__name__, f"{__path__[0]}/__init__.pyi")

__all__ = [*sorted(name for names in _HOMES.values() for name in names), *_PACKAGES]

_ELSEWHERE = {
    "ball": "a ball joint is 'Spherical', a ball to be seen 'Sphere'",
    "balljoint": "a ball joint is 'Spherical'",
    "codegen": "functions of a model become code by 'export_function'",
    "computejointjacobian": "take 'jacobian'",
    "continuous": "a hinge without limits is 'Revolute'",
    "controller": "a function of (t, q, v) is tau= of 'simulate'; one that keeps something is given as 'Sampled'",
    "cuboid": "take 'Box'",
    "eom": "take 'equations'",
    "equations_of_motion": "take 'equations'",
    "euler": 'integrators go by name: simulate(model, integrator="symplectic_euler"), or "explicit_euler"',
    "fd": "forward dynamics is 'forward_dynamics', of trees also 'aba'",
    "fixed_point": "a state of rest is found by 'equilibrium'",
    "fixedjoint": "take 'Fixed'",
    "fk": "take 'forward_kinematics'",
    "floating": "a joint that leaves a body free is 'Free'",
    "freeflyer": "a joint that leaves a body free is 'Free'",
    "freejoint": "a joint that leaves a body free is 'Free'",
    "hinge": "a hinge is 'Revolute'",
    "hingejoint": "a hinge is 'Revolute'",
    "id": "inverse dynamics is 'inverse_dynamics', of trees also 'rnea'",
    "ik": "take 'inverse_kinematics'",
    "inertia_matrix": "the joint-space inertia matrix is 'crba'",
    "linearise": "take 'linearize'",
    "load_mjcf": "take 'load', which reads MJCF too",
    "load_urdf": "take 'load', which reads URDF too",
    "lqr": "take linearize(model, q).lqr(Q, R)",
    "mass_matrix": "the joint-space inertia matrix is 'crba'",
    "mjmodel": "a compiled model of MuJoCo is read by 'load_mujoco', a file by 'load'",
    "nonlinear_effects": "take 'bias_force'",
    "nonlineareffects": "take 'bias_force'",
    "pdcontroller": "take the force element 'Servo', or a function of (t, q, v) as tau= of 'simulate'",
    "pin": "a pin joint is 'Revolute'",
    "pinjoint": "a pin joint is 'Revolute'",
    "regressor": "take 'inertial_regressor'",
    "render": "take 'show', or 'to_png' for a file",
    "rk4": 'integrators go by name: simulate(model, integrator="rk4"), which is what it takes anyway',
    "rungekutta4": 'integrators go by name: simulate(model, integrator="rk4"), which is what it takes anyway',
    "slider": "a slider is 'Prismatic', the widget with a slider for each joint 'sliders'",
    "sliderjoint": "a slider is 'Prismatic'",
    "step": "take 'simulate' with a short duration, 'step_integrator' to see it, or 'play' to touch it",
    "symbolic": "take 'equations', or 'export_function' for any function of a model",
    "sympy": "take 'equations', or 'export_function'",
    "to_sympy": "take 'equations', or 'export_function'",
    "trim": "a state of rest is found by 'equilibrium'",
    "viewer": "take 'show'",
    "weld": "take 'Fixed'",
    "weldjoint": "take 'Fixed'",
    "zeroorderhold": "take 'Sampled'",
}
"""What to take in place of names that other libraries have, in small letters."""

__getattr__, __dir__ = loads_later(__name__, _HOMES, _PACKAGES, _ELSEWHERE)
