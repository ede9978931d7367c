"""Models that are played, in Lab and from a file: hands that pull, pin and let go, and what Python hears of it."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd

PLAY = """
import numpy as np, rbdkit as rbd
model = rbd.library.double_pendulum()
toy = rbd.play(model, {"gravity.z": (-20.0, 0.0), "hinge1.damping": (0.0, 1.0)}, [1.0, 0.5])
toy
"""
INSIDE = "document.querySelector('.rbd-view').core.play"
# Where the middle of a body is drawn, in the page.
MIDDLE = """([name, point]) => {
    const { graph } = document.querySelector('.rbd-view').core;
    const { camera } = graph.objects;
    camera.updateMatrixWorld();
    const node = graph.nodes[graph.spec.nodes.indexOf(name)];
    node.updateMatrixWorld(true);
    const seen = new graph.THREE.Vector3(...point).applyMatrix4(node.matrixWorld).project(camera);
    const { left, top, width, height } = document.querySelector('.rbd-canvas').getBoundingClientRect();
    return [left + ((seen.x + 1) / 2) * width, top + ((1 - seen.y) / 2) * height];
}"""


@pytest.fixture
def playing(notebook):
    notebook.run(PLAY)
    notebook.view().scroll_into_view_if_needed()
    return notebook


def press(page, name: str) -> None:
    page.locator(".rbd-transport").get_by_role("button", name=name).click()


def at(page, body: str, point=(0.0, 0.0, -0.25)) -> tuple[float, float]:
    return tuple(page.evaluate(MIDDLE, [body, point]))


def energies(page) -> tuple[float, float]:
    """By how much the energy of the model changed since the start, and the work of hands, J."""
    script = f"""(() => {{
        const {{ past, z }} = {INSIDE};
        const total = ({{ energies: [a, b, c] }}) => a + b + c;
        return [total(past.at(-1)) - total(past[0]), {INSIDE}.work(z)];
    }})()"""
    return tuple(page.evaluate(script))


def test_a_hand_pulls_and_python_hears_of_it(playing):
    page = playing.page
    press(page, "Play (space)")
    page.wait_for_function(f"{INSIDE}.t > 0.5")
    press(page, "Pause (space)")
    x, y = at(page, "rod2")
    page.mouse.move(x, y)
    page.mouse.down()
    press_by_key = "document.querySelector('.rbd-view').dispatchEvent(new KeyboardEvent('keydown', { key: ' ' }))"
    page.evaluate(press_by_key)
    page.mouse.move(x + 80, y - 60, steps=5)
    page.wait_for_timeout(700)
    held = page.evaluate(f"{INSIDE}.effort()")
    assert held["force"] > 1.0 and "N" in page.locator(".rbd-effort").inner_text()
    page.mouse.up()
    page.wait_for_timeout(300)
    press(page, "Pause (space)")
    assert page.evaluate(f"Object.keys({INSIDE}.pulls).length") == 0
    gained, work = energies(page)
    assert abs(work) > 0.1
    assert abs(gained - work) < 1e-6  # RK4 at 1 ms

    playing.settle()
    states = np.array(page.evaluate(f"[{INSIDE}.t, ...{INSIDE}.q, ...{INSIDE}.v]"))
    told = "run = toy.trajectory(); print(np.array([run.t[-1], *run.q[-1], *run.v[-1]]).tolist())"
    np.testing.assert_array_equal(eval(playing.python(told)), states)
    again = """
