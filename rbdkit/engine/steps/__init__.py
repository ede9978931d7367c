"""The one source of every kernel: joints, spatial arithmetic and algorithms on scalars, three-vectors and blocks.

`rnea`, `aba` and their like are written over a `Tree` and traced twice: over `LoopTree`, a loop that serves every
model, and over `UnrolledTree`, straight-line code for one small model. They use classical accelerations of body
origins, so that no linear velocities are needed (the form of Luh, Walker and Paul: Featherstone 2008, section 5.4); a
classical acceleration is the linear part of the spatial one plus omega x v. Gravity is an upward acceleration of the
world.
"""
