"""Straight tendons as springs and dampers; all others by name."""

from __future__ import annotations

import pytest

BODIES = """
  <site name="w" pos="0.5 0.3 2"/>
  <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0 0 0.1"/><geom size="0.1" pos="0.3 0 0"/>
    <site name="s" pos="0.5 0.1 0"/><site name="s2" pos="0.6 0.1 0"/></body>
  <body name="b" pos="0 1 1"><joint name="k" type="ball"/><geom size="0.1" pos="0.1 0 0"/>
    <site name="t" pos="0 0.2 0"/></body>"""
CURVED = "1 tendons with springs or dampers that do not go straight between two sites"


def spatial(attributes: str, *sites: str) -> str:
    return f"<tendon><spatial {attributes}>{''.join(f'<site site={s!r}/>' for s in sites)}</spatial></tendon>"


@pytest.mark.parametrize("attributes", [
    'stiffness="20"', 'stiffness="20" springlength="0.3"', 'stiffness="20" damping="3"', 'damping="3"',
])  # fmt: skip
@pytest.mark.parametrize("sites", [("w", "s"), ("s", "t")])
def test_springs_and_dampers(tree, attributes, sites):
    both = tree(BODIES, spatial(attributes, *sites))
    assert [force.name for force in both.model.forces] == ["tendon0"]
    for seed in range(2):
        both.state(seed).check()


@pytest.mark.parametrize(("tendon", "says"), [
    (spatial('stiffness="1"', "w", "s", "t"), [CURVED]),
    (spatial('stiffness="1" springlength="0.1 0.2"', "w", "s"), ["1 tendons whose force is not linear"]),
    (spatial('stiffness="1 2 3"', "w", "s"), ["1 tendons whose force is not linear"]),
    (spatial('stiffness="1"', "s", "s2"), ["1 tendons within one body"]),
    (spatial('range="0 1" frictionloss="1" armature="2"', "w", "s"),
     ["1 length limits of tendons", "1 friction loss of tendons", "1 armature of tendons",
      "1 tendons without springs and dampers"]),
    ('<tendon><fixed stiffness="2"><joint joint="j" coef="3"/></fixed></tendon>',
     [CURVED]),
])  # fmt: skip
def test_what_is_left_out(read, tendon, says):
    both = read(f"<worldbody>{BODIES}</worldbody>{tendon}")
    assert both.told.splitlines()[1:] == [f"  {line}" for line in says] and not both.model.forces


def test_springs_and_dampers_that_a_file_switches_off(tree):
    off = '<option><flag spring="disable" damper="enable"/></option>'
    both = tree(BODIES, spatial('stiffness="20" damping="3"', "w", "s") + off)
    assert both.model.forces[0].element.stiffness == 0.0 and both.model.forces[0].element.damping == 3.0
    both.state().check()
