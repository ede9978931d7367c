"""Exported pages in Chromium, from disk and without a network: they ask for nothing, their sliders simulate there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.figures import Plot
from rbdkit.laws.report import OF_BLOWS, UNSOLVED
from rbdkit.scene import Arrow, scene_of
from rbdkit.widgets import Picture, Playground, Slider

KNOWN = "GPU stall due to ReadPixels"  # software drawing, told once by the driver
LIVE = "document.querySelector('.rbd-view').core.model.live"


class Page:
    """An open page. asked : what it fetched; faults : what its console said."""

    def __init__(self, context: Any, file: Any) -> None:
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: KNOWN in message.text or self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.goto(f"file://{file}")
        self.page.wait_for_function("document.documentElement.dataset.ready === 'true'")

    def poses(self) -> np.ndarray:
        """World poses (nodes, 4, 4) of the objects that are really drawn."""
        script = """document.querySelector('.rbd-view').core.graph.nodes.map(node => {
            node.updateMatrixWorld(true);
            return [...node.matrixWorld.elements];
        })"""
        return np.array(self.page.evaluate(script)).reshape(-1, 4, 4).transpose(0, 2, 1)

    def motion(self) -> dict[str, np.ndarray]:
        """The motion that the page simulated last."""
        found = self.page.evaluate(
            f"(() => {{ const {{ t, q, v }} = {LIVE}.current.motion; return [t, q, v].map(x => Array.from(x)); }})()"
        )
        return {name: np.array(values) for name, values in zip("tqv", found, strict=True)}

    def drag(self, name: str, to: float, steps: int = 6) -> None:
        """Drag a slider to a fraction of its range."""
        slider = self.page.locator(f"[data-row='{name}'] input[type=range]")
        box, share = slider.bounding_box(), float(slider.evaluate("s => (s.value - s.min) / (s.max - s.min)"))
        mouse, y = self.page.mouse, box["y"] + box["height"] / 2
        mouse.move(box["x"] + 7 + share * (box["width"] - 14), y)
        mouse.down()
        mouse.move(box["x"] + 7 + to * (box["width"] - 14), y, steps=steps)
        mouse.up()

    def value(self, name: str) -> float:
        """Where a slider stands."""
        rows = f"{LIVE}.panel.get('rows').findIndex(row => row.name === '{name}')"
        return float(self.page.evaluate(f"{LIVE}.numbers()[{rows}]"))


@pytest.fixture
def opened(chromium, tmp_path) -> Iterator[Callable[..., Page]]:
    """Write the page of something that is drawn, and open it; at the end it must have asked for nothing else."""
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 720})
    pages: list[Page] = []

    def opened(picture: Any) -> Page:
        file = tmp_path / f"page{len(pages)}.html"
        picture.to_html(file)
        if not isinstance(picture, rbd.Trajectory):
            picture.close()
        pages.append(Page(context, file))
        assert pages[-1].asked == [f"file://{file}"]
        return pages[-1]

    yield opened
    asked, faults = [len(page.asked) for page in pages], [fault for page in pages for fault in page.faults]
    context.close()
    assert asked == [1] * len(pages) and not faults


def test_a_motion_plays(opened):
    run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=1.0, formulation="se3")
    page = opened(run)
    np.testing.assert_allclose(page.poses(), run.poses()[0], atol=1e-6)  # float32
    page.page.get_by_role("button", name="Play (space)").click()
    page.page.locator(".rbd-time", has_text="1.000 / 1.000 s").wait_for()
    np.testing.assert_allclose(page.poses(), run.poses()[-1], atol=1e-6)
    assert (
        page.page.locator(".rbd-chart").count() == 2 and "Recorded motion" in page.page.locator("footer").inner_text()
    )


def test_a_drag_simulates_again_with_the_numbers_of_python(opened):
    model, options = rbd.library.double_pendulum(), {"duration": 1.0}
    ranges = {
        "rod1.mass": (0.2, 5.0),
        "hinge1.damping": (0.0, 1.0),
        "hinge1.angle": (-3.0, 3.0),
        "dt": (5e-4, 2e-3, 1e-3),
    }
    page = opened(rbd.tweak(model, ranges, [1.0, 0.5], **options))
    first = page.poses()
    for name, to in {"rod1.mass": 0.8, "hinge1.damping": 0.3, "hinge1.angle": 0.2}.items():
        page.drag(name, to)
    moved, motion = page.poses(), page.motion()
    changed = model.with_parameters({name: page.value(name) for name in ("rod1.mass", "hinge1.damping")})
    run = rbd.simulate(changed, [page.value("hinge1.angle"), 0.5], **options)
    assert abs(page.value("hinge1.angle") + 1.8) < 0.1 and page.value("rod1.mass") > 3.0
    assert motion["t"][-1] == 1.0
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    for name, expected in (("q", run.q), ("v", run.v)):  # WebAssembly and LLVM round differently
        np.testing.assert_allclose(motion[name].reshape(-1, 2), expected[rows], rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved[:3], run.poses()[0], atol=1e-6)
    np.testing.assert_allclose(moved[4:6], first[1:3], atol=1e-6)  # the ghost: what stood before the drags
    assert page.page.locator(".rbd-past").first.inner_text() == "before"


def drawn_ends(page: Page, node: int) -> np.ndarray:
    """Lowest and highest places (2, 3) of the vertices of what is drawn for a body, in its own coordinates."""
    script = """node => {
        const { graph } = document.querySelector('.rbd-view').core, ends = [[1e9, 1e9, 1e9], [-1e9, -1e9, -1e9]];
        for (const [own, layer, , start, count] of graph.spec.parts) {
            if (own !== node || !["bodies", "ghost"].includes(layer)) continue;
            for (let k = start; k < start + count; k++) for (let j = 0; j < 3; j++) {
                const x = graph.attributes.position.array[3 * graph.index.array[k] + j];
                ends[0][j] = Math.min(ends[0][j], x);
                ends[1][j] = Math.max(ends[1][j], x);
            }
        }
        return ends;
    }"""
    return np.array(page.page.evaluate(script, node))


def sticks() -> rbd.Model:
    """Two rods without geometry, which are drawn as stick figures."""
    model = rbd.Model("sticks")
    rod = rbd.Inertia(1.0, [0.0, 0.0, -0.5], np.diag([0.1, 0.1, 0.01]))
    model.add_body("rod1", joint=rbd.Revolute("y"), inertia=rod, joint_name="hinge1")
    model.add_body("rod2", "rod1", rbd.Revolute("y"), [0.0, 0.0, -1.0], rod, joint_name="hinge2")
    return model


def test_bodies_look_as_long_as_their_sliders_say(opened):
    model = sticks()
    ranges = {"hinge2.placement.z": (-1.5, -0.2), "rod2.com.z": (-0.9, -0.2), "rod1.mass": (0.2, 5.0)}
    page = opened(rbd.tweak(model, ranges, [1.0, 0.5], duration=0.5))
    before = drawn_ends(page, 1)
    page.drag("hinge2.placement.z", 0.1)
    page.drag("rod2.com.z", 0.8)
    values = {name: page.value(name) for name in ranges}
    changed = model.with_parameters({
        "hinge2.placement": with_z(model.parameters["hinge2.placement"], values["hinge2.placement.z"]),
        "rod2.com": [*model.parameters["rod2.com"][:2], values["rod2.com.z"]],
    })  # fmt: skip
    scene = scene_of(changed, [1.0, 0.5])
    for node in (1, 2):
        own = np.concatenate([p.surface.vertices for p in scene.parts if p.node == node and p.layer == "bodies"])
        # rods between are as thick as at the samples on both sides: their ends are exact, their balls nearly
        np.testing.assert_allclose(drawn_ends(page, node), [own.min(axis=0), own.max(axis=0)], atol=0.01)
    assert drawn_ends(page, 1)[0, 2] < before[0, 2] - 0.3
    np.testing.assert_allclose(drawn_ends(page, 4), before, atol=2e-5)  # the ghost is as long as it was
    run = rbd.simulate(changed, [1.0, 0.5], duration=0.5)
    motion = page.motion()
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    np.testing.assert_allclose(motion["q"].reshape(-1, 2), run.q[rows], rtol=0, atol=1e-12)


def with_z(placement: np.ndarray, z: float) -> np.ndarray:
    changed = np.array(placement, dtype=float)
    changed[2, 3] = z
    return changed


def draw_two(a: float, shape: str) -> Picture:
    figure = Plot(figsize=(3.0, 2.0))
    figure.subplots().plot([0.0, a], [0.0, 1.0 if shape == "power" else 2.0])
    if a > 1.9:
        raise rbd.errors.StateError("a is too long")
    arrows = [Arrow(0, (0, 0, 0), (a, 0, 0.5), "#aa3377", name="v")]
    return Picture([a, 0.0], arrows=arrows, figure=figure, readout=[("a", f"{a:.3f}"), ("shape", shape)])


def test_a_playground_plays_back_its_pictures(opened):
    sliders = [Slider("a", "rad", -2.0, 2.0, 0.5), Slider("shape", "", 0, 1, 0, choices=("power", "wave"))]
    model = rbd.library.double_pendulum()
    page = opened(Playground("Two", sliders, draw_two, model))
    read = "document.querySelector('.rbd-readout').innerText.split('\\n')"
    assert page.page.evaluate(read) == ["a", "0.500", "shape", "power"]
    np.testing.assert_allclose(page.poses(), rbd.forward_kinematics(model, [0.5, 0.0]).poses, atol=1e-6)
    assert "22 pictures that Python made" in page.page.locator("footer").inner_text()
    slider = page.page.locator("[data-row='a'] input[type=range]")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    page.page.locator("[data-row='shape'] select").select_option("1")
    a = float(slider.evaluate("slider => slider.value"))
    assert 0.5 < a < 1.1 and page.page.evaluate(read) == ["a", f"{a:.3f}", "shape", "wave"]
    np.testing.assert_allclose(page.poses(), rbd.forward_kinematics(model, [a, 0.0]).poses, atol=1e-6)
    assert page.page.locator(".rbd-drawn svg").count() == 1
    page.drag("a", 1.0)
    assert page.page.locator(".rbd-fault").inner_text() == "a is too long"


def test_a_drawing_alone_plays_back_too(opened):
    sliders = [Slider(name, "", 0.0, 2.0, 1.0) for name in "abc"]
    playground = Playground("Alone", sliders, lambda a, b, c: Picture(readout=[("sum", str(round(a + b + c, 2)))]))
    page = opened(playground)
    assert "each slider alone" in page.page.locator("footer").inner_text()
    readout = page.page.locator(".rbd-readout")
    for name, to, total in (("a", 1.0, "4.0"), ("b", 0.0, "2.0"), ("a", 0.25, "2.5")):
        page.drag(name, to)
        assert readout.inner_text().split("\n") == ["sum", total]


def test_a_and_b_keep_two_sets_of_values(opened):
    page = opened(rbd.tweak(rbd.library.pendulum(), {"hinge.angle": (-3.0, 3.0, 1.0)}, duration=1.0))
    slot = page.page.get_by_role("button", name="B", exact=True)
    slot.click()
    page.drag("hinge.angle", 0.3)
    b, drawn = page.value("hinge.angle"), page.poses()
    page.page.get_by_role("button", name="A", exact=True).click()
    assert page.value("hinge.angle") == 1.0
    np.testing.assert_allclose(page.poses()[3], drawn[1], atol=1e-6)  # B is the ghost now
    slot.click()
    assert page.value("hinge.angle") == b
    page.page.get_by_role("button", name="Back to the first values").click()
    assert page.value("hinge.angle") == 1.0


def test_the_integrator_is_chosen_in_the_page(opened):
    methods = ["rk4", "explicit_euler"]
    page = opened(rbd.tweak(rbd.library.pendulum(), {"integrator": methods}, [1.0], duration=2.0, dt=2e-3))
    exact = page.motion()
    page.page.locator("[data-row='integrator'] select").select_option("1")
    run = rbd.simulate(rbd.library.pendulum(), [1.0], duration=2.0, dt=2e-3, integrator="explicit_euler")
    motion = page.motion()
    np.testing.assert_allclose(motion["q"], run.q[:, 0][np.searchsorted(run.t, motion["t"] - 1e-9)], rtol=0, atol=1e-12)
    assert np.abs(motion["q"] - exact["q"]).max() > 1e-4


def test_a_motion_that_runs_away_is_said(opened):
    page = opened(rbd.tweak(rbd.library.pendulum(), {"hinge.stiffness": (0.0, 1e9, 0.0)}, [1.0], duration=1.0, dt=1e-2))
    page.drag("hinge.stiffness", 0.9)
    assert "the motion ended after" in page.page.locator(".rbd-fault").inner_text()
    page.drag("hinge.stiffness", -0.1)
    assert not page.page.locator(".rbd-fault").is_visible()


def test_loops_stay_closed_in_the_page(opened):
    model = rbd.library.planar_four_bar()
    body = model.bodies[1].name
    view = rbd.tweak(model, {f"{body}.mass": (0.5, 5.0)}, duration=1.0)
    q0 = view.trajectory.q[0]
    page = opened(view)
    page.drag(f"{body}.mass", 0.8)
    changed = model.with_parameters({f"{body}.mass": page.value(f"{body}.mass")})
    run, motion = rbd.simulate(changed, q0, duration=1.0), page.motion()
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    np.testing.assert_allclose(motion["q"].reshape(-1, model.nq), run.q[rows], rtol=0, atol=1e-9)


def cube_on_the_ground() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    model = rbd.Model("cube")
    size = [0.2, 0.2, 0.2]
    model.add_body("cube", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground(friction=0.6, restitution=0.2)
    q = np.array(model.neutral())
    q[6] = 0.3
    return model, q, np.array([3.0, 5.0, 1.0, 1.0, 0.0, 0.0])


def test_friction_is_dragged_and_forces_are_drawn(opened):
    model, q, v = cube_on_the_ground()
    options = {"duration": 1.0, "dt": 2e-3}
    page = opened(rbd.tweak(model, {"ground.friction": (0.0, 1.0)}, q, v, **options))
    page.drag("ground.friction", 0.2)
    changed = model.with_parameters({"ground.friction": page.value("ground.friction")})
    run, motion = rbd.simulate(changed, q, v, **options), page.motion()
    assert changed.parameters["ground.friction"] < 0.3
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    np.testing.assert_allclose(motion["q"].reshape(-1, 7), run.q[rows], rtol=0, atol=1e-12)
    page.page.evaluate("document.querySelector('.rbd-view').core.player.seek(1.0)")
    drawn = "document.querySelector('.rbd-view').core.arrows.meshes.map(mesh => [...mesh.position.toArray()])"
    np.testing.assert_allclose(page.page.evaluate(drawn), run.contacts.rows([-1]).point, atol=1e-6)
    assert not page.page.locator(".rbd-fault").is_visible()


def test_shares_that_are_not_determined_are_pale_once_drags_rest(opened):
    """All four forces under a box that lies, from the page's own runs; that of one ball never."""
    model, q, v = cube_on_the_ground()
    ball = rbd.Inertia.sphere(0.05, mass=1.0)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.05))
    model.add_contacts(friction=0.3)
    q, v = np.concatenate([q, [1, 0, 0, 0, 3, 0, 0.05]]), np.concatenate([v, np.zeros(6)])
    options = {"duration": 1.0, "dt": 2e-3}
    page = opened(rbd.tweak(model, {"ground.friction": (0.0, 1.0)}, q, v, **options))
    page.drag("ground.friction", 0.2)
    page.page.wait_for_function(f"{LIVE}.current.told === true")
    script = f"{LIVE}.current.motion.contacts.entries.map(({{ state, pair, open }}) => [state, pair, open ? 1 : 0])"
    states, pairs, is_open = np.array(page.page.evaluate(script)).T
    changed = model.with_parameters({"ground.friction": page.value("ground.friction")})
    names = rbd.simulate(changed, q, v, **options).contacts.names
    of_cube = pairs == names.index("ground/cube")
    late = of_cube & (states >= states.max() - 3) & (states < states.max())
    assert late.sum() == 12 and is_open[late].all() and not is_open[~of_cube].any()
    rows = page.page.evaluate(f"Array.from({LIVE}.current.tracks.touching.rows)")
    np.testing.assert_array_equal(np.reshape(rows, (-1, 11))[:, 10], is_open)


