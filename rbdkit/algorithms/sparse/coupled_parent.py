"""Parent array of the variables of models with mimic joints."""

from __future__ import annotations

from rbdkit.model import Model


def coupled_parent(model: Model) -> tuple[int, ...]:
    """Return the parent array of the variables of a model that may have mimic joints.

    Where joints close loops this is the pattern of the spanning tree.

    A follower ties its leader's variable to all that moves on its own branch, so more entries of H are filled than the
    tree of bodies has, and a factorization may fill some more. The array is that of the smallest tree that has all of
    them, the elimination tree of H from the last row to the first; without followers it is `expand_parents` of the
    model. Entries that the tree allows and the model leaves at zero are treated like any other.
    """
    couples = coupled_variables(model)
    lam = [-1] * model.nv
    for k in reversed(range(model.nv)):
        if couples[k]:
            lam[k] = max(couples[k])
            couples[lam[k]] |= couples[k] - {lam[k]}  # eliminating k couples its neighbours with each other
    return tuple(lam)


def coupled_variables(model: Model) -> list[set[int]]:
    """For every velocity variable the earlier ones with which it moves a body: where H may differ from zero.

    Where joints close loops this is the pattern of the spanning tree.
    """
    couples: list[set[int]] = [set() for _ in range(model.nv)]
    moving: list[set[int]] = [set()]  # the variables that move body i
    for i in model.outward:
        own = model.joints[i].v_slice
        moving.append(moving[model.parent[i]] | set(range(own.start, own.stop)))
        for k in moving[i]:
            couples[k] |= {j for j in moving[i] if j < k}
    return couples
