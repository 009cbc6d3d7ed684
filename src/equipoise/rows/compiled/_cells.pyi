import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.float64]

def place(
    values: npt.NDArray[np.floating], middle: float, slope: float, fill: float, weight: float, out: _Array, /
) -> bool: ...
def squares(columns: _Array, out: _Array, /) -> bool: ...
