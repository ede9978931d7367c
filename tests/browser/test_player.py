"""Recorded motion: play, pause, scrub, step, rate, loop, plots."""

from __future__ import annotations

import time

import numpy as np
import pytest

PLAY = """
import numpy as np, rbdkit as rbd
from rbdkit.simulation import Trajectory
model = rbd.library.double_pendulum()
t = np.linspace(0.0, 4.0, 801)
q = np.stack([1.8 * np.cos(2.5 * t), 0.4 + np.sin(4.0 * t)], axis=1)
traj = Trajectory(model, t, q, np.gradient(q, t, axis=0))
view = rbd.show(traj)
view
"""


# How many pictures are drawn in a second of the motion, which is paused then: in the page, where no message takes time.
PAUSED = """async ([view, button]) => {
    const reach = async (t) => { while (view.core.player.t < t) await new Promise(requestAnimationFrame); };
    await reach(view.core.player.t + 0.4);
    const before = window.pictures_drawn;
    await reach(view.core.player.t + 1.0);
    button.click();
    return window.pictures_drawn - before;
}"""


@pytest.fixture
def motion(notebook):
    notebook.run(PLAY)
    notebook.view()
    return notebook


def control(notebook, name):
    return notebook.view().get_by_role("button", name=name, exact=True)


def asked(notebook, frame: str) -> np.ndarray:
    return np.array(eval(notebook.python(f"print(traj.poses()[{frame}].tolist())")))


def test_play_pause_and_the_first_frame(motion, changed):
    assert np.abs(motion.poses() - asked(motion, "0")).max() < 1e-6  # frame 0 is the initial state
    first = motion.picture()
    assert motion.frames_drawn(500) == 0 and motion.value("view.t") == 0.0  # nothing plays until asked
    motion.keep("trajectory", motion.view())

    button = control(motion, "Play (space)")
    parts = [motion.view().element_handle(), button.element_handle()]
    button.click()
    drawn = motion.page.evaluate(PAUSED, parts)
    assert drawn > 4, f"{drawn} pictures a second"  # 60 on an idle machine; enough to tell playing from standing
    motion.settle()
    paused = motion.picture()
    assert changed(first, paused) > 0.01
    t = motion.value("view.t")
    assert 1.0 < t < 4.0 and motion.python("print(view.playing)") == "False"
    assert motion.frames_drawn(500) == 0
    assert changed(paused, motion.picture()) == 0.0
    frame = int(motion.value("view.frame"))
    s = t / 5e-3 - frame
    assert -1e-9 < s < 1 + 1e-9  # the clock counts tenths of a ms: it may stop on a sample, to the rounding of t
    before, after = asked(motion, str(frame)), asked(motion, str(frame + 1))
    between = before + s * (after - before)
    assert np.abs(motion.poses()[:, :3, 3] - between[:, :3, 3]).max() < 1e-6  # straight between the samples
    assert np.abs(motion.poses() - between).max() < 1e-3


def test_scrub_step_and_keys(motion, changed):
    view, page = motion.view(), motion.page
    first = motion.picture()
    scrub = view.locator("input.rbd-scrub")
    box = scrub.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    motion.settle()
    assert motion.value("view.t") == pytest.approx(2.0, abs=0.1)
    assert changed(first, motion.picture()) > 0.01

    motion.python("view.frame = 300")
    motion.settle()
    assert motion.value("view.t") == pytest.approx(1.5)
    assert np.abs(motion.poses() - asked(motion, "300")).max() < 1e-6
    for name, frame in (
        ("One step forward (\u2192)", 301),
        ("One step forward (\u2192)", 302),
        ("One step back (\u2190)", 301),
    ):
        control(motion, name).click()
        motion.settle(100)
        assert motion.value("view.frame") == frame
        assert np.abs(motion.poses() - asked(motion, str(frame))).max() < 1e-6
    view.focus()
    page.keyboard.press("ArrowRight")
    motion.settle(100)
    assert motion.value("view.frame") == 302
    page.keyboard.press("Home")
    motion.settle(100)
    assert motion.value("view.frame") == 0
    assert changed(first, motion.picture()) == 0.0
    page.keyboard.press("Space")
    page.wait_for_timeout(300)
    assert motion.python("print(view.playing)") == "True"
    page.keyboard.press("Space")
    motion.settle(100)
    assert motion.python("print(view.playing)") == "False"


