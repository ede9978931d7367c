"""Newton's method inside a program: the roots that NumPy finds, in every backend, each lane as long as it needs it."""

import numpy as np
import pytest

from rbdkit.integrators.newton import Solves, solve
from rbdkit.trace import Lanes, Newton, Program, blank, executable, newton_arrays, width_of, woven
from rbdkit.trace.newton import eliminate

BACKENDS = ("python", "llvm", "wasm")
N = 3


def curves(z, a):
    """Three equations that mix their unknowns; a says how strongly they bend."""
    return [z[0] * z[0] + a * z[1] * z[2] - 2.0, z[1] + a * z[0] * z[0] * z[2] - 1.0, 3.0 * z[2] - z[0] + a * z[1]]


def recorded(name, lanes=None, equations=curves, quick=8):
    program = Program(name, lanes) if lanes else Program(name)

    def residual(z, result):
        values = equations([z.load(program, k) for k in range(N)], program.load("a", 0))
        for k, value in enumerate(values):
            result.store(program, k, value)

    with program.loop(0, program.count("times")):
        Newton(program, 0, N, residual, quick).solve()
    return program


def room(a, guess=(1.5, 0.5, 0.3)):
    given = {"a": np.array([a]), "guess": np.array(guess), "going": np.ones(1), "tolerance": np.array([1e-13])}
    return newton_arrays(N) | given


def expected(a, guess=(1.5, 0.5, 0.3)):
    return solve(lambda z: np.array(curves(z, a)), np.array(guess), tolerance=1e-13)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_root_is_found_and_the_way_to_it_is_told(backend, run):
    arrays = room(0.4)
    run(recorded("root", quick=0), backend, arrays, times=1)
    root, how = expected(0.4)
    np.testing.assert_allclose(arrays["unknowns"], root, rtol=1e-13)  # the tolerance
    (found,) = Solves(arrays["hardest"][None])
    assert found.iterations == how.iterations >= 4
    # differences have errors of 1e-10, which the last residuals feel
    np.testing.assert_allclose(found.residuals[:-1], how.residuals[:-1], rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_old_jacobian_serves_as_long_as_it_leads_there(backend, run):
    guess = expected(0.05)[0] + 0.02
    arrays = room(0.05, guess)
    program = recorded("old")
    run(program, backend, arrays, times=1)
    first, inverse = arrays["hardest"][0], arrays["jacobian_inverse"].copy()
    assert arrays["kept"][0] == 1.0 and first > expected(0.05, guess)[1].iterations  # convergence is linear
    arrays["a"][0] = 0.06
    arrays["hardest"][:] = 0.0
    run(program, backend, arrays, times=1)
    np.testing.assert_array_equal(arrays["jacobian_inverse"], inverse)
    np.testing.assert_allclose(arrays["unknowns"], expected(0.06, guess)[0], rtol=1e-12)
    arrays["a"][0] = 1.2  # now it does not: Newton's method begins again
    arrays["hardest"][:] = 0.0
    run(program, backend, arrays, times=1)
    assert arrays["kept"][0] == 0.0 and (arrays["jacobian_inverse"] != inverse).any()
    np.testing.assert_allclose(arrays["unknowns"], expected(1.2, guess)[0], rtol=1e-12)
    assert Solves(arrays["hardest"][None])[0].iterations == expected(1.2, guess)[1].iterations


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "equations",
    [
        lambda z, a: [z[0] * z[0] + 1.0, z[1], z[2]],  # no root
        lambda z, a: [z[0] + z[1] - 1.0, z[0] + z[1], z[2]],  # no inverse
        lambda z, a: [z[0], z[1], (z[2] - 5.0).sqrt()],  # no number
    ],
)
def test_where_there_is_no_root_it_says_so(equations, backend, run):
    arrays = room(0.0, guess=(0.7, 0.1, 0.2))
    run(recorded("rootless", equations=equations), backend, arrays, times=1)
    assert arrays["hardest"][2] == 1.0
    assert not Solves(arrays["hardest"][None])[0].residuals[-1] < 1e-13


