"""Pictures of six points and directions show the numbers of the projection."""

import numpy as np
import pytest

from rbdkit.figures import draw_projection, draw_section
from rbdkit.formulations.local_velocity import Projection


@pytest.mark.source("H.02")
@pytest.mark.parametrize("projection", [Projection.hexahedral(1.0, 0.7, 0.8), Projection.tetrahedral()])
def test_each_point_has_its_number_and_its_direction(projection):
    figure = draw_projection(projection)
    (ax,) = figure.axes
    labels = [text.get_text().strip() for text in ax.texts]
    assert labels[:6] == ["1", "2", "3", "4", "5", "6"]
    for text, point in zip(ax.texts, projection.points, strict=False):
        np.testing.assert_allclose(text.get_position_3d(), 1.08 * point)
    lines = [np.array(line.get_data_3d()).T for line in ax.lines if len(line.get_data_3d()[0]) == 2]
    assert len(lines) == 12 + 6  # edges of the box, lines through the points
    assert len(figure._repr_png_()) > 10_000


def test_with_a_motion_each_point_shows_its_coordinate():
    projection = Projection.hexahedral()
    w = projection.coordinates([0.0, 0.0, 0.0, 0.0, 0.0, np.sqrt(2.0)])
    labels = [text.get_text().strip() for text in draw_projection(projection, w).axes[0].texts[:6]]
    assert labels == ["1: +1.00", "2: +1.00", "3: +0.00", "4: +0.00", "5: +0.00", "6: +0.00"]


@pytest.mark.source("H.03")
@pytest.mark.parametrize(("normal", "seen"), [(1, "1234"), (2, "3456"), (3, "1256")])
def test_a_section_shows_the_velocity_field(normal, seen):
    """Points in the section are numbered; arrows are those of rigid motion."""
    projection, v_L = Projection.hexahedral(0.9, 0.7, 0.8), np.array([0.1, 0.2, -0.3, 0.5, 0.4, 1.0])
    ax = draw_section(projection, projection.coordinates(v_L), normal).axes[0]
    assert "".join(text.get_text() for text in ax.texts) == seen
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    i, k = [a for a in (0, 1, 2) if a != normal - 1]
    points = np.zeros((81, 3))
    points[:, i], points[:, k] = arrows.X, arrows.Y
    expected = v_L[:3] + np.cross(v_L[3:], points)
    np.testing.assert_allclose(arrows.U, expected[:, i], atol=1e-14)
    np.testing.assert_allclose(arrows.V, expected[:, k], atol=1e-14)
