"""Articulated bodies, their assembly, and forward dynamics by assembly (Featherstone 2008, chapter 7).

    handle               the equations f = I^A a + p^A and a = Phi^A f + b^A of a handle
    projection           both, for any bodies of any model, from the whole equation of motion (section 7.2.1)
    system, connection   the separate parts: bodies and joints of a model, in one set of coordinates
    assembly             two articulated bodies joined into one: the standard formulas (section 7.2.2)
    variant_1, variant_2 the other formulas of Table 7.2, and the forward dynamics of trees by each
    blocks, derivation   how sets of formulas follow from five equations by elimination (section 7.4)
    given                the five equations, in forms that can be exchanged
    handles              several handles, several joints at once, loops (section 7.5)
    assembly_tree        in which order to assemble
    divide_and_conquer   forward dynamics of trees and loops in any order of assembly

This is plain matrix algebra in one set of coordinates for all bodies, as in the book's derivations;
`rbdkit.algorithms.aba` is the algorithm in body coordinates. All accelerations count gravity as an upward acceleration
of the base, as there; only those of `projection` are true accelerations.
"""

from rbdkit.algorithms.articulated import assembly, assembly_tree, given, handles, variant_1, variant_2
from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.derivation import Composite, Derivation, Equation, derive
from rbdkit.algorithms.articulated.divide_and_conquer import DivideAndConquer, divide_and_conquer
from rbdkit.algorithms.articulated.handle import Handle, InverseHandle
from rbdkit.algorithms.articulated.handles import Articulated, Assembly
from rbdkit.algorithms.articulated.projection import Projection, project_handles
from rbdkit.algorithms.articulated.result import TreeMotion
from rbdkit.algorithms.articulated.system import System, take_apart
from rbdkit.algorithms.articulated.variant_1 import aba_variant_1, articulated_inverse
from rbdkit.algorithms.articulated.variant_2 import aba_variant_2

__all__ = [
    "Articulated",
    "Assembly",
    "Composite",
    "Connection",
    "Derivation",
    "DivideAndConquer",
    "Equation",
    "Handle",
    "InverseHandle",
    "Projection",
    "System",
    "TreeMotion",
    "aba_variant_1",
    "aba_variant_2",
    "articulated_inverse",
    "assembly",
    "assembly_tree",
    "derive",
    "divide_and_conquer",
    "given",
    "handles",
    "project_handles",
    "take_apart",
    "variant_1",
    "variant_2",
]
