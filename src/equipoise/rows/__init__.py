"""What becomes of a row by itself, in a fit and in a prediction alike: read, settled, brought within its bounds.

No row is looked at beside another, nothing is drawn and nothing is kept (docs/proofs/entrance.md).
"""

from __future__ import annotations

from equipoise.rows.within import RowBounds

__all__ = ["RowBounds"]