def test_round_off_ends_the_search_when_the_tolerance_cannot_be_met(run):
    """The residual of x^2 = 2e20 is no smaller than its last digit, about 1e4."""
    arrays = room(0.0, guess=(1e10, 1.0, 1.0))
    run(recorded("large", equations=lambda z, a: [z[0] * z[0] - 2e20, z[1], z[2]]), "llvm", arrays, times=1)
    assert arrays["hardest"][2] == 0.0
    assert arrays["unknowns"][0] == pytest.approx(np.sqrt(2e20), rel=1e-15)


def test_each_lane_has_its_own_root_failure_and_patience():
    """Lanes that begin at the root, need many corrections, need a new Jacobian, have no root, or stand still."""
    width = width_of("llvm")
    lanes = recorded("lanes", Lanes(width, frozenset({"sides"})))
    bends = np.resize([0.05, 0.4, 1.2, np.nan, 0.3, 0.0, 0.8, 2.0], width)
    alone = [room(a) for a in bends]
    alone[-1]["going"][0] = 0.0
    together = {name: woven([own[name] for own in alone]) for name in alone[0] if name != "sides"}
    executable(lanes, "llvm").bind({**together, "sides": alone[0]["sides"]}, {"times": 2})()
    one = executable(recorded("one"), "llvm")
    for lane, own in enumerate(alone):
        one.bind(own, {"times": 2})()
        if own["going"][0]:
            # the same operations but for which products are rounded before they are added
            for name in ("unknowns", "jacobian_inverse", "kept"):
                np.testing.assert_allclose(together[name][:, lane], own[name], rtol=1e-6, atol=1e-9)
        found, wanted = (Solves(rows[None])[0] for rows in (together["hardest"][:, lane], own["hardest"]))
        assert found.iterations == wanted.iterations
        np.testing.assert_allclose(found.residuals[:3], wanted.residuals[:3], rtol=1e-3, atol=1e-9)
        assert found.residuals[-1] < 1e-13 or together["hardest"][2, lane] == own["hardest"][2] == own["going"][0]
    assert len(set(together["hardest"][0].tolist())) > 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_elimination_changes_rows_where_it_must(backend, run):
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(6, 6)), rng.normal(size=(6, 2))
    A[0, 0] = A[3, 3] = 0.0
    A[1] *= 1e-9
    program = Program("rows")
    eliminate(program, 0, program.count("n"), "A", "B", 2)
    x = B.copy()
    run(program, backend, {"A": A.copy(), "B": x, "elimination": np.zeros(3)}, n=6)
    expected = np.linalg.solve(A, B)
    # what rows of other sizes make of round-off
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_the_largest_pivot_is_taken_in_every_column(run):
    """Beyond the first: a tiny one in the last row would lose all digits."""
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1e-20, 1.0]])
    program = Program("rows")
    eliminate(program, 0, program.count("n"), "A", "B", 1)
    x = A @ [1.0, 2.0, 3.0]
    run(program, "python", {"A": A.copy(), "B": x, "elimination": np.zeros(3)}, n=3)
    np.testing.assert_allclose(x, [1.0, 2.0, 3.0], rtol=1e-15)


def test_elimination_in_lanes():
    width, n = width_of("llvm"), 5
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(width, n, n)), rng.normal(size=(width, n, 1))
    program = Program("rows", Lanes(width))
    eliminate(program, 0, n, "A", "B", 1)
    x = woven(list(B))
    executable(program, "llvm").bind({"A": woven(list(A)), "B": x, "elimination": blank(3, width)}, {})()
    np.testing.assert_allclose(x.T, np.linalg.solve(A, B)[..., 0], rtol=1e-11)


def test_more_corrections_than_are_told_are_refused():
    with pytest.raises(ValueError, match="20 and 20 corrections are more than 30"):
        Newton(Program("many"), 0, 1, lambda z, r: None, quick=20).solve()
