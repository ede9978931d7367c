"""The one source of every kernel: joints, spatial arithmetic and algorithms on scalars, three-vectors and blocks.

`rnea`, `aba` and their like are written over a `Tree` and traced twice: over `LoopTree`, a loop that serves every
model, and over `UnrolledTree`, straight-line code for one small model. They use classical accelerations of body
origins, so that no linear velocities are needed (the form of Luh, Walker and Paul: Featherstone 2008, section 5.4); a
classical acceleration is the linear part of the spatial one plus omega x v. Gravity is an upward acceleration of the
world.

In the order of reading::

    manifold                rotations and twists on any scalar, made of `rbdkit.spatial.vector3`
    motion                  what a kind of joint allows; curved_motions, wrapped_motions: those that are not plain;
                            motions: all of them by name; traced_motion: one recorded from formulas of a
                            user's own
    nodes                   links, and what an algorithm is handed of them; joint_arrays: the numbers of their joints;
                            sizes: what arrays hold that programs share with those who fill them
    tree                    what algorithms are written over; loop_tree, unrolled_tree: its two forms; limb_tree: a loop
                            in which limbs that are alike go side by side; axes: of all joints, and how they change;
                            turned: their parents seen in the axes that joints start from
    kinematics              poses and velocities; frames: Jacobians; momentum; energy
    rnea                    inverse dynamics; external: forces on bodies; passive: springs and dampers
    aba                     forward dynamics; articulated: its inertias; clusters: links that share a freedom
    crba                    the inertia matrix; composite: its inertias; coupled: forward dynamics where joints follow
                            others; forward_dynamics: the one that a tree allows
    derivatives             of inverse dynamics, with coriolis and base; jacobians: of forward dynamics, by ltl or
                            inverse_inertia;
                            passive_derivatives: of springs and dampers; gradients: of weighted sums
    recorded_tree           a tree as a system that the loop over time steps
"""
