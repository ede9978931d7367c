"""A model as the engine sees it: a chain of links with simple joints about z, and its numbers in arrays.

Bodies on fixed joints become part of the link that carries them. A cylindrical, universal or Euler joint becomes a
chain of joints with one freedom and no mass between them. In the order of reading::

    pieces     joint types as chains of simple joints
    own_joints those of a user's own, recorded from their formulas; agreement: whether these contradict each other
    layout     which links a model becomes; models of the same shape share it
    clustered  which of them share a freedom and can be eliminated together
    aligned    its frames turned so that joints are about axes of their parents
    limbs      which links are computed side by side, and the tables for it
    numbers    the parameters of a model, by bodies and joints
    pack       these numbers in the arrays that programs read
"""
