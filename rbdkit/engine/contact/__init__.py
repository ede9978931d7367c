"""Contact with friction inside the compiled time loop.

In the order of reading::

    scene            the shapes and pairs that may touch, in the arrays and tables that programs read
    branches         the kinematically independent trees of a model, and the layout of contact rows in them
    contacts         the list of contacts of a step, and the numbers stored for each
    grid             broad phase with a hashed grid, where a loop over all pairs would be too slow
    search           shapes placed in base coordinates, broad and narrow phase, contacts listed
    rows             per contact the Jacobian J, H^-1 J^T and their product
    visits           one projected Gauss-Seidel step: the impulse of one contact, with all others fixed
    momentum         Nesterov acceleration of the iterations
    sweeps           projected Gauss-Seidel over all contacts until the impulses settle
    diary            the contact log: points of recorded states, events, statistics
    touching_tree    the rigid-contact system that the time loop steps
    time_steps       the time-stepping method: contacts and friction at the level of velocities
    force_tree       the compliant-contact system, with a contact force law; force_steps: integrators that step it
"""
