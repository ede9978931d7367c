"""The view of a model or a trajectory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import ArgumentError
from rbdkit.model import Model
from rbdkit.scene import Scene, Tracks, plots_of, scene_of, tracks_of
from rbdkit.scene.bounds import node_outlines, span, swept_outline
from rbdkit.scene.build import one_pose
from rbdkit.scene.ground import LAYER as GROUND
from rbdkit.scene.ground import laid_under, reaching_to
from rbdkit.scene.touching import KINDS, contact_plots, event_marks, force_scale, packed_touching, touching
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets.inspecting import Inspecting, Now, state_of

if TYPE_CHECKING:
    from rbdkit.simulation import Trajectory

FAR = 4.0
"""Size of a picture, relative to the model, above which a motion is followed by the camera instead."""


class View(Inspecting):
    """A model in 3D, still or in recorded motion; see `show`.

    Parameters
    ----------
    model : Model
        What is shown.
    q : array_like (nq,), optional
        Coordinates of the picture at first; neutral if not given.
    trajectory : Trajectory, optional
        A recorded motion.
    trails, follow, plots, contacts : optional
        As of `show`.
    room_for : array_like (k, nq), optional
        Further coordinates at which the model should be in the picture.
    **options
        Of the picture and the player, as of `Stage`.

    Attributes
    ----------
    model : Model
        The model.
    trajectory : Trajectory or None
        The recorded motion, or None.
    q : ndarray (nq,)
        Coordinates of the picture; set them to pose the model at once.
    """

    def __init__(
        self,
        model: Model,
        q: ArrayLike | None = None,
        trajectory: Trajectory | None = None,
        trails: Iterable[str] | None = None,
        follow: str | None = None,
        plots: bool = True,
        contacts: bool = True,
        room_for: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        self.model, self.trajectory = model, trajectory
        if trajectory is not None:
            q = np.asarray(trajectory.q)[0]
        self._q = model.neutral() if q is None else np.array(one_pose(model, q))
        scene, tracks = scene_of(model, self._q, trails), None
        followable = moving_root(model)
        self._size = scene.size
        if room_for is not None:
            poses = forward_kinematics(model, model.check_q(room_for)).poses
            scene = reaching(scene, np.concatenate([scene.poses[None], poses]))
        if trajectory is not None:
            tracks = tracks_of(trajectory)
            scene, options["near"], far = framed(scene, tracks, followable)
            follow = (followable if far else "") if follow is None else follow
        curves = (*plots_of(trajectory), *contact_plots(trajectory)) if trajectory is not None and plots else ()
        super().__init__(scene, tracks, curves, follow=follow or "", followable=followable, **options)
        self._events: list[tuple[float, str, str]] = []
        self._touching = contacts and trajectory is not None and trajectory.contacts is not None
        if trajectory is not None and self._touching:
            self._own_arrows = True
            self._through, self._newtons = True, force_scale(trajectory, self._size)
            self._events = event_marks(trajectory)
            blows = [event for event in self._events if event[2] == KINDS["impact"]]
            self._marks = [list(mark) for mark in self._events if mark not in blows] + [list(mark) for mark in blows]
            self._touch({})

    @property
    def force_scale(self) -> float:
        """Metres of arrow per N of contact force; set it to draw arrows longer or shorter."""
        return self._newtons

    @force_scale.setter
    def force_scale(self, scale: float) -> None:
        self._newtons = float(scale)
        self._touch({})

    def next_event(self) -> str:
        """Go to the next event of the contacts and return what it is; '' if there is none."""
        return self._go([mark for mark in self._events if mark[0] > self.t + 1e-9][:1])

    def previous_event(self) -> str:
        """Go back to the event before and return what it is; '' if there is none."""
        return self._go([mark for mark in self._events if mark[0] < self.t - 1e-9][-1:])

    def _go(self, marks: list[tuple[float, str, str]]) -> str:
        if not marks:
            return ""
        self.playing, self.t = False, marks[0][0]
        return marks[0][1]

    @traitlets.observe("frame")
    def _touch(self, _: Any) -> None:
        if self._touching and self.trajectory is not None:
            drawn = touching(self.trajectory, self.frame, self._newtons, self._size)
            with self.hold_sync():
                self.arrows(drawn.arrows)
                self.ellipsoids(drawn.cones)

    def packed_touching(self, tracks: Tracks) -> dict[str, Any] | None:
        """Pack the contacts at the keys of these tracks, for a page without Python; None where none are drawn."""
        if not self._touching or self.trajectory is None:
            return None
        return packed_touching(self.trajectory, tracks.samples, self._newtons, self._size)

    @property
    def q(self) -> NDArray:
        """Coordinates of the picture, shape (nq,): as set, or those of the recorded sample `frame`."""
        if self.trajectory is not None and not self._set_by_hand:
            return np.array(self.trajectory.q[self.frame])
        return self._q.copy()

    @q.setter
    def q(self, q: ArrayLike) -> None:
        self._set_q(q)

    def _set_q(self, q: ArrayLike) -> None:
        self._q = np.array(one_pose(self.model, q))
        self.pose(forward_kinematics(self.model, self._q).poses)
        self._set_by_hand = True

    def recorded(self) -> tuple[Trajectory, NDArray] | None:
        """Return the motion that the picture plays, and which of its states are drawn; None for a still picture."""
        if self.trajectory is None or self.tracks is None:
            return None
        return self.trajectory, self.tracks.samples

    def _now(self) -> Now:
        run = self.trajectory
        if run is None or self._set_by_hand:
            return self.model, self._q, None, None, None, 0.0, self.model.initial_z()  # as a motion would begin
        return state_of(run, self.frame)

    @traitlets.observe("t", "playing")
    def _follow_motion(self, _: Any) -> None:
        self._set_by_hand = False

    _touching = False
    _newtons = 0.0


@check_arguments(ArgumentError)
def show(
    what: Model | Trajectory,
    q: ArrayLike | None = None,
    *,
    trails: Iterable[str] | None = None,
    follow: str | None = None,
    plots: bool = True,
    contacts: bool = True,
    height: int = 400,
    rate: float = 1.0,
    loop: bool = False,
) -> View:
    """See a model, or play a trajectory, in the notebook.

    Parameters
    ----------
    what : Model or Trajectory
        A trajectory comes from `simulate`; nothing moves until play is pressed.
    q : array_like (nq,), optional
        Coordinates of a model; neutral if not given.
    trails : iterable of str, optional
        Names of bodies or frames that draw their path; the tips of the tree if not given, ``[]`` for none.
    follow : str, optional
        Name of the body that the camera keeps up with; '' for none. If not given, a motion that leaves the model's
        surroundings is followed.
    plots : bool, optional
        Energy, coordinates and velocities beside a trajectory, and forces and gaps where bodies touched.
    contacts : bool, optional
        Forces where bodies touch, as arrows, each with the slice of its friction cone at the height of its normal
        part: an arrow that ends on the rim slips. Events stand on the time line; click one to go there.
    height : int, optional
        Of the picture, px.
    rate : float, optional
        Playing speed; 1 is real time.
    loop : bool, optional
        Whether playing starts over at the end.

    Returns
    -------
    View
        Last in a cell it shows itself. ``view.q = ...`` poses the model; ``view.t``, ``view.playing``, ``view.rate``
        and ``view.loop`` can be set and observed; ``view.show("frames")`` and ``view.hide(...)`` switch layers;
        ``view.next_event()`` goes from event to event; ``view.force_scale`` says how long arrows of forces are;
        ``view.close()`` frees it.

    Raises
    ------
    TypeError
        If `what` is neither a model nor a trajectory.
    StateError
        If q has the wrong shape, is not finite or off its manifold.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> view = rbd.show(rbd.library.double_pendulum())
    >>> view.q = [0.5, -0.5]
    >>> view.show("frames")
    >>> view.close()

    A motion, with a player:

    >>> view = rbd.show(rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=1.0), rate=0.5)
    >>> view.t = 0.25
    >>> view.close()
    """
    options: dict[str, Any] = {
        "trails": trails,
        "follow": follow,
        "plots": plots,
        "contacts": contacts,
        "height": height,
        "rate": rate,
        "loop": loop,
    }
    if isinstance(what, Model):
        return View(what, q, **options)
    if isinstance(getattr(what, "model", None), Model) and hasattr(what, "poses"):
        if q is not None:
            raise ArgumentError("q is for showing a model; a trajectory brings its own coordinates")
        return View(what.model, trajectory=what, **options)
    if isinstance(getattr(what, "model", None), Model):
        advice = "show its model, show(start.model, start.q)"
    else:
        advice = "load a file first: show(rbdkit.load('robot.urdf'))"
    raise ArgumentError(f"show takes a Model or a Trajectory, not {type(what).__name__}; {advice}")


def moving_root(model: Model) -> str:
    """Return the name of the heaviest floating body, whose motion carries the others along; '' if none floats."""
    floating = [body for body in model.bodies[1:] if body.parent == 0 and body.joint.nv > 2]
    masses = [0.0 if body.inertia is None else body.inertia.mass for body in floating]
    return floating[int(np.argmax(masses))].name if floating else ""


def reaching(scene: Scene, poses: NDArray) -> Scene:
    """Return the scene with outline and grid extended to other poses (k, nodes, 4, 4); it stands where it stood."""
    hidden = {"frames", GROUND, *(layer.name for layer in scene.layers if not layer.visible)}
    outlines = node_outlines([part for part in scene.parts if part.layer not in hidden], len(scene.nodes), scene.bands)
    wider = laid_under(scene, reaching_to(scene.grounds, swept_outline(outlines, poses)))
    if scene.grid is None or wider.grid is None:
        return wider
    return replace(wider, grid=replace(wider.grid, height=scene.grid.height))


def framed(scene: Scene, tracks: Tracks, followed: str) -> tuple[Scene, NDArray | None, bool]:
    """Return the scene for a motion: with an outline that contains the motion, and a grid below it.

    Also return the outline for a camera that follows a node, and whether the motion goes too far for any other.
    """
    keys = np.unique(np.linspace(0, len(tracks.t) - 1, 200).astype(int))
    rows = tracks.rows(tracks.t[keys]).astype(float)
    poses = np.zeros((*rows.shape[:2], 4, 4))
    poses[..., :3, :3] = Rotation.from_quat(rows[..., 3:].reshape(-1, 4)).as_matrix().reshape(*rows.shape[:2], 3, 3)
    poses[..., :3, 3], poses[..., 3, 3] = rows[..., :3], 1.0
    shown = {layer.name for layer in scene.layers if layer.visible} - {GROUND}
    outlines = node_outlines([part for part in scene.parts if part.layer in shown], len(scene.nodes), scene.bands)
    swept = reaching_to(scene.grounds, swept_outline(outlines, poses))
    under = laid_under(scene, swept)
    if not followed:
        return under, None, False
    node = scene.nodes.index(followed)
    poses[..., :3, 3] -= poses[:, node, None, :3, 3] - poses[0, node, :3, 3]
    outlines[0] = np.zeros((0, 3))  # the world stays behind
    near = swept_outline(outlines, poses)
    far = span(swept) > FAR * span(near)
    return (replace(under, grid=scene.grid) if far else under), near, far
