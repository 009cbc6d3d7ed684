import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.float64]
_Words = npt.NDArray[np.uint64]
_Law = tuple[int, float, float, float]
_Several = tuple[int, float, _Array, int]

def dense(
    matrix: npt.NDArray[np.floating],
    w: _Array,
    labels: _Array,
    weights: _Array | None,
    law: _Law,
    constant: float,
    height: int,
    out: _Array,
    squares: _Array | None,
    first: bool,
    stays: float,
    lands: float,
    huge: float,
    marks: _Words | None = None,
    /,
) -> int: ...
def several(
    matrix: npt.NDArray[np.floating],
    w: _Array,
    labels: _Array,
    weights: _Array | None,
    law: _Several,
    constant: float,
    height: int,
    out: _Array,
    squares: _Array | None,
    first: bool,
    stays: float,
    lands: float,
    huge: float,
    words: _Words | None = ...,
    /,
) -> int: ...
def compressed(
    pointers: npt.NDArray[np.integer],
    places: npt.NDArray[np.integer],
    numbers: _Array,
    w: _Array,
    labels: _Array,
    weights: _Array | None,
    law: _Law,
    constant: float,
    height: int,
    out: _Array,
    /,
) -> None: ...
def coupled(
    places: npt.NDArray[np.uint16],
    parts: _Array,
    each: int,
    w: _Array,
    labels: _Array,
    weights: _Array | None,
    law: _Law,
    constant: float,
    height: int,
    part: int,
    out: _Array,
    /,
) -> None: ...
def lengths(matrix: npt.NDArray[np.floating], out: _Array | None, marks: _Words | None = None, /) -> None: ...
def marks(matrix: _Array, one: _Words, other: _Words, ones: _Words, others: _Words, /) -> None: ...
