"""Whatever a URDF is made to say, reading it gives a model or a FormatError, and soon."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning, load

GOOD = """<?xml version="1.0"?>
<robot name="r">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="a"><inertial><origin xyz="0 0 0.1" rpy="0 0 1"/><mass value="1.5"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual><origin xyz="1 0 0" rpy="0 1 0"/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
    <collision><geometry><mesh filename="package://p/m.stl" scale="1 1 -1"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="c"><visual><geometry><cylinder radius="1" length="2"/></geometry></visual></link>
  <link name="d"/>
  <link name="e"/>
  <joint name="j" type="revolute"><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><parent link="a"/><child link="b"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
    <mimic joint="j" multiplier="2" offset="0.1"/></joint>
  <joint name="l" type="fixed"><parent link="c"/><child link="d"/></joint>
  <joint name="m" type="planar"><parent link="a"/><child link="e"/><axis xyz="0 1 0"/></joint>
</robot>
"""
VALUES = [match.span(1) for match in re.finditer(r'="([^"]*)"', GOOD)]
TAGS = [match.span() for match in re.finditer(r"<[^>]*>", GOOD)]
WORDS = re.findall(r'="([^"]*)"', GOOD) + [
    "", "0", "-1", "1e12", "-1e12", "1e-300", "5e-324", "nan", "inf", "1e400", "0 0 0", "1 2",
    "floating", "continuous", "world", "${x}", "&lt;", "&x;", "\u0661", "1_0",
    "0x10", "1e12 1e12 1e12", "1e-12 0 0", "-0.0",
]  # fmt: skip


@pytest.fixture(scope="session")
def read(calls):
    """Read it, with so few calls that none can be a loop that runs on, and use what comes out."""
    return lambda text: calls(lambda: _read(text), most=MOST)


MOST = 100_000


def _read(text: str | bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            model = load(text)
        except FormatError as fault:
            assert len(str(fault)) < 2000
            return
    assert np.isfinite(model.random_q(0)).all()
    model.validate()


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_the_document_is_good():
    with pytest.warns(FormatWarning, match="1 mesh file not found"):
        model = load(GOOD)
    assert model.nq == 4


@settings(relaxed, max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(WORDS)), min_size=1, max_size=4))
def test_other_values(read, changes):
    text = GOOD
    for (start, stop), word in sorted(changes, reverse=True):
        text = text[:start] + word + text[stop:]
    read(text)


@settings(relaxed, max_examples=100)
@given(st.sampled_from(VALUES), st.text(max_size=30))
def test_any_value(read, place, value):
    read(GOOD[: place[0]] + value + GOOD[place[1] :])


@settings(relaxed, max_examples=150)
@given(st.sampled_from(TAGS), st.sampled_from(TAGS), st.sampled_from(["drop", "double", "swap"]))
def test_other_tags(read, one, two, change):
    (a, b), (c, d) = sorted([one, two])
    if change == "swap" and b <= c:
        read(GOOD[:a] + GOOD[c:d] + GOOD[b:c] + GOOD[a:b] + GOOD[d:])
    else:
        read(GOOD[:a] + GOOD[a:b] * (2 if change == "double" else 0) + GOOD[b:])


@settings(relaxed, max_examples=150)
@given(st.integers(0, len(GOOD)), st.integers(0, 40), st.binary(max_size=6))
def test_other_bytes(read, start, length, put):
    data = GOOD.encode()
    read(data[:start] + put + data[start + length :])


@settings(relaxed, max_examples=200)
@given(st.text(max_size=60))
@example("<robot name='r'><link name='a'/></robot>" * 2)
def test_any_text(read, text):
    read("<" + text)


JOINT = st.tuples(
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]),
    st.none() | st.tuples(st.integers(0, 7), st.sampled_from(["0", "1", "-2", "1e-12", "1e12"])),
)


@settings(relaxed, max_examples=200)
@given(st.lists(JOINT, max_size=7), st.booleans())
def test_any_graph_of_links_and_mimics(read, joints, tree):
    rows = [f'<link name="l{k}"/>' for k in range(len(joints) + 1)]
    for k, (parent, child, kind, mimic) in enumerate(joints):
        above, below = (parent % (k + 1), k + 1) if tree else (parent, child)
        follow = "" if mimic is None else f'<mimic joint="j{mimic[0]}" multiplier="{mimic[1]}" offset="0.5"/>'
        ends = f'<parent link="l{above}"/><child link="l{below}"/>'
        rows.append(f'<joint name="j{k}" type="{kind}">{ends}{follow}</joint>')
    read("<robot>" + "".join(rows) + "</robot>")
