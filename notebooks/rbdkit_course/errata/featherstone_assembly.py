"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): chapter 7."""

from __future__ import annotations

from rbdkit.algorithms.articulated import Articulated, handles, project_handles, take_apart
from rbdkit.joints import Free, Universal
from rbdkit.library import random_state
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia
from rbdkit_course.errata.featherstone import SCAN, SOURCE, largest
from rbdkit_course.errata.finding import Errors, Finding


def eq_7_59() -> Errors:
    """What a force on one end of two joined bodies does to the other end, against J H^-1 J^T of the pair."""
    model, box = Model(gravity=(0.0, 0.0, 0.0)), Inertia.box((0.2, 0.3, 0.5), mass=1.5)
    model.add_body("first", joint=Free(), inertia=box)
    model.add_body("last", "first", Universal(), (0.3, -0.2, 0.4), box, joint_name="pair")
    state = random_state(model, 0)
    system = take_apart(model, *state)
    ends = [[("left", 2), ("pair", 1)], [("pair", 2), ("right", 1)]]
    first, last = (Articulated.rigid(ends[i - 1], *system.inverse(i)) for i in (1, 2))
    Phi = handles.assemble(first, last, [system.joint(2)]).body.Phi  # Eq 7.63, with its Phi_14
    X_1, X_4 = system.X[1], system.X[2]
    exact = project_handles(model, *state, ["first", "last"]).block("first", "last")
    printed, right = (X_1 @ block @ X_4.T for block in (Phi[:6, :6], Phi[:6, 6:]))
    return Errors(largest(printed - exact), largest(right - exact))


FINDINGS = (
    Finding(
        SOURCE, "Eq 7.59",
        r"$a_1 = \Phi_1^A f_1 + \Phi_1^A f_4 + b_1^A$", r"$a_1 = \Phi_1^A f_1 + \Phi_{14}^A f_4 + b_1^A$",
        "The block beside the diagonal says what a force on the other handle does; Eq 7.63 gives it as "
        r"$\Phi_{14}^A$. In Eq 7.63 the line of $b_1^A$ stands twice.",
        eq_7_59, margin=0.1, tolerance=1e-10, unit="1/kg", doubt=SCAN,
    ),
)  # fmt: skip
