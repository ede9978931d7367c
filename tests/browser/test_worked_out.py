"""Playgrounds that pages compute by themselves: numbers, words and pictures are Python's, and the handle works."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene import Arrow, Ellipsoid
from rbdkit.widgets import Picture, Playground, Slider

NUMERALS = Path(rbd.__file__).parent / "export" / "js" / "numerals.js"
FORMS = (
    "f", "e", "g", "%", "", ".0f", ".1f", ".2f", "+.2f", " .3f", ".0e", ".2e", ".3g", ".0g", ".1g", "08.2f", "+09.3f",
    "<9.2f", ">9.1f", "^11.2f", "*^12.1e", "_<8.1f", "=+9.1f", ".12g", ".0%", ".1%", "G", "E", ".4G", "<08.2f", "8",
    "+", "012",
)  # fmt: skip
NUMBERS = (
    0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 0.125, 0.375, 1e-5, 1e-4, 123456789.0, 1e15, 1e16, 1e21, 1.5e22, 1e300, 1e-300,
    5e-324, np.inf, -np.inf, np.nan, 0.1, -0.05, 9.995, 99.5, 1e5, 999999.5, 100000.0, 3.0, 1.0 / 3.0,
)  # fmt: skip
MODEL = rbd.library.double_pendulum()
SLIDERS = [
    Slider("a", "rad", -3.0, 3.0, 0.5),
    Slider("b", "rad", -3.0, 3.0, 0.2),
    Slider("what", "", 0, 1, 0, choices=("turn", "push")),
]


def held(a: float, b: float, what: str) -> Picture:
    """Two rods held by moments."""
    tau = rbd.rnea(MODEL, [a, b], [0.0, 0.0], [0.0, 0.0])
    kind = "turning" if what == "turn" else "straight"
    return Picture(
        q=[a, b],
        arrows=[Arrow(0, (0.0, 0.0, 0.0), (0.0, 0.0, tau[0] / 20.0), "#aa3377", kind, "tau", f"{tau[0]:.1f} N m")],
        ellipsoids=[Ellipsoid(0, np.array([a, 0.0, b]), np.eye(3), 0.1 + np.array([a * a, b * b, 0.0]), "#4477aa")],
        readout=[("moments", f"{tau[0]:+.3f}, {tau[1]:+.3f} N m")],
        note=f"Held by a {what} of {abs(tau[0]):.3g}.",
        handle=rbd.pose(position=[np.sin(a), 0.0, -np.cos(a)]),
    )


def led(pose: np.ndarray) -> dict[str, float]:
    return {"a": float(np.arctan2(pose[0, 3], -pose[2, 3]))}


@pytest.fixture
def page(chromium, tmp_path):
    playground = Playground("Held", SLIDERS, held, MODEL, on_drag=led)
    playground.to_html(tmp_path / "page.html")
    playground.close()
    page = chromium.new_page(viewport={"width": 1200, "height": 700})
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.goto(f"file://{tmp_path / 'page.html'}")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    yield page
    assert page.faults == []
    page.close()


def turn(page, name: str, value: float) -> None:
    page.locator(f"[data-row='{name}'] input[type=number]").fill(repr(value))
    page.locator(f"[data-row='{name}'] input[type=number]").press("Enter")


def drawn(page) -> dict:
    return page.evaluate("""() => {
        const { core } = document.querySelector('.rbd-view');
        const floats = (name) => [...new Float32Array(core.model.get(name).buffer)];
        const text = (place) => document.querySelector(place).innerText;
        return { pose: floats('_pose'), arrows: floats('_arrows'), ellipsoids: floats('_ellipsoids'),
                 tags: core.model.get('_arrow_names'), handle: core.model.get('_handle'),
                 read: text('.rbd-readout'), note: text('.rbd-sentence') };
    }""")


def assert_python_draws_the_same(page, a: float, b: float, what: str) -> None:
    picture, found = held(a, b, what), drawn(page)
    ((name, value),) = picture.readout
    assert found["read"] == f"{name}\n{value}".replace("-", "\N{MINUS SIGN}") and found["note"] == picture.note
    poses = rbd.forward_kinematics(MODEL, [a, b]).poses
    places = np.array(found["pose"][:-1]).reshape(-1, 7)
    np.testing.assert_allclose(places[:, :3], poses[:, :3, 3], rtol=0, atol=1e-6)  # single precision
    (arrow,), (ellipsoid,) = picture.arrows, picture.ellipsoids
    assert found["tags"] == [[arrow.name, arrow.text]]
    np.testing.assert_allclose(found["arrows"][1:7], [*arrow.start, *arrow.vector], rtol=1e-6, atol=1e-6)
    assert found["arrows"][10] == (arrow.kind == "turning")
    np.testing.assert_allclose(found["ellipsoids"][1:4], ellipsoid.center, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found["ellipsoids"][8:11], ellipsoid.radii, rtol=1e-6, atol=1e-6)


def test_a_page_works_out_what_python_draws(page):
    assert "This page computes by itself." in page.locator("footer").inner_text()
    assert_python_draws_the_same(page, 0.5, 0.2, "turn")
    turn(page, "a", -1.25)
    turn(page, "b", 2.125)
    assert_python_draws_the_same(page, -1.25, 2.125, "turn")
    page.locator("[data-row='what'] select").select_option("1")
    assert_python_draws_the_same(page, -1.25, 2.125, "push")
    page.get_by_role("button", name="Back to the first values").click()
    assert_python_draws_the_same(page, 0.5, 0.2, "turn")


def test_its_handle_moves_the_sliders(page):
    core = "document.querySelector('.rbd-view').core"
    page.evaluate(f"{core}.tell_drag({{ pose: [0.6, 0, -0.8, 0, 0, 0, 1], done: true }})")
    a = float(np.arctan2(0.6, 0.8))
    assert float(page.locator("[data-row='a'] input[type=number]").input_value()) == pytest.approx(a, abs=1e-3)
    assert_python_draws_the_same(page, a, 0.2, "turn")
    np.testing.assert_allclose(drawn(page)["handle"]["pose"][:3], [0.6, 0.0, -0.8], rtol=0, atol=1e-6)


def test_what_is_not_finite_is_said_and_not_drawn(chromium, tmp_path):
    """Between the settings at which the page was compared with Python."""
    sliders = [Slider("a", "m", -1.0, 1.0, 0.5)]
    playground = Playground(
        "Far", sliders, lambda a: Picture(arrows=[Arrow(0, (0, 0, 0), (0, 0, 1.0 / a), "#aa3377")]), MODEL
    )
    playground.to_html(tmp_path / "page.html")
    playground.close()
    page = chromium.new_page()
    page.goto(f"file://{tmp_path / 'page.html'}")
    page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    arrows = "[...new Float32Array(document.querySelector('.rbd-view').core.model.get('_arrows').buffer)]"
    turn(page, "a", 0.0)
    assert "not finite" in page.locator(".rbd-fault").inner_text() and page.evaluate(arrows)[6] == 2.0
    turn(page, "a", 0.25)
    assert page.locator(".rbd-fault").inner_text() == "" and page.evaluate(arrows)[6] == 4.0
    page.close()


def test_numbers_are_written_as_python_writes_them(page):
    """Ties of all kinds too: where two digits are as near, Python takes the even one, and JavaScript the larger."""
    rng = random.Random(0)
    drawn = [rng.uniform(-10.0, 10.0) * 10.0 ** rng.randint(-12, 12) for _ in range(150)]
    ties = [rng.randint(-4000, 4000) / 2.0 ** rng.randint(0, 6) for _ in range(150)]
    cases = [(repr(float(x)), form) for form in FORMS for x in (*NUMBERS, *drawn, *ties)]
    script = f"""(cases) => {{
        const known = {{ inf: Infinity, '-inf': -Infinity, nan: NaN }};
        const write = (() => {{ {NUMERALS.read_text(encoding="utf-8")}; return written; }})();
        return cases.map(([x, form]) => write(known[x] ?? Number(x), form));
    }}"""
    told = page.evaluate(script, cases)
    assert [
        (x, form, text) for (x, form), text in zip(cases, told, strict=True) if text != format(float(x), form)
    ] == []
