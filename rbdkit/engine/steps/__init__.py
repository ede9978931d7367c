"""Sources from which kernels are traced: trees of links, joints on scalars, and algorithms over both.

RNEA, ABA, the CRBA of one model, kinematics, Jacobians and bias accelerations of frames, energy, momentum, passive
forces and motions in base coordinates are the very functions of `rbdkit.algorithms`, called with a `TextTree` in place
of a model; the others are written here over a `Tree`. Each is recorded twice: over `LoopTree`, a loop that serves every
model, and over `UnrolledTree`, straight-line code for one small model. The values of links are those of
`rbdkit.spatial.compact`. Gravity is an upward acceleration of the world.

In the order of reading::

    manifold                rotations and twists on any scalar, made of `rbdkit.spatial.vector3`
    motion                  joint primitives; curved_motions, wrapped_motions: those that are not plain;
                            motions: all of them by name; traced_motion: one traced from a user's own functions
    nodes                   links, and what algorithms receive of them; joint_arrays: the numbers of their joints;
                            sizes: contents of the arrays that programs share with those who fill them
    tree                    what algorithms are written over; loop_tree, unrolled_tree: its two forms; limb_tree: a loop
                            with isomorphic subtrees in SIMD lanes; axes: motion subspaces of all joints, and their
                            derivatives; turned: axis permutation of parents; work_space: removes stored intermediates
                            that are never read
    text_tree               a tree as the functions of `rbdkit.algorithms` know a model
    kinematics              poses and velocities, recorded; frames: Jacobians; momentum; energy
    rnea                    inverse dynamics, recorded; external: forces on bodies; passive: springs and dampers
    aba                     forward dynamics, recorded; clusters: links that share a freedom
    crba                    the inertia matrix: recorded in link coordinates, and written in base coordinates; coupled:
                            forward dynamics with mimic joints; forward_dynamics: the algorithm that a tree allows
    derivatives             of inverse dynamics, with base and base_motion; jacobians: of forward dynamics, by ltl or
                            inverse_inertia;
                            passive_derivatives: of springs and dampers; gradients: of weighted sums
    recorded_tree           a tree as a system that the time loop steps
"""
