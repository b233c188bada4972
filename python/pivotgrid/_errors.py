"""Exceptions."""

from __future__ import annotations


class InvalidObjectError(ValueError):
    """An object cannot be handled: a box with NaN or ``min > max``, a position that is not finite, a negative radius.

    ``index`` says which one, and ``indices`` lists all of them.
    """

    index: int
    indices: list[int]

    def __init__(self, reason: str, index: int, indices: list[int]) -> None:
        others = len(indices) - 1
        super().__init__(f"{reason} (and {others} more)" if others else reason)
        self.index = index
        self.indices = indices
