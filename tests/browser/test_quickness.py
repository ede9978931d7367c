"""How much work of the processor a page takes, whatever else the machine does: times of its thread, not of the clock.

Software drawing works in other threads, which are not counted.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rbdkit as rbd

TURNED = """async ([name, shares, drawn]) => {
    const slider = document.querySelector(`[data-row='${name}'] input[type=range]`);
    for (const share of shares) {
        slider.value = Number(slider.min) + share * (Number(slider.max) - Number(slider.min));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        if (drawn) await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    }
}"""
INSIDE = "document.querySelector('.rbd-view').core.play"


class Timed:
    """A page from a file, and its thread's time in ms."""

    def __init__(self, chromium, file) -> None:
        self.page = chromium.new_page(viewport={"width": 1280, "height": 800})
        self.page.goto(f"file://{file}")
        self.page.wait_for_function("document.documentElement.dataset.ready === 'true'")
        self.page.wait_for_timeout(500)
        self.told = self.page.context.new_cdp_session(self.page)
        self.told.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(self) -> float:
        metrics = {metric["name"]: metric["value"] for metric in self.told.send("Performance.getMetrics")["metrics"]}
        return 1e3 * metrics["TaskDuration"]

    def of(self, script: str, *given) -> float:
        before = self.spent()
        self.page.evaluate(script, *given)
        return self.spent() - before


def double_pendulum() -> tuple[rbd.Model, str, list[float], list[float], float]:
    return rbd.library.double_pendulum(), "rod1.mass", [1.0, 0.5], [0.0, 0.0], 10.0


def tumbling_cube() -> tuple[rbd.Model, str, np.ndarray, np.ndarray, float]:
    model = rbd.Model("cube")
    inertia = rbd.Inertia.box([0.2, 0.2, 0.2], mass=1.0)
    model.add_body("cube", joint=rbd.Free(), inertia=inertia, geometry=rbd.Box([0.2, 0.2, 0.2]))
    model.add_ground(friction=0.5, restitution=0.3)
    q = np.array([np.cos(0.4), 0.6 * np.sin(0.4), 0.8 * np.sin(0.4), 0.0, 0.0, 0.0, 0.8])
    return model, "ground.friction", q, np.array([2.0, 5.0, 1.0, 1.0, 0.5, 0.0]), 5.0


@pytest.mark.parametrize(("made", "most"), [(double_pendulum, 30.0), (tumbling_cube, 100.0)])
def test_drags_are_answered_at_once(chromium, tmp_path, made, most):
    """The first drag with its picture, one that goes on with all its pictures, and all that answers one without."""
    model, name, q, v, duration = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rbd.simulation.SimulationWarning)
        view = rbd.tweak(model, {name: (0.05, 1.0)}, q, v, duration=duration)
    view.to_html(tmp_path / "page.html")
    view.close()
    timed = Timed(chromium, tmp_path / "page.html")
    shares = np.linspace(0.2, 0.8, 20).tolist()
    first = timed.of(TURNED, [name, [0.9], True])
    later = min(timed.of(TURNED, [name, shares, True]) for _ in range(3)) / len(shares)
    answer = timed.of(TURNED, [name, shares, False]) / len(shares)
    timed.page.close()
    print(f"{model.name}: first {first:.0f} ms, later {later:.0f} ms, {answer:.0f} ms of these to answer")
    assert first < 100.0 and answer < most and later < 100.0


COMPILED = """async ([name, shares]) => {
    const gl = document.querySelector('.rbd-canvas canvas').getContext('webgl2');
    const own = gl.linkProgram.bind(gl);
    let count = 0;
    gl.linkProgram = (program) => { count++; own(program); };
    await (TURNED)([name, shares, true]);
    gl.linkProgram = own;
    return count;
}""".replace("TURNED", TURNED)


def test_drags_compile_no_shaders(chromium, tmp_path):
    """Where drawing is software, each takes longer than all else; charts stay the same elements, too."""
    model, name, q, v, duration = double_pendulum()
    view = rbd.tweak(model, {name: (0.05, 1.0)}, q, v, duration=duration)
    view.to_html(tmp_path / "page.html")
    view.close()
    timed = Timed(chromium, tmp_path / "page.html")
    timed.of(TURNED, [name, [0.9, 0.4], True])  # what was before is there now, too
    timed.page.evaluate("window.charts = [...document.querySelectorAll('.rbd-chart')]")
    assert timed.page.evaluate(COMPILED, [name, [0.2, 0.3, 0.5]]) == 0
    assert timed.page.evaluate("charts.length === 2 && charts.every((chart) => chart.isConnected)")
    timed.page.close()


def played(robot: str) -> tuple:
    if not robot:
        return (rbd.library.double_pendulum(),)
    if robot == "anymal on the ground":
        return tuple(rbd.library.dropped_robot("anymal"))
    return (rbd.load(rbd.library.robot_file(robot), floating=robot == "anymal"),)


@pytest.mark.robots
@pytest.mark.parametrize("robot, most", [("", 2.0), ("panda", 2.0), ("anymal", 2.0), ("anymal on the ground", 4.0)])
def test_what_is_played_keeps_real_time(chromium, tmp_path, robot, most):
    """Pictures of 17 steps of 1 ms take 2 ms to simulate and make, 4 where a robot lies on the ground, with arrows."""
    model, *start = played(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rbd.simulation.SimulationWarning)
        toy = rbd.play(model, {}, *start)
    toy.to_html(tmp_path / "toy.html")
    toy.close()
    timed = Timed(chromium, tmp_path / "toy.html")
    steps = f"(() => {{ for (let k = 0; k < 60; k++) {INSIDE}.advance(17); }})()"  # a second of pictures at 60 a second
    timed.page.evaluate(steps)
    assert timed.page.evaluate(f"[{INSIDE}.t, {INSIDE}.fault ?? '']") == [pytest.approx(1.02), ""]
    each = min(timed.of(steps) for _ in range(2)) / 60.0
    timed.page.close()
    print(f"{robot or model.name}: {each:.2f} ms a picture")
    assert each < most