again = rbd.simulate(model, run.q[0], run.v[0], duration=run.t[-1], f_ext=run.f_ext, dt=1e-3, progress=False)
print(float(abs(np.interp(run.t[-1], again.t, again.q[:, 0]) - run.q[-1, 0])))
"""
    assert float(playing.python(again)) < 2e-3  # a hand that moves on does so within a step there, between steps here
    playing.python("again = toy.replay()")  # here it does not
    assert playing.value("np.abs(again.q - run.q).max()") < 1e-12 and playing.value("again.t[-1] - run.t[-1]") == 0.0
    assert playing.value("np.abs([run.f_ext(t, q, v) for t, q, v in zip(run.t, run.q, run.v)]).max()") > 1.0


def test_a_slider_begins_a_motion_with_its_number(playing):
    page = playing.page
    slider = page.locator("[data-row='gravity.z'] input[type=number]")
    slider.fill("-5")
    slider.press("Enter")
    press(page, "Play (space)")
    page.wait_for_function(f"{INSIDE}.t > 0.3")
    press(page, "Pause (space)")
    playing.settle()
    assert playing.value("toy.trajectory().model.gravity[2]") == -5.0
    assert playing.value("model.gravity[2]") == pytest.approx(-9.81, abs=0.01)
    playing.python("total = toy.trajectory().energy().total")
    assert playing.value("np.abs(total - total[0]).max()") < 1e-6


def test_states_before_a_slider_moved_are_not_told_with_its_new_number(playing):
    script = f"""(() => {{
        const toy = {INSIDE}, sent = [], {{ model }} = toy.core, {{ send }} = model;
        toy.advance(5);
        model.send = (message, _, rows) => sent.push([message.begun, message.values[0], rows[0].byteLength]);
        toy.panel.set("values", new DataView(Float64Array.of(-3, 0).buffer));
        toy.turned();
        model.send = send;
        return sent;
    }})()"""
    numbers = 1 + 2 + 2 + 2  # t, q, v, and the work of two hands
    assert playing.page.evaluate(script) == [[True, -3.0, 8 * numbers]]


def test_step_and_integrator_are_turned_while_it_moves(chromium, tmp_path):
    model, q = rbd.library.double_pendulum(), [2.0, 1.0]
    toy = rbd.play(model, {"integrator": ["rk4", "heun", "symplectic_euler"], "dt": (1e-4, 1e-2)}, q)
    toy.to_html(tmp_path / "toy.html")
    toy.close()
    page = chromium.new_page()
    page.goto(f"file://{tmp_path}/toy.html")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    page.locator("[data-row='integrator'] select").select_option("1")
    page.locator("[data-row='dt'] input[type=number]").fill("0.005")
    page.locator("[data-row='dt'] input[type=number]").press("Enter")
    found = page.evaluate(f"(() => {{ {INSIDE}.advance(100); return [{INSIDE}.t, ...{INSIDE}.q, ...{INSIDE}.v]; }})()")
    run = rbd.simulate(model, q, duration=0.5, dt=5e-3, integrator="heun", progress=False)
    np.testing.assert_allclose(found, [0.5, *run.q[-1], *run.v[-1]], rtol=0, atol=1e-12)
    page.close()


def test_energy_from_steps_that_are_too_long_is_told_in_the_picture(chromium, tmp_path):
    """A pendulum under Heun's method: with 1 ms nothing is said, with 0.1 s it gains, and the bar says how much."""
    toy = rbd.play(rbd.library.double_pendulum(), {"dt": (1e-4, 0.2)}, [2.0, 1.0], integrator="heun")
    toy.to_html(tmp_path / "toy.html")
    toy.close()
    page = chromium.new_page()
    page.goto(f"file://{tmp_path}/toy.html")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    alarm = page.locator(".rbd-transport [role=alert]")
    page.evaluate(f"(() => {{ for (let k = 0; k < 100; k++) {INSIDE}.advance(20); }})()")
    assert alarm.is_hidden() and page.evaluate(f"{INSIDE}.t") == pytest.approx(2.0)
    page.locator("[data-row='dt'] input[type=number]").fill("0.1")
    page.locator("[data-row='dt'] input[type=number]").press("Enter")
    page.evaluate(f"(() => {{ for (let k = 0; k < 40; k++) {INSIDE}.advance(1); }})()")
    assert alarm.is_visible()
    assert alarm.text_content().startswith("STEP TOO LONG: ")
    press(page, "Back to the start (Home)")
    assert alarm.is_hidden()
    page.close()


def test_a_pin_holds_and_shift_lets_it_go(playing):
    page = playing.page
    press(page, "Back to the start (Home)")
    x, y = at(page, "rod2")
    page.keyboard.down("Shift")
    page.mouse.click(x, y)
    page.keyboard.up("Shift")
    assert page.evaluate(f"{INSIDE}.pulls.rod2.pinned")
    press(page, "Play (space)")
    page.wait_for_function(f"{INSIDE}.t > 1.0")
    pull = page.evaluate(f"{INSIDE}.pulls.rod2")
    place = np.array(page.evaluate(f"{INSIDE}.place('rod2', {pull['point']})"))
    assert np.abs(place - pull["target"]).max() < 0.01
    press(page, "Pause (space)")
    page.keyboard.down("Shift")
    page.mouse.click(*at(page, "rod2", pull["point"]))
    page.keyboard.up("Shift")
    assert page.evaluate(f"Object.keys({INSIDE}.pulls).length") == 0
    playing.keep("played", playing.view())


