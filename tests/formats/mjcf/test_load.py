"""Files, texts and compiled models; what is left out, what is refused, and a machine without MuJoCo."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import mujoco
import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning
from rbdkit.formats.mjcf import library

BALL = '<body name="ball"><freejoint/><geom size="0.1"/></body>'
TEXT = f'<mujoco model="m"><worldbody>{BALL}</worldbody></mujoco>'


def test_files_find_what_they_include_and_their_meshes(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "ball.xml").write_text(f"<mujocoinclude>{BALL}</mujocoinclude>")
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    path = tmp_path / "scene.xml"
    path.write_text(
        '<mujoco><asset><mesh file="t.obj"/></asset><worldbody><include file="parts/ball.xml"/>'
        '<body name="t"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>'
    )
    assert [body.name for body in rbd.load(path).bodies] == ["world", "ball", "t"]
    monkeypatch.chdir(tmp_path)
    with open("scene.xml") as file:
        assert rbd.load(file).name == rbd.load("scene.xml").name == rbd.load(path).name


def test_a_compiled_model_of_one_s_own():
    spec = mujoco.MjSpec()
    spec.modelname = "own"
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
    body.add_freejoint()
    body.add_geom(size=[0.1, 0, 0])
    model = rbd.load_mujoco(spec.compile())
    assert model.name == "own" and model.body("ball").joint.placement[2, 3] == 1.0
    assert rbd.load_mujoco(spec.compile(), gravity=(0, 0, -1)).gravity.tolist() == [0, 0, -1]
    assert rbd.load(TEXT, gravity=(1, 2, 3)).gravity.tolist() == [1, 2, 3]
    with pytest.raises(FormatError, match=r"load_mujoco takes a compiled model, a mujoco\.MjModel, not '<mujoco/>'"):
        rbd.load_mujoco("<mujoco/>")


def test_a_reference_that_was_changed_counts():
    compiled = mujoco.MjModel.from_xml_string(TEXT)
    compiled.qpos0[:3] = 1.0, 2.0, 3.0
    assert rbd.load_mujoco(compiled).body("ball").joint.placement[:3, 3].tolist() == [1, 2, 3]
    assert rbd.formats.from_mujoco_state(compiled, compiled.qpos0)[0].tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_what_was_read_goes_through_json():
    model = rbd.load(TEXT.replace("</worldbody>", '<geom type="plane" size="0 0 1"/></worldbody>'))
    again = rbd.formats.from_json(rbd.formats.to_json(model))
    assert rbd.formats.to_dict(again) == rbd.formats.to_dict(model)
    assert [pair.material for pair in again.contact_pairs] == [pair.material for pair in model.contact_pairs]


@pytest.mark.parametrize(("text", "says"), [
    ("<mujoco><worldbody><body/></worldbody>", "text: MuJoCo cannot read it: XML parse error"),
    ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "mass and inertia of moving bodies must be"),
    ("<mujoco><geom/></mujoco>", "Schema violation: unrecognized element"),
    (f"<mujoco><worldbody><body name='{'a' * 20000}'/></worldbody></mujoco>", "text: "),
])  # fmt: skip
def test_what_is_refused(text, says):
    with pytest.raises(FormatError, match=says):
        rbd.load(text)


def test_one_warning_about_all_that_is_left_out(read):
    both = read(
        f'<worldbody>{BALL}<body name="a" mocap="true"/>'
        '<body name="arm"><joint name="j"/><geom size="0.1"/></body></worldbody>'
        '<actuator><motor joint="j"/><motor joint="j"/><position joint="j"/><muscle joint="j" lengthrange="0 1"/>'
        '<velocity joint="j"/></actuator><sensor><jointpos joint="j"/></sensor><option density="1"/>'
        "<keyframe><key/><key/></keyframe>"
    )
    assert both.told.splitlines() == [
        "text: left out, as rbdkit has no place for it:",
        "  1 actuators: muscles",
        "  1 sensors",
        "  2 keyframes (rbdkit.formats.load_keyframes has their states)",
        "  1 mocap bodies, which stay where they are",
        "  1 drag and buoyancy of a medium (density or viscosity)",
    ]


def test_warnings_of_mujoco_are_told_and_no_file_of_them_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = mujoco.get_mju_user_warning()
    with pytest.warns(FormatWarning, match="MuJoCo: compiler attribute 'settotalmass' is deprecated"):
        rbd.load(TEXT.replace("<worldbody>", '<compiler settotalmass="3"/><worldbody>'))
    assert not list(tmp_path.iterdir()) and mujoco.get_mju_user_warning() is before


def test_without_mujoco_the_extra_is_named():
    script = (
        "import sys, rbdkit as rbd\nsys.modules['mujoco'] = None\n"
        f"try:\n    rbd.load({TEXT!r})\nexcept ModuleNotFoundError as fault:\n    print(fault)\n"
        "print(rbd.formats.to_mjcf(rbd.library.pendulum())[:5])"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert 'which is not installed: pip install "rbdkit[mjcf]"\n<?xml' in told.stdout


def test_an_old_mujoco_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", "3.3.7")
    with pytest.raises(ModuleNotFoundError, match=r"MuJoCo 4 or newer, here is 3\.3\.7"):
        library.mujoco()


def mjcf_files() -> list[Path]:
    """All MJCF files of packages that are installed here; those of MuJoCo itself are."""
    folders = []
    for name in ("mujoco", "dm_control", "gymnasium", "pybullet_data"):
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            folders += [Path(folder) for folder in spec.submodule_search_locations]
    return sorted({path for folder in folders for path in folder.rglob("*.xml")})


def test_every_file_of_installed_packages_that_mujoco_loads(both_of):
    """The same mass matrix, and the same acceleration where nothing that acts is left out."""
    acts = ("tendons", "medium", "not linear", "armature", "flexes", "plugins")
    loaded = 0
    for path in mjcf_files():
        try:
            compiled = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = rbd.load(path)
        loaded += 1
        told = "\n".join(str(w.message) for w in caught)
        assert (model.nq, model.nv) == (compiled.nq, compiled.nv), path
        if model.nv and "armature" not in told:
            state = both_of(model, compiled, told).state()
            ours, theirs = state.mass_matrices()
            assert abs(ours - theirs).max() <= 1e-12 * abs(theirs).max(), path
            if not any(word in told for word in acts):
                ours, theirs = state.accelerations()
                assert abs(ours - theirs).max() <= 1e-9 * max(1.0, abs(theirs).max()), path
    assert loaded