def test_forces_of_recorded_contacts_are_drawn_without_python(opened):
    model, q, v = cube_on_the_ground()
    run = rbd.simulate(model, q, v, duration=1.0, dt=2e-3)
    view = rbd.show(run)
    scale = view.force_scale
    page = opened(view)
    assert page.page.evaluate("document.querySelector('.rbd-view').core.arrows.meshes.length") == 0  # in the air
    page.page.evaluate("document.querySelector('.rbd-view').core.player.seek(1.0)")
    script = """(() => {
        const { arrows, ellipsoids, touching } = document.querySelector('.rbd-view').core;
        return [arrows.meshes.map((mesh) => mesh.position.toArray()), ellipsoids.meshes.length, touching.scale];
    })()"""
    points, cones, found = page.page.evaluate(script)
    np.testing.assert_allclose(points, run.contacts.rows([-1]).point, atol=1e-6)
    assert cones == len(points) == 4 and found == pytest.approx(scale)


def test_the_page_follows_the_colours_of_the_device(opened):
    page = opened(rbd.show(rbd.library.double_pendulum()))
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.page.evaluate(background)
    page.page.emulate_media(color_scheme="dark")
    page.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    assert page.page.evaluate(background) != light


PLAY = "document.querySelector('.rbd-view').core.play"
# The numbers of what is let go: time, coordinates, velocities, and by how much energy and work of hands are apart.
LET_GO = f"""(() => {{
    const {{ t, q, v, z, past }} = {PLAY}, total = ({{ energies }}) => energies.reduce((sum, x) => sum + x, 0);
    const work = {PLAY}.work(z);
    return {{ t, q, v, first: past[0].q, work, apart: total(past.at(-1)) - total(past[0]) - work }};
}})()"""