def test_rate_end_and_loop(motion):
    view = motion.view()
    view.locator("select.rbd-rate").select_option("0.1")
    begun = time.monotonic()
    motion.python("view.play()")
    motion.page.wait_for_timeout(1000)
    motion.python("view.pause()")
    motion.settle()
    assert motion.value("view.rate") == 0.1
    assert 0.05 < motion.value("view.t") < 0.1 * (time.monotonic() - begun)  # a tenth of real time

    motion.python("view.rate = 4.0; view.t = 3.5; view.playing = True")
    motion.page.wait_for_timeout(600)
    motion.settle()
    assert motion.value("view.t") == 4.0 and motion.python("print(view.playing)") == "False"  # stops at the end
    assert np.abs(motion.poses() - asked(motion, "-1")).max() < 1e-6

    control(motion, "Play in a loop (L)").click()
    motion.python("view.rate = 0.5; view.t = 3.9; view.play()")  # slow, not to come round twice
    motion.page.wait_for_timeout(500)
    assert motion.python("print(view.playing, view.loop)") == "True True"
    motion.python("view.pause()")
    motion.settle()
    assert 0.0 < motion.value("view.t") < 3.9  # has begun again


def test_the_camera_follows_what_leaves(notebook, changed):
    notebook.run("""
import numpy as np, rbdkit as rbd
from rbdkit.simulation import Trajectory
model = rbd.Model("thrown")
model.add_body("stone", joint=rbd.Free(), inertia=rbd.Inertia.box([0.3, 0.2, 0.1], mass=1.0))
t = np.linspace(0.0, 2.0, 101)
q = np.tile(model.neutral(), (101, 1))
q[:, 4:] = np.outer(t, [1.0, 2.0, 5.0]) - np.outer(t**2, [0.0, 0.0, 4.9])
view = rbd.show(Trajectory(model, t, q, np.zeros((101, 6))))
view
""")
    first = notebook.picture()
    lead = """view => {
        const [eye, stone] = [view.core.eye.controls.target, view.core.graph.nodes[1].position];
        return [eye.x - stone.x, eye.y - stone.y, eye.z - stone.z];
    }"""
    before = notebook.view().evaluate(lead)
    notebook.python("view.hide('trails', 'grid')")
    still = notebook.picture()
    notebook.python("view.t = 1.6")
    notebook.settle()
    assert notebook.poses()[1, :3, 3] == pytest.approx([1.6, 3.2, 8.0 - 4.9 * 1.6**2], abs=1e-5)
    assert notebook.view().evaluate(lead) == pytest.approx(before, abs=1e-5)
    assert changed(first, still) > 0.0 and changed(still, notebook.picture()) < 3e-3
    notebook.view().get_by_role("button", name="Follow the moving body (F)").click()
    notebook.python("view.t = 0.0")
    notebook.settle()
    assert notebook.python("print(repr(view.follow))") == "''"
    assert notebook.view().evaluate(lead) != pytest.approx(before, abs=1.0)


def test_plots_share_the_cursor(motion):
    view, page = motion.view(), motion.page
    energy, motions = view.locator(".rbd-chart").all()
    area = energy.locator(".rbd-area").bounding_box()
    page.mouse.click(area["x"] + 50 + 0.25 * (area["width"] - 62), area["y"] + area["height"] / 2)
    motion.settle()
    t = motion.value("view.t")
    assert t == pytest.approx(1.0, abs=0.05)

    def written(chart) -> list[float]:
        return [float(text.replace("\u2212", "-")) for text in chart.locator(".rbd-value").all_inner_texts()]

    expected = eval(
        motion.python(
            "e = traj.energy(); print([float(np.interp(view.t, traj.t, c)) for c in (e.kinetic, e.potential, e.total)])"
        )
    )
    assert written(energy) == pytest.approx(expected, rel=1e-3)
    expected = eval(motion.python("print([float(np.interp(view.t, traj.t, c)) for c in traj.q.T])"))
    assert written(motions) == pytest.approx(expected, rel=1e-3)
    places = {chart.locator(".rbd-cursor").evaluate("c => c.style.transform") for chart in (energy, motions)}
    assert len(places) == 1
    control_tab = motions.get_by_role("tab", name="v (rad/s)")
    control_tab.click()
    expected = eval(motion.python("print([float(np.interp(view.t, traj.t, c)) for c in traj.v.T])"))
    assert written(motions) == pytest.approx(expected, rel=1e-3)
    energy.get_by_role("tab", name="Drift (J)").click()
    motion.keep("plots", view)
