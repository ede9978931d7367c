"""Legs that are alike: which are found, and that motions on them are what they were, link after link."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.rows import leg_elimination
from rbdkit.engine.run import bound, compiled_programs
from rbdkit.integrators import RK4, Projected
from rbdkit.joints import JointType
from rbdkit.library import delta_robot, n_four_bar, stewart_platform
from rbdkit.spatial import se3
from rbdkit.trace import Run

METHOD = Projected(RK4())
UNIVERSAL = rbd.Universal("x", "y")


def rod(length: float, mass: float, middle: float) -> rbd.Inertia | None:
    if not mass:
        return None
    return rbd.Inertia.box((0.1, 0.1, length), mass=mass).transformed(se3.pose(position=[0, 0, middle]))


def table(
    n: int,
    foot: JointType = UNIVERSAL,
    odd: bool = False,
    seed: int = 1,
    driven: bool = False,
    mass: float = 1.0,
) -> rbd.Model:
    """A platform on so many legs that become longer; they are joined to the ground by joints of type `foot`.
    odd : the last leg does not change its length. driven : all lengths are those that time says.
    mass : of the upper half of a leg; the lower one has twice as much."""
    rng, model = np.random.default_rng(seed), rbd.Model("table")
    model.add_body("top", joint=rbd.Free(), placement=[0, 0, 1], inertia=rbd.Inertia.box((1, 1, 0.1), mass=5.0))
    for k in range(n):
        below, ball = np.array([*rng.uniform(-1, 1, 2), 0.0]), np.array([*rng.uniform(-0.5, 0.5, 2), 0.0])
        way = ball + [0, 0, 1] - below
        length = float(np.linalg.norm(way))
        z = way / length
        x = np.cross([0.3, 1.0, 0.1], z)
        x /= np.linalg.norm(x)
        place = se3.pose(np.column_stack([x, np.cross(z, x), z]), below)
        model.add_body(f"lower{k}", joint=foot, placement=place, inertia=rod(length / 2, 2.0 * mass, length / 4))
        slide = rbd.Revolute("z") if odd and k == n - 1 else rbd.Prismatic("z")
        slide = rbd.Prescribed(slide, lambda t, k=k: swing(0.02, k, t)) if driven else slide
        model.add_body(f"upper{k}", f"lower{k}", slide, [0, 0, length], rod(length / 2, mass, -length / 4))
        model.add_loop(f"ball{k}", f"upper{k}", "top", rbd.Spherical(), None, ball)
    return model


def swing(far: float, k: int, t: float) -> tuple[np.ndarray, ...]:
    """A place, its speed and acceleration, from 0 on."""
    angle = 3.0 * t + k
    places = np.sin(angle) - np.sin(k), 3.0 * np.cos(angle), -9.0 * np.sin(angle)
    return tuple(np.array([far * x]) for x in places)


class Lift(rbd.ConstraintElement):
    """A body goes up with time."""

    body: str
    start: float
    rate: float

    def gap(self, at):
        return at.position(self.body)[2] - self.start - self.rate * at.time


def lifted() -> rbd.Model:
    model = stewart_platform()
    model.add_constraint("lift", Lift("platform", 1.0, 0.2))
    return model


def planar(n: int = 3) -> rbd.Model:
    """A triangle that slides on a plane, on arms of two links; what balls hold across the plane says nothing."""
    model = rbd.Model("planar", gravity=(0.0, -9.81, 0.0))
    model.add_body("triangle", joint=rbd.Planar("z"), inertia=rbd.Inertia.box((0.4, 0.4, 0.1), mass=2.0))
    for k, angle in enumerate(2.0 * np.pi * np.arange(n) / n):
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        tip, knee, foot = 0.3 * out, 0.8 * out + 0.2 * np.cross([0, 0, 1.0], out), 1.5 * out
        arm = rbd.Inertia.box((0.5, 0.1, 0.1), mass=1.0)
        model.add_body(f"arm{k}", joint=rbd.Revolute("z"), placement=foot, inertia=arm)
        model.add_body(f"forearm{k}", f"arm{k}", rbd.Revolute("z"), placement=knee - foot, inertia=arm)
        model.add_loop(f"tip{k}", f"forearm{k}", "triangle", rbd.Spherical(), tip - knee, tip)
    return model


def start(model: rbd.Model) -> tuple[np.ndarray, np.ndarray]:
    """A state that moves."""
    v = np.zeros(model.nv)
    v[: min(6, model.nv)] = np.array([0.3, 0.2, 0.1, 0.2, 0.1, 0.5])[: model.nv]
    q = rbd.assemble(model, model.neutral())
    return q, rbd.project_velocity(model, q, v)


def run(model: rbd.Model, steps: int, backend: str = "llvm") -> tuple[Run, Kernels]:
    kernels = Kernels(model, backend)
    q, v = start(model)
    return engine.simulate(kernels, q, v, 1e-3 * np.arange(steps + 1), METHOD, np.zeros(model.nv)), kernels


@pytest.fixture
def all_lengths(monkeypatch):
    """Motions of any length are worth long code, and what was compiled before is forgotten."""
    monkeypatch.setattr(bound, "MANY_STEPS", 1)
    compiled_programs.straight_code.cache_clear()
    yield
    compiled_programs.straight_code.cache_clear()


def legs_of(model: rbd.Model):
    return Kernels(model, "llvm")._legs


@pytest.mark.parametrize(
    ("model", "number", "links", "apart"),
    [
        (stewart_platform(), 6, 3, 3),  # of a universal joint two links
        (delta_robot(), 3, 5, 5),  # five freedoms for six rows
        (table(3), 3, 3, 3),
        (planar(), 3, 2, 2),
    ],
    ids=["stewart", "delta", "table", "planar"],
)
def test_legs_are_found(model, number, links, apart):
    legs = legs_of(model)
    assert (legs.n, {len(x) for x in legs.links}, legs.apart) == (number, {links}, apart)
    assert sorted(a for leg in (*legs.velocities, legs.shared) for a in leg) == list(range(model.nv))


@pytest.mark.parametrize("model", [table(4, driven=True), lifted()], ids=["driven", "lifted"])
def test_time_may_move_legs_or_what_they_carry(model):
    """What legs do by themselves is not asked then, and all else is as the readable form has it."""
    assert legs_of(model).apart == 0
    q = rbd.assemble(model)
    v = rbd.project_velocity(model, q, np.zeros(model.nv))
    found, expected = (rbd.simulate(model, q, v, duration=0.03, dt=1e-3, backend=x) for x in ("auto", "book"))
    assert "compiled loop" in found.report.backend
    assert found.q == pytest.approx(expected.q, abs=1e-12)
    tau = np.zeros(model.nv)
    one, other = (rbd.forward_dynamics(model, q, v, tau, t=0.1, backend=x) for x in ("auto", "book"))
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("model", [n_four_bar(3)[0], table(2)], ids=["four-bars", "two legs"])
def test_there_may_be_none(model):
    assert legs_of(model) is None


def test_a_leg_that_is_not_alike_stands_beside_the_others(all_lengths):
    """Its rows belong to no leg: the equations stay as they were, the others are computed side by side."""
    model = table(5, odd=True)
    legs = legs_of(model)
    assert (legs.n, legs.apart) == (4, 0)
    agree(model, 60)


def test_legs_that_are_tied_to_each_other_are_none(all_lengths):
    """What one of them does, the other feels: three of five are left."""
    model = table(5)
    poses = rbd.forward_kinematics(model, model.neutral()).poses
    here, there = (poses[model.body(name).index] for name in ("upper0", "upper1"))
    model.add_loop("tie", "upper0", "upper1", rbd.Spherical(), None, se3.inverse(there) @ here)
    legs = legs_of(model)
    assert (legs.n, legs.apart) == (3, 0)
    agree(model, 60)


def agree(model: rbd.Model, steps: int) -> Run:
    """Straight-line code goes the way of the loop over links, whose elimination knows of no legs."""
    found, kernels = run(model, steps)
    assert any(recipe is not None and recipe.woven for recipe in kernels._straight.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound, "STRAIGHT_LINKS", 0)
        expected, plain = run(model, steps)
    assert not plain._straight
    # rounding errors of another order of operations; the step multiplies none of them
    assert found.q == pytest.approx(expected.q, abs=1e-12)
    assert found.v == pytest.approx(expected.v, abs=1e-11)
    return found


@pytest.mark.parametrize(
    "model",
    [stewart_platform(), delta_robot(), table(3), table(4), table(7), table(3, rbd.Spherical()), planar(), planar(5)],
    ids=["stewart", "delta", "three", "four", "seven", "balls below, too", "planar", "five arms"],
)  # fmt: skip
def test_motions_are_what_they_were(all_lengths, model):
    agree(model, 120)


@pytest.fixture
def looked(monkeypatch):
    """How often straight-line code looks at all rows once more: one number, in an array."""
    count = np.zeros(1)
    look_again, binder = leg_elimination.LegElimination._look_again, bound.BoundModel._binder

    def counted(self):
        self.program.store("looked", 0, 0, self.program.load("looked", 0) + 1.0)
        look_again(self)

    def bind(self, recipe, task, lanes, numbers, arrays, counts):
        with_count = {**numbers, "looked": count} if recipe.woven else numbers
        return binder(self, recipe, task, lanes, with_count, arrays, counts)

    monkeypatch.setattr(leg_elimination.LegElimination, "_look_again", counted)
    monkeypatch.setattr(bound.BoundModel, "_binder", bind)
    return count


@pytest.mark.parametrize("model", [stewart_platform(), delta_robot(), planar()], ids=["stewart", "delta", "planar"])
def test_rows_are_clear_most_of_the_time(all_lengths, looked, model):
    """Else each elimination would be made twice."""
    run(model, 100)
    assert looked[0] == 0


def test_rows_that_say_nothing_by_their_leg_alone_are_looked_at_with_all_that_moves(all_lengths, looked):
    """A leg whose first axis is along it does not move its tip across: B is singular at the start, and no more when the
    table has turned."""
    model = table(3, rbd.Universal("z", "y"))
    assert legs_of(model).apart == 3
    agree(model, 400)
    assert 0 < looked[0] < 400 * 5  # four stages and a projection each


def test_all_rows_may_be_uncertain_all_the_time(all_lengths, monkeypatch):
    """Where nothing is clear enough, every elimination is that of all that moves."""
    monkeypatch.setattr(leg_elimination, "CEILING", 1e9)
    agree(stewart_platform(), 20)
    agree(delta_robot(), 20)


def test_heavy_legs_are_not_eliminated_by_themselves():
    """What a leg says by what moves in it alone is nothing beside what a light platform says."""
    heavy = {f"{part}{k}.mass": 1e6 for part in ("cylinder", "rod") for k in range(1, 7)}
    model = stewart_platform().with_parameters(heavy)
    assert legs_of(model).apart == 0


def test_legs_without_mass_are_none_that_could_be_eliminated():
    """Nothing answers their rows but what they carry."""
    light = table(4, mass=0.0)
    assert legs_of(table(4)).apart == 3 and Kernels(light, "llvm").rows is None
    q, still = rbd.assemble(light), np.zeros(light.nv)
    found = rbd.forward_dynamics(light, q, still, still)
    assert found == pytest.approx(rbd.forward_dynamics(light, q, still, still, backend="book"), rel=1e-9, abs=1e-9)


def test_the_image_of_a_place_comes_back_after_all_legs():
    legs = legs_of(stewart_platform())
    for array, size in {"rows": 19 * 22, "Y": 24 * 24, "L": 24 * 24, "x": 25, "v": 24, "legs_answers": 24 * 25}.items():
        places = np.arange(size)
        again = places
        for _ in range(legs.n):
            again = np.array([legs.image(array, int(k)) for k in again])
        assert np.array_equal(again, places), array
    assert legs.image("of nobody's", 7) == 7


@pytest.mark.parametrize("model", [stewart_platform(), delta_robot(), planar()], ids=["stewart", "delta", "planar"])
def test_states_go_by_legs_too(model):
    """Alone and in stacks of any length, to the last bit; and as the readable form has it, off the closed loops as
    well: rows count or do not by what they are."""
    rng = np.random.default_rng(3)
    q0, _ = start(model)
    q = np.array([model.integrate(q0, 1e-3 * rng.normal(size=model.nv)) for _ in range(600)])
    v, tau = rng.normal(size=(2, 600, model.nv))
    f_ext = rng.normal(size=(len(model.bodies), 6))
    assert Kernels(model, "llvm").goes_by_legs("forward_dynamics")
    found = rbd.forward_dynamics(model, q, v, tau, f_ext=f_ext)
    assert np.array_equal(found, rbd.forward_dynamics(model, q, v, tau, f_ext=f_ext, threads=2))
    for k in (0, 1, 599):
        alone = rbd.forward_dynamics(model, q[k], v[k], tau[k], f_ext=f_ext)
        assert np.array_equal(found[k], alone)
        expected = rbd.forward_dynamics(model, q[k], v[k], tau[k], f_ext=f_ext, backend="book")
        # accelerations of some 1e2 in a system whose condition is some 1e3
        assert alone == pytest.approx(expected, rel=1e-10, abs=1e-9)
