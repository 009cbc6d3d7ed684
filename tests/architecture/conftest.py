from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.architecture.trees import forget


@pytest.fixture(scope="package", autouse=True)
def parsed_once() -> Iterator[None]:
    """The laws share their trees, and nobody else has to keep them."""
    yield
    forget()