def test_a_page_plays_without_python(chromium, tmp_path):
    toy = rbd.play(rbd.library.planar_four_bar(), {"crank.mass": (0.1, 3.0)})
    toy.to_html(tmp_path / "toy.html")
    toy.close()
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 720})
    page, asked, faults = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"file://{tmp_path}/toy.html")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    press(page, "Play (space)")
    page.wait_for_function(f"{INSIDE}.t > 0.4")
    assert page.evaluate(f"{INSIDE}.share") > 0.5
    press(page, "Pause (space)")
    press(page, "Back to the start (Home)")  # where no other bar covers the crank
    assert page.evaluate(f"{INSIDE}.t") == 0.0
    x, y = at(page, "crank", (0.0, 0.0, 0.1))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    assert page.evaluate(f"Object.keys({INSIDE}.pulls)") == ["crank"]
    page.mouse.up()
    context.close()
    assert len(asked) == 1 and not faults


def test_a_thrown_ball_bounces_rests_and_can_be_pulled_off_the_ground(chromium, tmp_path):
    model = rbd.Model("ball")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.5, restitution=0.5)
    q, v = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]), np.zeros(6)
    toy = rbd.play(model, {"ground.friction": (0.0, 1.0)}, q, v)
    toy.to_html(tmp_path / "ball.html")
    toy.close()
    page, faults = chromium.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"file://{tmp_path}/ball.html")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    steps = (
        f"(() => {{ for (let k = 0; k < 100; k++) {INSIDE}.advance(20); return [{INSIDE}.q, {INSIDE}.v].flat(); }})()"
    )
    found = np.array(page.evaluate(steps))
    run = rbd.simulate(model, q, v, 2.0, 1e-3, progress=False)
    np.testing.assert_allclose(found, [*run.q[-1], *run.v[-1]], rtol=0, atol=1e-12)  # pictures know of each other
    assert found[6] == pytest.approx(0.1, abs=1e-9)
    (place,) = page.evaluate(f"{INSIDE}.places")
    np.testing.assert_allclose(place["force"], [0.0, 0.0, 9.81], atol=1e-9)
    assert page.evaluate("document.querySelector('.rbd-view').core.arrows.meshes.length") == 1
    assert page.evaluate(f"{INSIDE}.weight('ball', [0, 0, 0])") == pytest.approx(1.0)  # though the ground holds it
    x, y = at(page, "ball", (0.0, 0.0, 0.0))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 150, steps=3)
    page.evaluate(f"(() => {{ for (let k = 0; k < 50; k++) {INSIDE}.advance(20); }})()")
    assert page.evaluate(f"{INSIDE}.q[6]") > 0.105  # it hangs from where it was taken
    assert page.evaluate(f"{INSIDE}.places.filter(({{ force }}) => Math.hypot(...force) > 0).length") == 0
    page.mouse.up()
    page.evaluate(f"(() => {{ for (let k = 0; k < 150; k++) {INSIDE}.advance(20); }})()")
    assert page.evaluate(f"{INSIDE}.q[6]") == pytest.approx(0.1, abs=1e-6)
    page.close()
    assert not faults


def test_a_view_lets_its_model_go_below(notebook):
    notebook.run("import rbdkit as rbd\nview = rbd.show(rbd.library.double_pendulum(), [1.0, 0.5], height=240)\nview")
    notebook.view().get_by_role("button", name="Let it go").first.click()
    notebook.page.locator(".rbd-view .rbd-view[data-ready=true]").wait_for()
    inside = "document.querySelector('.rbd-view .rbd-view').core.play"
    assert notebook.page.evaluate(f"{inside}.q") == [1.0, 0.5]
    notebook.page.locator(".rbd-view .rbd-view").get_by_role("button", name="Play (space)").click()
    notebook.page.wait_for_function(f"{inside}.t > 0.2")
    notebook.keep("let_go", notebook.page.locator(".rbd-view").first)
    notebook.page.get_by_role("button", name="Let it go").first.click()
    notebook.page.wait_for_function("!document.querySelector('.rbd-view .rbd-view')")


