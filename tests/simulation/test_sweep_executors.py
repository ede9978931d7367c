"""A sweep computed elsewhere is the same sweep: processes, a Dask cluster in this process, and one of processes."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.library import chain_pendulum, double_pendulum, random_tree
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.ensembles.pool import place_of

SHORT = {"duration": 0.1, "dt": 2e-3, "progress": False}
VALUES = {"rod1.mass": [1.0, -1.0, 2.0], "hinge1.angle": [0.1, 0.2]}
OFFLINE = {"dashboard_address": None, "n_workers": 1, "threads_per_worker": 2}


def swept(**options):
    with pytest.warns(SimulationWarning, match="FAILED: 2 members"):
        return rbd.sweep(double_pendulum(), VALUES, **SHORT | options)


@contextmanager
def dask_client(**options):
    """A client of a cluster on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(**OFFLINE, **options) as cluster, distributed.Client(cluster) as client:
        yield client


def assert_same(ensemble, reference):
    """To the last bit: the same code computed the same chunks."""
    np.testing.assert_array_equal(ensemble.q, reference.q)
    np.testing.assert_array_equal(ensemble.v, reference.v)
    assert ensemble.failures == reference.failures
    assert ensemble.report.code == reference.report.code


def test_threads_and_chunks_change_nothing():
    reference = swept(threads=1, chunk=2)
    with ThreadPoolExecutor(2) as pool:
        other = swept(executor=pool, chunk=2)
    assert_same(other, reference)
    assert "ThreadPoolExecutor with 2 workers, 3 chunks of up to 2" in repr(other)
    assert_same(swept(threads=2, chunk=2), reference)