def let_go(page: Page) -> None:
    page.page.get_by_role("button", name="Let it go").click()
    page.page.wait_for_function(f"{PLAY}?.t > 0.1")


def test_a_recorded_motion_is_let_go_and_pulled_at(opened):
    run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=1.0)
    page = opened(run)
    page.page.evaluate("document.querySelector('.rbd-view').core.player.seek(0.5)")
    let_go(page)
    page.page.keyboard.press(" ")
    state = page.page.evaluate(LET_GO)
    np.testing.assert_allclose(state["first"], run.q[500], atol=1e-6)  # float32
    on = rbd.simulate(run.model, run.q[500], run.v[500], duration=state["t"])
    np.testing.assert_allclose(state["q"], on.q[-1], atol=1e-5)
    box = page.page.locator(".rbd-canvas").bounding_box()
    script = """([name, x, y, w, h]) => {
        const { core } = document.querySelector('.rbd-view'), { camera } = core.graph.objects;
        const node = core.play.node(name);
        const seen = new core.graph.THREE.Vector3(0, 0, -0.25).applyMatrix4(node.matrixWorld).project(camera);
        return [x + ((seen.x + 1) / 2) * w, y + ((1 - seen.y) / 2) * h];
    }"""
    x, y = page.page.evaluate(script, ["rod2", box["x"], box["y"], box["width"], box["height"]])
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    assert page.page.evaluate(f"Object.keys({PLAY}.pulls)") == ["rod2"]
    page.page.keyboard.press(" ")
    page.page.mouse.move(x + 60, y - 80, steps=4)
    page.page.wait_for_timeout(400)
    page.page.mouse.up()
    page.page.keyboard.press(" ")
    pulled = page.page.evaluate(LET_GO)
    assert abs(pulled["work"]) > 0.05 and abs(pulled["apart"]) < 1e-6
    page.page.get_by_role("button", name="Let it go").click()
    assert page.page.evaluate(f"{PLAY}") is None
    page.page.locator(".rbd-time", has_text="0.500 / 1.000 s").wait_for()
    np.testing.assert_allclose(page.poses(), run.poses()[500], atol=1e-6)


