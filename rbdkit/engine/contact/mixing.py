"""Sweeps that learn from those before: what a sweep changes goes to zero in a few of them, not in hundreds.

Anderson's acceleration (Walker and Ni 2011). A sweep takes impulses x to g(x); f = g - x is to vanish. Of the last
sweeps the differences of f and of g are kept, and the next one begins at ``g - sum gamma_j Dg_j``, with the gamma that
make ``f - sum gamma_j Df_j`` smallest, as an energy. Velocities follow as they do in sweeps, by what is pushed more.
`rbdkit.laws.mixing` is the same on dense matrices.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.contacts import CHANGE, NN, TT, Contact, Contacts
from rbdkit.engine.contact.scene import Scene
from rbdkit.trace import Program, Scalar, select

MEMORY = 5
"""Differences that are kept."""
PLAIN = 20
"""Sweeps before the first one that is mixed."""
TURN, AGAIN = 100, 30
"""After so many sweeps all is forgotten, and so many plain ones lead to a place from which mixing may get on."""
WORSE = 4.0
"""All is forgotten where what a sweep changes, as an energy, has become so many times the least there was."""
SAME = 1e-14
"""Part of a squared difference from which on it is new beside later ones."""
EVER = 1e300
"""More than any energy."""
OF_ROW = 2 + 2 * MEMORY
"""Numbers kept for each impulse: f and g of the sweep before, differences of f, differences of g; newest first."""
LEAST, BEGUN, SIZE, PRODUCTS = 0, 1, 2, 3
RIGHT = PRODUCTS + MEMORY * (MEMORY + 1) // 2
GAMMA = RIGHT + MEMORY
MIXES = GAMMA + MEMORY
SINCE = MIXES + 1
STATE = SINCE + 1
"""Places in "mixing": the least energy so far; whether there is a sweep before; that of the last one; scalar products
of differences of f with each other, and with f; gamma; whether a sweep is mixed; sweeps since all was forgotten."""


def mixing_arrays(scene: Scene) -> dict[str, NDArray]:
    """Room for all that is kept."""
    return {
        "mixing": np.zeros(STATE),
        "mixing_impulses": np.zeros(scene.room * 3 * OF_ROW),
    }


class Mixing:
    """Of the impulses of all contacts of a step.

    impulse : where contacts have the first of their impulses. rows : how many they have. push : records what the change
        of a contact's impulse does to velocities.
    """

    def __init__(self, program: Program, impulse: int, rows: int, push: Callable[[Contact], None]) -> None:
        self.program, self.contacts = program, Contacts(program)
        self.impulse, self.rows, self.push = impulse, rows, push

    def begin(self) -> None:
        """Forget other steps."""
        self._set(LEAST, EVER)
        for k in range(BEGUN, STATE):
            self._set(k, 0.0)

    def record(self) -> None:
        """Mix, after a sweep that has left its changes in the contacts, unless it is one of the first ones."""
        program = self.program
        since = self._get(SINCE) + 1.0
        over = since > float(TURN)
        self._set(SINCE, select(over, float(PLAIN - AGAIN), since))
        self._set(BEGUN, select(over, 0.0, self._get(BEGUN)))
        self._set(LEAST, select(over, EVER, self._get(LEAST)))
        self._set(MIXES, select(over, 0.0, select(since < float(PLAIN), 0.0, 1.0)))
        with program.when("mixing", 0, MIXES):
            self._products()
            self._solve()
            self._mix()

    def _get(self, k: int) -> Scalar:
        return self.program.load("mixing", 0, k)

    def _set(self, k: int, value: Scalar) -> None:
        self.program.store("mixing", 0, k, value)

    def _products(self) -> None:
        """Keep what this sweep did, and the scalar products that this makes."""
        for i in range(MEMORY - 1, 0, -1):
            for j in range(i, 0, -1):
                self._set(product(i, j), self._get(BEGUN) * self._get(product(i - 1, j - 1)))
        for k in range(MEMORY):
            self._set(product(k, 0), 0.0)
            self._set(RIGHT + k, 0.0)
        self._set(SIZE, 0.0)
        for contact in self.contacts.each():
            for r in range(self.rows):
                self._keep(contact, r)
        known = self._get(BEGUN)
        for k in range(MEMORY):  # a first sweep differs from nothing
            self._set(product(k, 0), known * self._get(product(k, 0)))

    def _keep(self, contact: Contact, r: int) -> None:
        program, row = self.program, contact.number * (3 * OF_ROW)
        weight = contact[TT if r else NN]
        f, g = contact[CHANGE + r], contact[self.impulse + r]
        before = [program.load("mixing_impulses", row, r * OF_ROW + k) for k in range(OF_ROW)]
        of_f = [f - before[0], *before[2 : 1 + MEMORY]]
        of_g = [g - before[1], *before[2 + MEMORY : -1]]
        for k, x in enumerate([f, g, *of_f, *of_g]):
            program.store("mixing_impulses", row, r * OF_ROW + k, x)
        self._set(SIZE, self._get(SIZE) + weight * f * f)
        for k, x in enumerate(of_f):
            self._set(product(k, 0), self._get(product(k, 0)) + weight * of_f[0] * x)
            self._set(RIGHT + k, self._get(RIGHT + k) + weight * f * x)

    def _solve(self) -> None:
        """Gamma, by Cholesky's factors; a difference that is nothing new beside later ones is left out."""
        size, least = self._get(SIZE), self._get(LEAST)
        lost = size > WORSE * least
        self._set(LEAST, select(lost, size, select(size < least, size, least)))
        self._set(BEGUN, 1.0)
        for i in range(MEMORY):
            for j in range(i + 1):
                old = self._get(product(i, j))
                self._set(product(i, j), select(lost, 0.0, select(self._get(product(i, i)) > 0.0, old, 0.0)))
        A = [[self._get(product(i, j)) for j in range(i + 1)] for i in range(MEMORY)]
        y = [self._get(RIGHT + i) for i in range(MEMORY)]
        for gamma, x in enumerate(least_squares(A, y)):
            self._set(GAMMA + gamma, x)

    def _mix(self) -> None:
        for contact in self.contacts.each():
            row = contact.number * (3 * OF_ROW)
            for r in range(self.rows):
                more = 0.0
                for k in range(MEMORY):
                    of_g = self.program.load("mixing_impulses", row, r * OF_ROW + 2 + MEMORY + k)
                    more = more - self._get(GAMMA + k) * of_g
                contact[self.impulse + r], contact[CHANGE + r] = contact[self.impulse + r] + more, more
            self.push(contact)


def product(i: int, j: int) -> int:
    """Where the product of differences i and j of f stands, j <= i."""
    return PRODUCTS + i * (i + 1) // 2 + j


def least_squares(A: list[list[Scalar]], y: list[Scalar]) -> list[Scalar]:
    """x of A x = y, given by the lower half of a matrix of products; zero where a row says nothing new beside others.

    The same on floats and on symbols.
    """
    n = len(A)
    L: list[list[Scalar]] = [[] for _ in A]
    d_inv: list[Scalar] = []
    z: list[Scalar] = []
    for i in range(n):
        across = []  # L d
        for j in range(i):
            x = A[i][j]
            for k in range(j):
                x = x - across[k] * L[j][k]
            across.append(x)
            L[i].append(x * d_inv[j])
        d, right = A[i][i], y[i]
        for k in range(i):
            d = d - across[k] * L[i][k]
            right = right - L[i][k] * z[k]
        new = d > SAME * A[i][i]
        d_inv.append(select(new, 1.0 / select(new, d, 1.0), 0.0))
        z.append(right)
    x = [right * inverse for right, inverse in zip(z, d_inv, strict=True)]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - L[j][i] * x[j]
        x[i] = select(d_inv[i] > 0.0, x[i], 0.0)
    return x
