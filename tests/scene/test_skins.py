"""Deformable bodies as they are drawn: a closed skin where they have a surface, lines where they have none."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene.build import scene_of
from rbdkit.scene.pack import pack_scene


def ends(model):
    """Triangles and lines of a model, as places of their nodes."""
    at = rbd.forward_kinematics(model, model.neutral())
    found = {2: [], 3: []}
    for band in scene_of(model).bands:
        places = [at.pose(model.bodies[k].name) @ [*p, 1.0] for k, p in zip(band.nodes, band.points, strict=True)]
        found[len(places)].append(np.array(places)[:, :3])
    return found[3], found[2]


def area(corners):
    return 0.5 * np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]))


@pytest.mark.source("S2.19")
@pytest.mark.parametrize("nodes", (2, 3))
def test_the_skin_of_a_cube_is_closed(nodes):
    triangles, lines = ends(rbd.library.soft_cube(nodes=nodes, size=0.2))
    assert not lines
    assert sum(map(area, triangles)) == pytest.approx(6 * 0.2**2, rel=1e-12)  # nothing twice, nothing inside
    sides = Counter(
        frozenset(tuple(np.round(p, 6) + 0.0) for p in side) for one in triangles for side in combinations(one, 2)
    )
    assert set(sides.values()) == {2}


@pytest.mark.source("S2.19")
def test_a_ladder_has_a_skin_and_a_string_has_none():
    triangles, lines = ends(rbd.library.robot_with_tail(links=5))
    assert sum(map(area, triangles)) == pytest.approx(5 * 0.04 * 0.03, rel=1e-9) and not lines
    string = rbd.library.cuboid_scene("string").model
    triangles, lines = ends(string)
    assert not triangles and len(lines) == 3


def test_a_string_that_leads_away_from_a_cube_is_seen():
    model = rbd.library.soft_cube(nodes=2)
    model.add_spring("string", "jelly0", "jelly7", 1.0)
    points = [[0.3, 0.0, -0.2], [0.4, 0.0, -0.2]]
    model.add_deformable("tail", points, [(0, 1)], 0.1, 10.0)
    model.add_spring("knot", "jelly4", "tail0", 10.0)
    triangles, lines = ends(model)
    assert len(triangles) == 12 and len(lines) == 2


def test_three_ends_reach_the_picture():
    packed = pack_scene(scene_of(rbd.library.soft_cube(nodes=2)))
    assert {len(band["nodes"]) for band in packed["bands"]} == {3} == {len(band["points"]) for band in packed["bands"]}
    both = rbd.compare({name: rbd.simulate(rbd.library.robot_with_tail(2), duration=0.01, dt=1e-3) for name in "ab"})
    assert both is not None


@pytest.mark.source("S2.19")
def test_nodes_under_a_skin_are_not_drawn_themselves():
    cube = scene_of(rbd.library.soft_cube(nodes=3))
    assert {part.layer for part in cube.parts} & {"bodies"} == set()
    assert not next(layer for layer in cube.layers if layer.name == "frames").visible
    tail = scene_of(rbd.library.robot_with_tail(links=3))
    assert {part.node for part in tail.parts if part.layer == "bodies"} == {1, 2}
    string = rbd.library.cuboid_scene("string").model
    assert {part.node for part in scene_of(string).parts if part.layer == "bodies"} > {1, 2}
