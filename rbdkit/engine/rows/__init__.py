"""What constrains the motion of a tree: rows ``K vdot = k`` in joint coordinates, and how they are solved.

In the order of reading::

    contribution            some rows: what a model says about them, and the code that writes them into a program
    base_motion             links at a state, in base coordinates, and what H, C and K are made of
    loop_joints             the rows of joints that close loops; joint_program: their coordinates and gaps on scalars
    turning_rows            the same of joints whose wrenches turn; recorded_rows: of all that are recorded by
                            moving_joint, users' own, splines, those that move in time
    dependence              which rows say something that others do not; gaps: what the decision rests on
    constrained_tree        method 2 of Featherstone (2008), section 8.5: factors, reactions, accelerations, projection
    of_model                all rows of a model, its numbers and tables
"""