def test_what_is_let_go_follows_the_sliders_of_its_page(opened):
    model = rbd.library.double_pendulum()
    ranges = {"gravity.z": (-20.0, 0.0), "hinge1.angle": (-3.0, 3.0), "integrator": ["rk4", "heun"]}
    page = opened(rbd.tweak(model, ranges, [1.0, 0.5], duration=1.0))
    let_go(page)
    assert page.page.evaluate("document.querySelector('.rbd-view').core.graph.nodes.map((node) => node.visible)") == (
        [True] * 3 + [False] * 3
    )
    page.drag("gravity.z", 0.999)
    assert page.page.evaluate(f"{PLAY}.kernels.packaged.parameters['gravity'] !== undefined")
    weak = page.page.evaluate(f"Array.from({PLAY}.kernels.numbers('parameters'))")
    assert any(abs(x - page.value("gravity.z")) < 1e-12 for x in weak) and page.value("gravity.z") > -0.2
    page.page.locator("[data-row='integrator'] select").select_option("1")
    assert page.page.evaluate(f"{PLAY}.kernels === {PLAY}.methods[1]")
    page.page.get_by_role("button", name="Let it go").click()
    assert page.poses().shape == (6, 4, 4) and page.page.locator(".rbd-scrub").count() == 1


def test_every_picture_of_a_model_can_be_let_go_in_its_page(opened):
    model = rbd.library.double_pendulum()
    runs = {name: rbd.simulate(model, [2.0, 1.0], duration=0.3, integrator=name) for name in ("rk4", "heun")}
    for picture in (rbd.show(model), rbd.build(model), rbd.compare(runs), rbd.sliders(model, [0.3, 0.2])):
        page = opened(picture)
        let_go(page)
        state = page.page.evaluate(LET_GO)
        assert np.isfinite(state["q"]).all() and abs(state["apart"]) < 1e-6
        page.page.close()


