"""Labeling functions, applied to a pandas data frame."""

from __future__ import annotations

from typing import Any

from corral._types import IntArray
from corral.compat.snorkel.labeling.apply.core import ApplierMetadata, BaseLFApplier


class PandasLFApplier(BaseLFApplier):
    """Applies labeling functions to the rows of a pandas data frame.

    Every row is a pandas Series, so that functions and preprocessors may do with it what
    they did before. `corral.apply` needs none, and is faster.

    Parameters
    ----------
    lfs : list of LabelingFunction

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.snorkel.labeling import PandasLFApplier, labeling_function
    >>> @labeling_function()
    ... def short(x):
    ...     return 0 if len(x.text) < 9 else -1
    >>> PandasLFApplier([short]).apply(pd.DataFrame({"text": ["hello", "win a prize"]}))
    array([[ 0],
           [-1]])
    """

    def apply(
        self,
        df: Any,
        progress_bar: bool = True,
        fault_tolerant: bool = False,
        return_meta: bool = False,
    ) -> IntArray | tuple[IntArray, ApplierMetadata]:
        """Ask every function about every row.

        Parameters
        ----------
        df : pandas data frame
        progress_bar, fault_tolerant, return_meta
            As for `LFApplier.apply`.

        Returns
        -------
        (n, m) array of int
            -1 for an abstain.
        ApplierMetadata
            If asked for.
        """
        import pandas as pd

        values, columns = df.to_numpy(), df.columns
        rows = [  # as iterrows has them, which looks for texts in every row anew
            pd.Series(row, columns, values.dtype, name)
            for name, row in zip(df.index, values, strict=True)
        ]
        return self._ask(rows, progress_bar, fault_tolerant, return_meta)
