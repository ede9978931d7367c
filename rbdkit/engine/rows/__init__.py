"""Constraints on a tree: Jacobian rows ``K vdot = k`` in joint coordinates, and how they are solved.

In the order of reading::

    contribution            a block of rows: what a model gives for it, and the code that writes it into a program
    base_motion             links at a state in base coordinates, from which H, C and K are formed
    loop_joints             rows of joints that close loops; joint_program: their coordinates and closure errors
    turning_rows            rows of joints with a configuration-dependent constraint subspace; recorded_rows: of those
                            that are traced by moving_joint: users' own, splines, prescribed ones
    dependence              which rows are redundant; gaps: the closure error that sets the tolerance of that decision
    constrained_tree        method 2 of Featherstone (2008), section 8.5: factors, reactions, accelerations, projection
    of_model                all rows of a model, with their numbers and tables
"""