def test_the_bar_says_so_when_pictures_come_too_seldom(playing):
    """Of 0.3 s between two pictures 0.1 s are made up for; a page that nobody looked at for long is not behind."""
    page = playing.page
    script = """(pauses) => {
        const { play } = document.querySelector('.rbd-view').core;
        play.reset();
        Object.assign(play, { running: true, last: 0, share: 1 });
        pauses.reduce((now, pause) => (play.step(now + pause), now + pause), 0);
        play.show_bars();
        const said = document.querySelector('.rbd-time').textContent;
        play.pause();
        return [play.t, play.share, said];
    }"""
    t, share, said = page.evaluate(script, [300] * 60)
    assert t == pytest.approx(6.0, abs=2e-3) and share == pytest.approx(1.0 / 3.0, abs=2e-3)
    assert said == "6.00 s, 33 % of real time"
    t, share, said = page.evaluate(script, [*[50] * 60, 60_000])
    assert t == pytest.approx(3.1, abs=2e-3) and share == 1.0 and said == "3.10 s"


def test_shares_of_forces_that_are_not_determined_are_pale_and_said(notebook):
    """Four feet carry a table in one of many ways; with three it is said no more."""
    script = """
import numpy as np, rbdkit as rbd
feet = [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)][:4]
model = rbd.Model("table")
legs = [rbd.Geometry(rbd.Sphere(0.02), (*foot, -0.1)) for foot in feet]
inertia = rbd.Inertia(2.0, (0.05, 0.0, 0.0), np.diag([0.04, 0.04, 0.04]))
model.add_body("table", joint=rbd.Free(), inertia=inertia, geometry=legs)
model.add_ground(friction=0.0)
toy = rbd.play(model, q0=[1, 0, 0, 0, 0, 0, 0.12])
toy
"""
    colors = f"""(() => {{
        const {{ arrows }} = {INSIDE}.touching();
        const color = (_, k) => arrows.slice(11 * k + 7, 11 * k + 10).join();
        return [...new Set(Array.from({{ length: arrows.length / 11 }}, color))];
    }})()"""
    for number in (4, 3):
        own = script if number == 4 else script.replace("[:4]", "[:3]")
        notebook.run(own)
        notebook.view().scroll_into_view_if_needed()
        page = notebook.page
        page.wait_for_function(f"{INSIDE}.kernels.packaged.counts.n_slots === {number}")
        press(page, "Play (space)")
        page.wait_for_function(f"{INSIDE}.t > 0.1")
        press(page, "Pause (space)")
        assert page.locator(".rbd-open").is_visible() == (number == 4)
        wanted = "open" if number == 4 else "force"
        assert page.evaluate(colors) == [page.evaluate(f"{INSIDE}.data.touching.{wanted}.join()")]
    notebook.keep("play_three_legs")


def test_servos_follow_their_sliders_in_a_page(chromium, tmp_path):
    model = rbd.library.double_pendulum()
    model.add_motor("hinge1", u_range=1.0)
    model.add_servo("hinge2", kp=200.0, kd=20.0)
    toy = rbd.play(model, q0=[0.3, 0.0])
    toy.to_html(tmp_path / "toy.html")
    toy.close()
    page = chromium.new_page()
    page.goto(f"file://{tmp_path}/toy.html")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    for name, value in (("hinge2_servo", "1.5"), ("hinge1_motor", "0.5")):
        page.locator(f"[data-row='{name}.u'] input[type=number]").fill(value)
        page.locator(f"[data-row='{name}.u'] input[type=number]").press("Enter")
    found = page.evaluate(f"(() => {{ {INSIDE}.advance(2000); return [...{INSIDE}.q, ...{INSIDE}.v]; }})()")
    run = rbd.simulate(model, [0.3, 0.0], duration=2.0, u=[0.5, 1.5], progress=False)
    np.testing.assert_allclose(found, [*run.q[-1], *run.v[-1]], rtol=0, atol=1e-12)
    assert abs(run.q[-1, 1] - 1.5) < 0.1
    page.close()
