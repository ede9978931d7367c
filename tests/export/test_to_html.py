"""Pictures as one HTML file: what is in it, what is left out and said, what is refused."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene import scene_of
from rbdkit.widgets import Stage
from rbdkit.widgets.front import Front

REPOSITORY = Path(__file__).resolve().parents[2]
RANGES = {"rod1.mass": (0.2, 5.0), "hinge1.angle": (-3.0, 3.0), "gravity.z": (-20.0, 0.0), "dt": (1e-4, 1e-1)}


def data_of(text: str) -> dict:
    """What a page holds, its arrays as bytes."""

    def unpacked(name: str) -> bytes:
        packed = re.search(f'id="{name}">([^<]*)<', text)
        assert packed is not None
        return gzip.decompress(base64.b85decode(packed[1].replace(",", "<")))

    arrays = np.frombuffer(unpacked("rbd-arrays"), dtype=np.uint8)

    def revived(value: dict) -> object:
        if "$" not in value:
            return value
        start, size, width, grid = value["$"]
        changes = arrays[start : start + 4 * -(-size // 4)].reshape(4, -1).T.copy().view("<u4").ravel()
        changes = (changes >> 1) ^ (~(changes & 1) + np.uint32(1))
        rows = np.append(changes, np.zeros(-len(changes) % width, dtype="<u4")).reshape(-1, width)
        words = np.cumsum(rows, axis=0, dtype="<u4").ravel()[: len(changes)]
        numbers = words if not grid else (words.view("<i4") * grid).astype("<f4")
        return numbers.tobytes()[:size]

    return json.loads(unpacked("rbd-data"), object_hook=revived)


@pytest.fixture
def tweaked():
    """Make a `tweak`, closed at the end."""
    views = []

    def tweaked(*args, **options):
        views.append(rbd.tweak(*args, **{"duration": 0.5, **options}))
        return views[-1]

    yield tweaked
    for view in views:
        view.close()


def test_the_bundle_of_three_js_is_the_one_that_was_built():
    built = json.loads((REPOSITORY / ".ci" / "three" / "built.json").read_text())
    wanted = json.loads((REPOSITORY / ".ci" / "three" / "package.json").read_text())
    scripts = REPOSITORY / "rbdkit" / "export" / "js"
    assert hashlib.sha256((scripts / "three.min.js").read_bytes()).hexdigest() == built["sha256"]
    assert (
        wanted["dependencies"]["three"] == built["three"] and wanted["devDependencies"]["esbuild"] == built["esbuild"]
    )
    assert "MIT License" in (scripts / "three.LICENSE.txt").read_text()


def test_a_motion_is_written_with_its_poses(tmp_path):
    run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.5)
    file = tmp_path / "run.html"
    text = rbd.to_html(run, file, title="Two <rods>", height=333)
    assert file.read_text(encoding="utf-8") == text
    assert "<h1>Two &lt;rods&gt;</h1>" in text and "Copyright" in text and "three.js authors" in text
    data = data_of(text)
    rows = np.frombuffer(data["stage"]["_tracks"]["poses"], dtype="<f4").reshape(-1, 3, 7)
    np.testing.assert_allclose(rows[-1, :, :3], run.poses()[-1, :, :3, 3], atol=1e-6)  # float32
    assert data["live"] is None and data["stage"]["height"] == 333
    assert not re.search(r"""(src|href)=["']""", text)  # asks nobody for anything


def test_pictures_have_it_as_a_method():
    run = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1)
    other = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, integrator="explicit_euler")
    for view in (rbd.show(run), rbd.show(rbd.library.pendulum()), rbd.compare({"a": run, "b": other})):
        assert '"_scene"' in json.dumps(data_of(view.to_html()), default=repr)
        view.close()
    assert run.to_html(title="A swing").count("A swing") == 2


def test_a_double_pendulum_with_sliders_is_small(tweaked):
    text = tweaked(rbd.library.double_pendulum(), RANGES, [1.0, 0.5], duration=10.0).to_html()
    assert len(text.encode()) < 400_000
    assert "This page simulates by itself" in text


def test_a_panda_with_its_meshes_and_their_ghost_is_no_long_wait(tweaked):
    model = rbd.load(rbd.library.robot_file("panda"))
    ranges = {"panda_joint2.angle": (-1.5, 1.5), "panda_link4.mass": (0.1, 10.0)}
    assert len(tweaked(model, ranges, duration=0.1).to_html().encode()) < 2_200_000


def test_a_picture_without_a_model_says_that_it_cannot_be_let_go():
    scene = scene_of(rbd.library.pendulum())
    stage = Stage(scene)
    text = stage.to_html()
    stage.close()
    assert data_of(text)["toy"] is None and "It cannot be let go: it shows no model." in text
    run = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1)
    motion = data_of(run.to_html())["toy"]["motion"]
    np.testing.assert_array_equal(np.frombuffer(motion["t"]), run.t)
    np.testing.assert_allclose(np.frombuffer(motion["v"], dtype="<f4"), run.v[:, 0], atol=1e-6)