def spring_law(t, q, v, kp=20.0, kd=1.0):
    return -kp * np.sin(q) - kd * v


def computed_torque(t, q, v, kp=20.0, kd=1.0):
    return rbd.rnea(rbd.library.double_pendulum(), q, v, -kp * (q - np.sin(t)) - kd * v)


@pytest.mark.parametrize("law", [spring_law, computed_torque])
def test_gains_of_a_torque_law_are_turned_in_the_page(opened, law):
    model, options = rbd.library.double_pendulum(), {"duration": 1.0}
    page = opened(rbd.tweak(model, {"tau.kp": (0.0, 50.0), "tau.kd": (0.0, 5.0)}, [1.0, 0.5], tau=law, **options))
    page.drag("tau.kp", 0.8)
    page.drag("tau.kd", 0.5)
    kp, kd = page.value("tau.kp"), page.value("tau.kd")
    assert kp == pytest.approx(40.0, abs=1.0) and kd == pytest.approx(2.5, abs=0.1)
    run = rbd.simulate(model, [1.0, 0.5], tau=lambda t, q, v: law(t, q, v, kp, kd), **options)
    motion = page.motion()
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    np.testing.assert_allclose(motion["q"].reshape(-1, 2), run.q[rows], rtol=0, atol=1e-12)
    let_go(page)  # without the law
    page.drag("tau.kp", 0.2)
    assert page.page.evaluate(f"{PLAY}.fault") == ""


