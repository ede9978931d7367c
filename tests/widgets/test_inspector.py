"""How the table of facts writes numbers: in parts that fit into a narrow panel."""

import numpy as np
import pytest

from rbdkit.stepping import text_of
from rbdkit.widgets.inspector import parts_of


@pytest.mark.parametrize("shape", [(6,), (6, 6), (3, 6), (3,), (4, 4), (6, 1)])
def test_every_number_is_in_one_of_the_parts_and_none_is_wider_than_four_columns(shape):
    value = np.random.default_rng(0).normal(size=shape)
    parts = parts_of(value)
    numbers = [[float(x) for x in line.strip("(|) ").replace(",", " ").split()]
               for part in parts for line in part.split("\n") if "columns" not in line]  # fmt: skip
    written = np.concatenate([np.ravel(line) for line in numbers])
    assert sorted(written) == sorted(float(text_of(x)) for x in value.ravel())
    assert max(map(len, numbers)) <= 4
    assert len(parts) == (2 if value.shape[-1] == 6 else 1)
    if shape == (6, 6):
        for part, columns in zip(parts, (value[:, :3], value[:, 3:]), strict=True):
            head, text = part.split("\n", 1)
            assert head in ("columns 1 to 3", "columns 4 to 6") and text == text_of(columns)
