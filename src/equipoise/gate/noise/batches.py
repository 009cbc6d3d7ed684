"""Rejection sampling in blocks: propose many, keep those accepted, until there are enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

BLOCK = 2**16
"""Proposals drawn at once: large enough to hide call overhead, small enough to stay in the processor's cache."""


def collect(size: int, acceptance: float, propose: Callable[[int], Integers]) -> Integers:
    """`size` accepted values.  `propose(count)` returns the accepted ones among `count` independent proposals.

    `acceptance` is only a guess that sets block sizes.  The result is the first `size` of a sequence of independent
    draws, whatever the blocks.
    """
    result = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        missing = size - filled
        kept = propose(min(int(1.02 * missing / acceptance) + 16, BLOCK))[:missing]
        result[filled : filled + kept.size] = kept
        filled += kept.size
    return result