def rnea_of_a_student(model, q, qd, qdd):
    """Table 5.1, as in lab A."""
    n = len(model.bodies)
    v, a, f = np.zeros((3, n, 6))
    X, S, tau = [None] * n, [None] * n, np.zeros(model.nv)
    a[0, 3:] = -model.gravity
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J
        a[i] = X[i] @ a[p] + S[i] @ qdd[joint.v_slice] + c_J + rbd.spatial.crm(v[i]) @ v_J
        f[i] = model.I[i] @ a[i] + rbd.spatial.crf(v[i]) @ model.I[i] @ v[i]
    for i in model.inward:
        tau[model.joints[i].v_slice] = S[i].T @ f[i]
        f[model.parent[i]] += X[i].T @ f[i]
    return tau


def test_a_compiled_function_of_a_user_runs_in_the_page(opened):
    """Against the same law with `rbdkit.rnea` in Python; the law goes on with the mass that it was made with."""
    model, options = rbd.library.double_pendulum(), {"duration": 1.0}
    fast = rbd.compile(rnea_of_a_student, model)

    def law(t, q, v, kd=1.0):
        return fast(q, v, -20.0 * (q - np.sin(t))) - kd * v

    page = opened(rbd.tweak(model, {"tau.kd": (0.0, 5.0), "rod1.mass": (0.5, 2.0)}, [1.0, 0.5], tau=law, **options))
    page.drag("tau.kd", 0.5)
    page.drag("rod1.mass", 0.8)
    kd, heavy = page.value("tau.kd"), model.with_parameters({"rod1.mass": page.value("rod1.mass")})
    assert heavy.parameters["rod1.mass"] > 1.5

    def expected(t, q, v):
        return rbd.rnea(model, q, v, -20.0 * (q - np.sin(t))) - kd * v

    run = rbd.simulate(heavy, [1.0, 0.5], tau=expected, **options)
    motion = page.motion()
    rows = np.searchsorted(run.t, motion["t"] - 1e-9)
    np.testing.assert_allclose(motion["q"].reshape(-1, 2), run.q[rows], rtol=0, atol=1e-11)


