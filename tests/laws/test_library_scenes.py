"""Every scene of contact in the library under every law, once compiled and once in readable form."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import library
from rbdkit.laws import Compliant, Impulse, Rigid, TimeStepping

SCENES = {
    "ball": library.bouncing_ball,
    "cradle": lambda: library.newtons_cradle(3, 0.1),
    "pit": lambda: library.ball_pit(4),
    "block": lambda: library.block_on_slope(0.4, 0.3),
    "rod": library.painleve_rod,
    "disc": library.disc_in_slot,
    "wheel with edges": lambda: library.rolling_wheel(9),
    "wheel": lambda: library.rolling_wheel(None),
    "rattleback": library.rattleback,
    "coin": library.spinning_coin,
    "tippe top": library.tippe_top,
    "dominoes": lambda: library.domino_row(2),
    "pyramid": lambda: library.box_pyramid(2),
    "woodpecker": library.woodpecker_toy,
    "quadruped": library.quadruped,
    "humanoid": library.humanoid,
}
SOFT = Compliant(stiffness=500.0, damping=1.0)
LAWS = [(TimeStepping(tol=1e-12), 1e-3, 40), (SOFT, 1e-4, 60), (Rigid(), 1e-3, 5), (Impulse(), 1e-3, 5)]
"""Steps that are short enough for the lightest bodies: longer ones make round-off grow, on both sides alike."""


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")  # of tops that spin with 250 rad/s: the same on both sides
@pytest.mark.filterwarnings("ignore:PENETRATION")  # of small bodies in soft ground; of the others below
@pytest.mark.parametrize(("law", "dt", "steps"), LAWS, ids=[law.name for law, _, _ in LAWS])
@pytest.mark.parametrize("scene", SCENES)
def test_compiled_and_readable_motions_are_the_same(scene, law, dt, steps):
    """Soft surfaces begin a little later: whether what just touches is dented in the first step is for round-off."""
    model, q, v = SCENES[scene]()
    if law is SOFT:
        begun = rbd.simulate(model, q, v, 10 * dt, dt, contact=law, progress=False)
        q, v = begun.q[-1], begun.v[-1]
    compiled, readable = (
        rbd.simulate(model, q, v, steps * dt, dt, contact=law, backend=backend, progress=False)
        for backend in ("auto", "book")
    )
    assert readable.report.backend.startswith("contact law in Python, book form")
    assert compiled.report.backend.startswith("contact law in Python, comp" if not law.own_steps and law is not SOFT
                                              else "compiled loop")  # fmt: skip
    assert compiled.report.stopped == readable.report.stopped == ""
    assert law is SOFT or compiled.report.contacts.penetration < 1e-5  # (h w)^2 r of what spins
    size = 1.0 + np.abs(readable.v).max()
    np.testing.assert_allclose(compiled.v, readable.v, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(compiled.q, readable.q, rtol=0, atol=1e-10 * size)
    for name in compiled.contacts.names:  # points may share a force as they like
        np.testing.assert_allclose(
            compiled.contacts.total_force(name), readable.contacts.total_force(name), rtol=0, atol=1e-5
        )
