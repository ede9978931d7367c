"""Compiled programs in use: cached on disk, bound to the arrays of a model, called.

In the order of reading::

    over_states      every algorithm as a program that loops over a stack of states
    compiled_programs  such programs compiled, once for all models that share them; recordings: how they are traced;
                     words: the key of their code in the cache on disk; shapes: the models with straight-line code
    tables           a model's topology in index tables; signatures: the arrays of each algorithm; driven: prescribed
                     joints
    bound            a model to which programs are bound; calls: bound programs that wait for the next call
    states           algorithms on one state or a stack; helpers: worker threads for parts of a stack
    kernels          the methods that the rest of rbdkit calls; parameters: gradients with respect to model parameters;
                     lookup: the kernels of a model, made once
    motion           the arrays of a simulation; simulation: one; ensemble: many, in lanes and threads
    counting         operation counts of algorithms
"""
