"""What compiled code finds closed beyond doubt, against what has the last word."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.model.closing import require_closed
from rbdkit.simulation import formulated
from rbdkit.simulation.clearly_closed import clearly_closed

MODELS = {
    "four-bars": lambda: rbd.library.n_four_bar(2, closing=rbd.Spherical()).model,
    "platform": rbd.library.stewart_platform,
    "planar": rbd.library.planar_four_bar,
}


def refused(model, q, v) -> bool:
    try:
        require_closed(model, q, v)
    except StateError:
        return True
    return False


@pytest.mark.parametrize("name", MODELS)
def test_it_is_never_sure_of_what_is_refused(name):
    """Away from a closed state by any amount, in any direction: by coordinates, by velocities, by both."""
    model, rng, sure = MODELS[name](), np.random.default_rng(5), 0
    q0 = model.neutral()
    for exponent in np.linspace(-12.0, 0.0, 49):
        for at, moving in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
            dq, dv = 10.0**exponent * rng.normal(size=(2, model.nv))
            q, v = model.integrate(q0, at * dq), moving * dv
            found = clearly_closed(model, q, v)
            assert not (found and refused(model, q, v))
            sure += found
    assert clearly_closed(model, q0, np.zeros(model.nv)) and 20 < sure < 120


@pytest.mark.parametrize("name", MODELS)
def test_what_is_no_number_is_closed_in_no_way(name):
    model = MODELS[name]()
    q, v = model.neutral(), np.zeros(model.nv)
    assert not clearly_closed(model, np.full_like(q, np.nan), v) and not clearly_closed(model, q, v + np.inf)


def test_runs_of_which_it_is_sure_need_no_second_look_and_others_get_one(monkeypatch):
    asked: list[str] = []
    own = formulated.require_closed
    monkeypatch.setattr(formulated, "require_closed", lambda *given, **names: asked.append("") or own(*given, **names))
    model = MODELS["four-bars"]()
    rbd.simulate(model, duration=0.01)
    assert not asked
    rbd.simulate(model, duration=0.002, backend="book")
    assert len(asked) == 1
    with pytest.raises(StateError, match="q0 leaves loop joint"):
        rbd.simulate(model, model.neutral() + 0.01, duration=0.01)
    assert len(asked) == 2
    turned = rbd.library.n_four_bar(2, closing=rbd.Reversed(rbd.Spherical())).model
    rbd.simulate(turned, duration=0.01)
    assert len(asked) == (2 if clearly_closed(turned, turned.neutral(), np.zeros(turned.nv)) else 3)


@pytest.mark.parametrize("offset, holds", [(0.0, True), (1e-6, False), (1e-2, False)])
def test_constraints_are_looked_at_like_loops(offset, holds):
    model = rbd.Model("plumb")
    model.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    model.add_constraint("rod", rbd.Distance("world", "bob", 1.0, at_a=(0.0, 0.0, 1.0)))
    q, v = model.neutral(), np.zeros(6)
    q[6] -= offset
    assert clearly_closed(model, q, v) is holds
    v[5] = offset  # along the rod
    assert clearly_closed(model, model.neutral(), v) is holds