def test_many_threads_may_be_the_first_to_compile(tmp_path):
    """In a fresh process, with nothing in the cache: whoever links code must keep it for all."""
    code = """
import numpy as np, rbdkit as rbd
ensemble = rbd.sweep(rbd.library.double_pendulum(), {"hinge1.angle": np.linspace(0, 1, 8)}, chunk=1, threads=8)
print(np.isfinite(ensemble.q).all())
"""
    environment = {**os.environ, "RBDKIT_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr


def test_an_ensemble_can_be_pickled():
    ensemble = swept()
    again = pickle.loads(pickle.dumps(ensemble))
    assert_same(again, ensemble)
    np.testing.assert_array_equal(again[2, 1].q, ensemble[2, 1].q)


def build(links):
    return chain_pendulum(2, 1.0 / links)


def test_another_process():
    """The model, a building function and every joint type travel there and back."""
    tree = random_tree(3, bodies=16)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert_same(swept(executor=pool, chunk=3), swept(chunk=3))
        built, here = (rbd.sweep(build, {"links": [1, 2]}, [0.1, 0.2], **SHORT, executor=e) for e in (pool, None))
        assert_same(built, here)
        mass = next(name for name in tree.parameters if name.endswith(".mass"))
        trees, here = (rbd.sweep(tree, {mass: [0.5, 1.5]}, **SHORT, executor=e) for e in (pool, None))
        assert_same(trees, here)
        with pytest.raises(rbd.SimulationError, match=r"its worker gave no result: .*(pickle|local object)"):
            rbd.sweep(double_pendulum(), VALUES, tau=lambda t, q, v: -v, executor=pool, **SHORT)


def test_a_dask_cluster_in_this_process():
    with dask_client(processes=False) as client:
        ensemble = swept(executor=client, chunk=2)
    assert_same(ensemble, swept(chunk=2))
    assert "Dask cluster with 1 worker, 2 threads, 3 chunks of up to 2" in repr(ensemble)


def test_a_dask_cluster_of_processes():
    """Dask carries what pickle alone does not: a function defined here."""

    def hold(t, q, v):
        return -0.5 * v

    with dask_client(processes=True) as client:
        assert_same(swept(executor=client, chunk=2), swept(chunk=2))
        held, here = (
            rbd.sweep(double_pendulum(), {"hinge1.angle": [0.1, 0.2]}, tau=hold, executor=e, **SHORT)
            for e in (client, None)
        )
    assert_same(held, here)


FLAG = "RBDKIT_TEST_FLAG"


def deadly(b):
    """A building function that kills the process of member 5, always or, where a flag file is named, once."""
    if b == 5 and multiprocessing.parent_process() is not None:
        flag = os.environ.get(FLAG)
        if flag is None or not os.path.exists(flag):
            if flag:
                open(flag, "w").close()
            os._exit(3)
    return double_pendulum()


@pytest.mark.parametrize("once", [False, True])
def test_a_worker_that_dies_costs_its_own_chunk_at_most(once, tmp_path, monkeypatch):
    """The pool breaks with it; what others were doing is done by a new one, and its own chunk is tried once more."""
    monkeypatch.setenv(FLAG, str(tmp_path / "flag")) if once else monkeypatch.delenv(FLAG, raising=False)
    members = {"b": list(range(12))}
    with warnings.catch_warnings(), ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        warnings.simplefilter("ignore", SimulationWarning)
        ensemble = rbd.sweep(deadly, members, [0.1, 0.2], executor=pool, chunk=2, **SHORT)
    assert [failure.member for failure in ensemble.failures] == ([] if once else [4, 5])
    assert all("its worker died, and once more when it was tried again" in f.reason for f in ensemble.failures)
    whole = rbd.sweep(deadly, members, [0.1, 0.2], **SHORT)
    done = np.flatnonzero(ensemble.rows)
    np.testing.assert_array_equal(ensemble.q[done], whole.q[done])


def test_executors_that_take_no_work():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(SimulationError, match="takes no work"):
        rbd.sweep(double_pendulum(), VALUES, executor=pool, **SHORT)
    processes = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    processes.shutdown()
    with pytest.raises(SimulationError, match="ProcessPoolExecutor was shut down"):
        rbd.sweep(double_pendulum(), VALUES, executor=processes, **SHORT)
    with pytest.raises(SimulationError, match="executor = 3 must be"):
        rbd.sweep(double_pendulum(), VALUES, executor=3, **SHORT)


def test_dask_without_workers_or_closed():
    distributed = pytest.importorskip("distributed")
    options = {**OFFLINE, "n_workers": 0, "processes": False}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(SimulationError, match="has no workers"),
    ):
        rbd.sweep(double_pendulum(), VALUES, executor=client, **SHORT)
    with pytest.raises(SimulationError, match="client is closed"):
        rbd.sweep(double_pendulum(), VALUES, executor=client, **SHORT)


class Faltering(Executor):
    """Loses a chunk when it comes for the first time, as a machine that goes away does."""

    def __init__(self):
        self.seen = set()

    def submit(self, function, /, chunk):
        future, key = Future(), tuple(chunk.members)
        if key in self.seen or key[0] % 4 == 0:
            future.set_result(function(chunk))
        else:
            self.seen.add(key)
            future.set_exception(ConnectionError("the machine is gone"))
        return future


def test_a_chunk_that_is_lost_gets_one_more_try():
    ensemble, whole = (
        rbd.sweep(double_pendulum(), {"hinge1.angle": np.linspace(0.1, 1.0, 12)}, executor=e, chunk=2, **SHORT)
        for e in (Faltering(), None)
    )
    assert_same(ensemble, whole)


@pytest.mark.parametrize("come_back", [True, False])
def test_workers_that_are_being_started_again_are_waited_for(come_back):
    """A cluster whose workers have just died has none for a moment."""

    class Client:
        status = "running"
        waited = 0.0
        cluster = None

        def ncores(self):
            return {"tcp://1": 2, "tcp://2": 1} if self.waited and come_back else {}

        def wait_for_workers(self, n, timeout):
            self.waited = timeout
            if not come_back:
                raise TimeoutError(f"Only 0/{n} workers arrived after {timeout}")

        def get_executor(self):
            return ThreadPoolExecutor(1)

    if come_back:
        assert place_of(Client()).workers == 3
    else:
        with pytest.raises(SimulationError, match=r"this Dask cluster has no workers"):
            place_of(Client())
