"""A cache folder of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests neither use nor fill the user's cache of compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDKIT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
