"""Property tests try the same examples in every `make test`, so that a clone never fails where another passed.

`make test-slow` says `--hypothesis-profile=fresh` and draws new ones; what it finds becomes an `@example`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from equipoise.gate.models.choose import choose

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None)
settings.load_profile("fixed")


@pytest.fixture
def monkeypatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As always, but plans are forgotten before and after: a remembered one would not notice what is exchanged."""
    choose.cache_clear()
    yield monkeypatch
    choose.cache_clear()
