"""Keywords that simulations have in other libraries, and what to write for them here."""

from __future__ import annotations

LENGTH = "the length of the motion is duration=, s"
STEP = "the length of a step is dt=, s"
FORCES = "joint forces are tau=: numbers, or a function of (t, q, v)"
TOLERANCES = 'tolerances are those of adaptive integrators: integrator=Adaptive("dop853", rtol=1e-9, atol=1e-9)'
START = "initial coordinates are q0=, velocities v0="

KEYWORDS = {
    **dict.fromkeys(("t", "tf", "t1", "tmax", "t_end", "t_final", "t_stop", "time", "horizon", "end_time"), LENGTH),
    **dict.fromkeys(("tspan", "t_span"), f"a motion begins at 0 s; {LENGTH}"),
    **dict.fromkeys(("n_steps", "nsteps", "num_steps", "steps", "n"), f"{LENGTH}, that of a step dt="),
    **dict.fromkeys(("timestep", "time_step", "step", "step_size", "stepsize", "h", "delta_t"), STEP),
    **dict.fromkeys(("t_eval", "saveat", "save_every", "record_every", "decimation"), "every= records each n-th step"),
    **dict.fromkeys(("x0", "y0", "state", "state0", "initial_state"), START),
    **dict.fromkeys(("q", "qpos", "qpos0", "q_init"), "initial coordinates are q0="),
    **dict.fromkeys(("v", "qd0", "dq0", "qvel", "qvel0", "v_init", "velocity"), "initial velocities are v0="),
    **dict.fromkeys(("torque", "torques", "force", "forces", "controller", "law", "input"), FORCES),
    **dict.fromkeys(("ctrl", "control", "controls", "action"), "controls of actuators are u=, joint forces tau="),
    **dict.fromkeys(("method", "solver", "scheme"), 'the integrator goes by name: integrator="rk4"'),
    **dict.fromkeys(("rtol", "atol", "tol", "tolerance"), TOLERANCES),
    **dict.fromkeys(("contacts", "contact_law", "contact_model"), "the contact law is contact="),
    **dict.fromkeys(("fext", "external_forces", "wrenches", "wrench"), "external forces are f_ext="),
    "gravity": "it belongs to the model: model.with_parameters({'gravity': (0, 0, -1.62)})",
    "joint_limits": "what happens at limits is limits=",
    "verbose": "a bar shows the progress: progress=True",
}
"""What to write in place of keywords, in small letters."""
