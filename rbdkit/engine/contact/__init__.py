"""Contact inside the compiled loop over time.

In the order of reading::

    scene            what may touch, in the arrays and tables that programs read
    branches         the independent trees of a model, and what contact rows look like in them
    contacts         a list of contacts in a program, and what is known of each
    grid             shapes in cells, where many pairs are not looked through one by one
    search           shapes placed, pairs looked through, contacts listed
    rows             what unit impulses of a contact do: J, H^-1 J^T and their product
    visits           one contact in the light of all others: what a sweep does at each
    momentum         sweeps that begin a little farther on the way of those before
    sweeps           impulses in their cones by projected Gauss-Seidel
    diary            points, events and what else steps write down
    touching_tree    a tree as a system that the loop over time steps, with contacts
    time_steps       the method: contacts and friction at the level of velocities
    force_tree       a tree whose surfaces push by a law of force; force_steps: integrators that step it
"""
