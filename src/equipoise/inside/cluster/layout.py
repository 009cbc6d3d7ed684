"""Which sums a worker adds before it answers: neighbours that belong together in the tree of all additions.

The tree is that of `in_pairs` over all parts in their order, whoever keeps which of them.  A run of 2ʲ parts that
begins at a multiple of 2ʲ is a branch of it (docs/proofs/certificates.md, section 3): who keeps all of it may add it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

Branch = tuple[int, int]
"""The first part and the number of levels: 2 to that power parts."""


def branches(places: Sequence[int]) -> list[Branch]:
    """The fewest branches that these places, in ascending order, are made of."""
    found: list[Branch] = []
    for place in places:
        start, level = place, 0
        while found and found[-1][1] == level and found[-1][0] + (1 << level) == start and not _is_right(found[-1]):
            start, level = found.pop()[0], level + 1
        found = [*found, (start, level)]
    return found


def _is_right(branch: Branch) -> bool:
    """Whether it is the second of its pair."""
    start, level = branch
    return bool(start >> level & 1)


def shared_out(keepers: Sequence[str | None], threads: Mapping[str, int]) -> list[list[int]]:
    """Places of parts, one list for each thread of each worker that keeps some, neighbours together; a part that nobody
    has at the moment is by itself."""
    kept: dict[str, list[int]] = {}
    alone: list[list[int]] = []
    for place, keeper in enumerate(keepers):
        if keeper is None:
            alone = [*alone, [place]]
        else:
            kept.setdefault(keeper, []).append(place)
    return [*(run for keeper, held in kept.items() for run in _runs(held, max(1, threads.get(keeper, 1)))), *alone]


def _runs(places: list[int], count: int) -> list[list[int]]:
    """In so many lists of nearly the same length, in their order."""
    count = min(count, len(places))
    ends = [len(places) * turn // count for turn in range(count + 1)]
    return [places[start:stop] for start, stop in itertools.pairwise(ends)]
