"""A joint between two handles, in explicit and in implicit form."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Connection:
    """What a joint demands of the handles that it connects, all in the same coordinates (Featherstone 2008, Table 7.2).

    With f_J the force that passes through it, from handle 1 to handle 2:

        explicit   a_2 - a_1 = S qdd + c              S^T f_J = tau - rotor qdd       (Eqs 7.54, 7.55)
        implicit   T^T (a_2 - a_1 - c_T) = -E lambda   f_J = f_a + T lambda

    Without rotors T has 6 - nv columns, f_a = T_a tau, c_T = c and E = 0: the equations of section 7.4. A rotor makes
    of its freedom a constraint that gives way: T has a column for it, E the inverse of the rotor's inertia, and c_T
    the acceleration tau / rotor that the rotor would have by itself.

    Attributes
    ----------
    name : str
        Of the joint.
    handles : tuple
        The numbers of the two bodies, 1 and 2.
    S, T_a : ndarray (6, nv)
        Motion subspace, and any active-force subspace: T_a^T S = 1.
    T : ndarray (6, m)
        Constraint forces.
    c : ndarray (6,)
        Velocity-product acceleration.
    tau, rotor : ndarray (nv,)
    E : ndarray (m, m)
        Diagonal.
    f_a, c_T : ndarray (6,)
    """

    name: str
    handles: tuple[int, int]
    S: NDArray
    T_a: NDArray
    T: NDArray
    c: NDArray
    tau: NDArray
    rotor: NDArray
    E: NDArray
    f_a: NDArray
    c_T: NDArray

    @staticmethod
    def make(
        name: str,
        handles: tuple[int, int],
        S: NDArray,
        T: NDArray,
        c: NDArray,
        tau: NDArray | None = None,
        rotor: NDArray | None = None,
        T_a: NDArray | None = None,
    ) -> Connection:
        """From S and T; no joint forces and no rotors if not given."""
        nv, n_c = S.shape[1], T.shape[1]
        tau = np.zeros(nv) if tau is None else np.asarray(tau, dtype=float)
        rotor = np.zeros(nv) if rotor is None else rotor
        T_a = np.linalg.pinv(S).T if T_a is None else T_a
        geared = rotor > 0.0
        E = np.diag(np.concatenate([np.zeros(n_c), 1.0 / rotor[geared]]))
        c_T = c + S[:, geared] @ (tau[geared] / rotor[geared])
        f_a = T_a[:, ~geared] @ tau[~geared]
        return Connection(name, handles, S, T_a, np.hstack([T, T_a[:, geared]]), c, tau, rotor, E, f_a, c_T)

    def reversed(self) -> Connection:
        """The same joint with the handles in the other order; the joint's variables keep their sense."""
        return replace(
            self, handles=self.handles[::-1], S=-self.S, T_a=-self.T_a, T=-self.T, c=-self.c, f_a=-self.f_a,
            c_T=-self.c_T,
        )  # fmt: skip

    def qdd(self, a_1: NDArray, a_2: NDArray) -> NDArray:
        """Joint accelerations (nv,) from those of the handles (footnote in section 7.4)."""
        return self.T_a.T @ (a_2 - a_1 - self.c)