def test_sliders_stand_where_they_stood(tweaked):
    view = tweaked(rbd.library.double_pendulum(), RANGES, [1.0, 0.5])
    view.set(**{"rod1.mass": 2.5})
    panel = data_of(view.to_html())["panel"]
    values = np.frombuffer(panel["values"])
    assert dict(zip([row["name"] for row in panel["rows"]], values, strict=True)) == view.values


def test_what_cannot_be_turned_in_a_page_is_left_out_and_named(tweaked):
    ranges = {"rod1.mass": (0.2, 5.0), "rod2.com.z": (-0.8, -0.2), "hinge2.placement.z": (-2.0, -0.1)}
    text = tweaked(rbd.library.double_pendulum(), ranges).to_html()  # lengths, too: their shapes are in the page
    assert [row["name"] for row in data_of(text)["panel"]["rows"]] == list(ranges)
    assert "cannot be turned" not in text and data_of(text)["stage"]["_scene"]["shapes"]

    floating = rbd.Model("stone")
    floating.add_body("stone", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    scalar, *_, height = [name for name in _columns(floating) if "rate" not in name][:7]
    view = tweaked(floating, {scalar: (0.9, 1.1, 1.0), height: (0.0, 2.0)})
    assert [row["name"] for row in data_of(view.to_html())["panel"]["rows"]] == [height]
    assert "a component of a quaternion is not free of the others" in view.to_html()


def test_loops_are_closed_by_python(tweaked):
    four_bar = rbd.library.planar_four_bar()
    angle = next(name for name in _columns(four_bar) if not name.endswith("rate"))
    start = _columns(four_bar)[angle][0]
    ranges = {f"{four_bar.bodies[1].name}.mass": (0.5, 2.0), angle: (start - 1.0, start + 1.0, start)}
    text = tweaked(four_bar, ranges).to_html()
    assert len(data_of(text)["panel"]["rows"]) == 1 and "Python closes the loops of a state" in text


def _columns(model):
    return rbd.simulate(model, duration=0.01).columns()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"formulation": "se3"}, "formulation &#x27;se3&#x27; is not compiled for pages"),
        ({"f_ext": {"rod2": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]}}, "external forces are not compiled for pages"),
        ({"integrator": "rk45"}, "steps of one length"),
        ({"tau": np.zeros((500, 2))}, "joint forces are given step by step"),
    ],
)
def test_what_does_not_compile_for_pages_is_played_back_and_the_page_says_why(tweaked, options, why):
    text = tweaked(rbd.library.double_pendulum(), {"rod1.mass": (0.2, 5.0)}, **options).to_html()
    data = data_of(text)
    assert data["live"] is None and data["panel"] is None and data["stage"]["_tracks"]
    assert why in text and "Its sliders need Python" in text


def test_what_is_no_picture_is_refused_by_name():
    with pytest.raises(rbd.FormatError, match="not list"):
        rbd.to_html([1.0])
    view = rbd.show(rbd.library.pendulum())
    with pytest.raises(rbd.FormatError, match="'height' is for models and trajectories"):
        rbd.to_html(view, height=300)
    view.close()


def test_the_browser_never_hears_of_widgets_that_are_only_written_down(monkeypatch):
    """It would load their JavaScript, and say that it failed: they are closed before it has come."""
    told, opened = [], Front.open

    def noted(self):
        opened(self)
        told.append(self.comm is not None)

    view = rbd.show(rbd.library.double_pendulum())
    monkeypatch.setattr(Front, "open", noted)
    rbd.to_html(rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.1))
    rbd.to_html(view)
    assert told
    assert not any(told)
    rbd.show(rbd.library.double_pendulum()).close()
    assert told[-1]
    view.close()


def test_a_page_says_what_becomes_of_joint_limits():
    model = rbd.Model("swing")
    rod = rbd.Inertia.box((0.02, 0.02, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    model.add_body("rod", joint=rbd.Revolute("y"), joint_name="hinge", inertia=rod, limits=rbd.Limits(-0.5, 0.8))
    said = {None: "Joints stop at their limits. ", "watch": "Joints pass their limits, as asked for. ", "ignore": ""}
    for limits, text in said.items():
        view = rbd.tweak(model, {"rod.mass": (1.0, 2.0)}, v0=[4.0], duration=0.5, limits=limits)
        assert (view.trajectory.q.max() > 0.8) == (limits is not None)
        assert f"in steps of equal length. {text}The hand lets it go" in view.to_html()
        view.close()
    chosen = rbd.tweak(model, {"integrator": ["rk4", "heun"]}, v0=[4.0], duration=0.5)
    assert "Joints pass their limits: stops are made by a contact law" in chosen.to_html()
    chosen.close()
