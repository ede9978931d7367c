"""Joint between two handles, in explicit and in implicit form."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Connection:
    """Constraint of a joint on the two handles that it connects, in common coordinates (Featherstone 2008, Table 7.2).

    With f_J the force that passes through it, from handle 1 to handle 2:

        explicit   a_2 - a_1 = S qdd + c              S^T f_J = tau - rotor qdd       (Eqs 7.54, 7.55)
        implicit   T^T (a_2 - a_1 - c_T) = -E lambda   f_J = f_a + T lambda

    Without rotors T has 6 - nv columns, f_a = T_a tau, c_T = c and E = 0: the equations of section 7.4. A rotor turns
    its freedom into a compliant constraint: T has a column for it, E holds the inverse of the rotor's inertia, and c_T
    the acceleration tau / rotor that the rotor would have alone.

    Attributes
    ----------
    name : str
        Name of the joint.
    handles : tuple
        Indices of the two bodies, 1 and 2.
    S, T_a : ndarray (6, nv)
        Motion subspace, and any active-force subspace: T_a^T S = 1.
    T : ndarray (6, m)
        Constraint-force subspace.
    c : ndarray (6,)
        Velocity-product acceleration.
    tau, rotor : ndarray (nv,)
        Joint forces and rotor inertias.
    E : ndarray (m, m)
        Compliance of the constraint, diagonal.
    f_a, c_T : ndarray (6,)
        Active force, and the acceleration that the implicit form prescribes.
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
        """Return the connection for given S and T; joint forces and rotors are zero if not given."""
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
        """Return the joint with its handles exchanged; the joint variables keep their sense."""
        return replace(
            self, handles=self.handles[::-1], S=-self.S, T_a=-self.T_a, T=-self.T, c=-self.c, f_a=-self.f_a,
            c_T=-self.c_T,
        )  # fmt: skip

    def qdd(self, a_1: NDArray, a_2: NDArray) -> NDArray:
        """Return the joint accelerations (nv,) from those of the handles (footnote in section 7.4)."""
        return self.T_a.T @ (a_2 - a_1 - self.c)
