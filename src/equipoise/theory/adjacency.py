"""Which two data sets count as neighbours."""

from __future__ import annotations

from enum import StrEnum


class Adjacency(StrEnum):
    """Replace-one: same public size, one record differs.  Add-remove: one record is inserted or deleted.

    Under replace-one a sum of per-record vectors moves by the *diameter* of the set they live in; under
    add-remove by the largest *norm* in it, but the number of records is then itself secret, so every divisor
    and every constant must come from a public nominal size (docs/proofs/sensitivity.md).
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"
