"""A smoke test for any environment with rbdkit alone: python tests/smoke.py

It computes, simulates, draws and exports, compares with closed forms, and treats warnings that rbdkit causes as errors.
The tests themselves need more packages; this shows within seconds whether versions of NumPy, SciPy and llvmlite do.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

import rbdkit as rbd

PACKAGES = ("numpy", "scipy", "llvmlite", "ipywidgets", "pythreejs", "anywidget", "matplotlib", "pillow")


def main() -> int:
    warnings.filterwarnings("error", module="rbdkit")
    print(f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in PACKAGES)}")
    motions()
    functions()
    with tempfile.TemporaryDirectory() as folder:
        pictures(Path(folder))
    print("All is well.")
    return 0


def motions() -> None:
    """Motions with closed forms, in several formulations, by compiled code."""
    spring = rbd.Model("spring", gravity=(0.0, 0.0, 0.0))
    spring.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), stiffness=8.0)
    spring.add_motor("mass_joint")
    for formulation in ("joint", "se3", "so3xr3"):
        motion = rbd.simulate(spring, [0.1], duration=1.0, formulation=formulation)
        require("LLVM" in motion.report.backend, f"compiled code, not {motion.report.backend}")
        near(motion.q[:, 0], 0.1 * np.cos(2.0 * motion.t), 1e-9)
    near(rbd.simulate(spring, [0.1], duration=1.0, integrator="dop853").q[-1], 0.1 * np.cos(2.0), 1e-9)
    pushed = rbd.simulate(spring, duration=1.0, u=lambda t, q, v: [8.0 + 0.0 * t])
    near(pushed.q[:, 0], 1.0 - np.cos(2.0 * pushed.t), 1e-9)
    swept = rbd.sweep(spring, {"mass.mass": [0.5, 2.0], "mass_joint.distance": [0.1, 0.2]}, duration=0.5)
    near(swept[0, 1].q[-1], 0.2 * np.cos(4.0 * 0.5), 1e-9)
    ball = rbd.Model("ball", gravity=(0.0, 0.0, -10.0))
    ball.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    ball.add_ground()
    near(rbd.simulate(ball, [1, 0, 0, 0, 0, 0, 0.5], duration=2.0).q[-1, 6], 0.1, 1e-6)
    loop = rbd.simulate(rbd.library.planar_four_bar(), duration=0.2)
    require(loop.report.constraint_error < 1e-9, "closed loops")


def functions() -> None:
    """Algorithms against each other, and a function of one's own, compiled."""
    model, q, v = rbd.library.double_pendulum(), np.array([0.3, -0.5]), np.array([1.0, 2.0])
    a = rbd.forward_dynamics(model, q, v, [0.5, 0.1])
    near(rbd.rnea(model, q, v, a), [0.5, 0.1], 1e-12)
    exact = rbd.forward_dynamics_derivatives(model, q, v, [0.5, 0.1]).da_dq
    steps = 1e-6 * np.eye(2)
    rough = [(rbd.aba(model, q + h, v, [0.5, 0.1]) - rbd.aba(model, q - h, v, [0.5, 0.1])) / 2e-6 for h in steps]
    near(exact, np.transpose(rough), 1e-6)

    def weight(model: rbd.Model, q: np.ndarray) -> np.ndarray:
        return rbd.rnea(model, q, 0.0 * q, 0.0 * q)

    near(rbd.compile(weight, model)(q), rbd.gravity_force(model, q), 1e-12)


def pictures(folder: Path) -> None:
    """Views, sliders and pages."""
    model = rbd.library.double_pendulum()
    motion = rbd.simulate(model, [1.0, 0.5], duration=0.5)
    require(rbd.to_png(motion, folder / "motion.png")[:4] == b"\x89PNG", "a picture")
    rbd.to_html(motion, folder / "motion.html")
    require(len(rbd.plot(motion).axes) == 3, "three diagrams")
    for view in (rbd.show(model), rbd.play(model), rbd.build(model)):
        view.close()
    slider = rbd.tweak(model, {"rod1.mass": (0.1, 2.0)})
    slider.set(**{"rod1.mass": 1.5})
    require(slider.model.mass == 2.5, "a slider's number")
    slider.close()


def near(found: object, expected: object, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=0, atol=tolerance)


def require(holds: object, what: str) -> None:
    if not holds:
        raise AssertionError(f"expected: {what}")


if __name__ == "__main__":
    sys.exit(main())
