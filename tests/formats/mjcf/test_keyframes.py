"""Keyframes of MJCF as states."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import load_keyframes

TEXT = """
<mujoco>
  <worldbody><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
    <body name="b"><joint axis="0 1 0" ref="0.5"/><geom size="0.1" pos="0.3 0 0"/></body></body></worldbody>
  <keyframe><key name="home" qpos="1 2 3 0 0 0 2 0.75" qvel="1 2 3 4 5 6 7"/><key/></keyframe>
</mujoco>"""


def test_they_are_states_of_the_model(tmp_path):
    (tmp_path / "m.xml").write_text(TEXT)
    compiled = mujoco.MjModel.from_xml_string(TEXT)
    data = mujoco.MjData(compiled)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    mujoco.mj_forward(compiled, data)
    model = rbd.load_mujoco(mujoco.MjModel.from_xml_string(TEXT.replace("<keyframe>", "<keyframe><!--").replace(
        "</keyframe>", "--></keyframe>")))  # fmt: skip
    for source in (TEXT, tmp_path / "m.xml", compiled):
        keys = load_keyframes(source)
        assert list(keys) == ["home", "key1"]
        q, v = keys["home"]
        poses = rbd.forward_kinematics(model, q)
        for name in "ab":
            np.testing.assert_allclose(poses.pose(name)[:3, 3], data.body(name).xpos, atol=1e-12)
        np.testing.assert_allclose(v, [4, 5, 6, -1, -2, 3, 7], atol=1e-12)  # half a turn about z
        np.testing.assert_allclose(keys["key1"][0], model.neutral(), atol=1e-15)


def test_what_has_none():
    assert load_keyframes("<mujoco/>") == {}
    with pytest.raises(FormatError, match="text is URDF, which has no keyframes; MJCF does"):
        load_keyframes('<robot name="r"/>')
    with pytest.raises(FormatError, match="MuJoCo cannot read it"):
        load_keyframes("<mujoco><nothing/></mujoco>")
    with pytest.raises(FormatError, match="cannot load a model from int 3"):
        load_keyframes(3)
