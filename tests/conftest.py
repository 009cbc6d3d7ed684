"""Property tests try the same examples in every `make test`, so that a clone never fails where another passed.

`make test-slow` says `--hypothesis-profile=fresh` and draws new ones; what it finds becomes an `@example`.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None)
settings.load_profile("fixed")
