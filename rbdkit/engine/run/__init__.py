"""Programs at work: machine code or Python, kept on disk, bound to the arrays of a model.

In the order of reading::

    over_states      every algorithm as a program that loops over states
    compiled_programs  such programs as code, made once; recordings: how they are written; words: by which the code is
                     found by other processes; shapes: the models that have straight-line code
    tables           a model's layout in tables; signatures: the arrays of each algorithm; driven: the numbers of joints
                     that move as time says
    bound            a model to which programs are bound; calls: programs that wait for the next call
    states           algorithms on one state or a stack; helpers: threads that wait for parts of it
    kernels          the methods that the rest of rbdkit calls; parameters: gradients by parameters of the model;
                     lookup: the kernels of a model, made once
    motion           what a simulation is given, in arrays; simulation: one; ensemble: many, in lanes and threads
    counting         what an algorithm costs
"""
