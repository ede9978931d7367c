"""A model as the engine sees it: a chain of links with simple joints about z, and its numbers in arrays.

Bodies on fixed joints become part of the link that carries them. A cylindrical, universal or Euler joint becomes a
chain of joints with one freedom and no mass between them. In the order of reading::

    pieces     joint types as chains of simple joints
    own_joints users' own joint types, traced; agreement: whether their functions are consistent
    layout     the links of a model; models of the same shape share it
    clustered  links of joint groups (mimic joints) that can be eliminated together
    aligned    axis permutation: frames turned so that joints are about axes of their parents
    limbs      isomorphic subtrees whose links are computed in SIMD lanes, and the tables for it
    numbers    the parameters of a model, by bodies and joints
    pack       these numbers in the arrays that programs read
"""