def test_contacts_are_judged_beside_the_speed_of_what_moves(opened):
    """As reports do in Python: a hundredth of the fastest body's speed is missed by hard blows, and is no fault."""
    model, q, v = cube_on_the_ground()
    options = {"duration": 1.0, "dt": 2e-3}
    page = opened(rbd.tweak(model, {"ground.friction": (0.0, 1.0)}, q, v, **options))
    page.drag("ground.friction", 0.7)
    fastest = page.page.evaluate(f"{LIVE}.current.fastest()")
    friction = page.value("ground.friction")
    run = rbd.simulate(model.with_parameters({"ground.friction": friction}), q, v, **options)
    speed = np.linalg.norm(run.velocities()[:, 1, 3:], axis=1).max()  # of its centre, where its frame is
    assert fastest == pytest.approx(speed, rel=0.05)  # told from poses, which are some steps apart
    told = f"(share) => {{ {LIVE}.current.motion.contacts.worst = share; {LIVE}.show(); }}"
    for share, faulty in ((0.5 * OF_BLOWS * speed, False), (2.0 * OF_BLOWS * speed, True)):
        assert share > UNSOLVED
        page.page.evaluate(told, share)
        page.page.wait_for_timeout(100)
        assert page.page.locator(".rbd-fault").is_visible() == faulty
