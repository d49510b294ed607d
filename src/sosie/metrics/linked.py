"""Originals and avatars whose rows belong together: the check that every link-based metric starts with."""

import numpy.typing as npt

from sosie.neighbours import Floats, as_points


def linked_points(originals: npt.ArrayLike, avatars: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Both sets as points, row i of the avatars made from row i of the originals.

    ValueError when rows or components differ in number, or a coordinate is not a finite number.
    """
    here, there = as_points(originals, "originals"), as_points(avatars, "avatars")
    if here.shape != there.shape:
        raise ValueError(
            "row i of the avatars must belong to row i of the originals, in the same components: "
            f"{here.shape[0]} originals x {here.shape[1]} components against "
            f"{there.shape[0]} avatars x {there.shape[1]}"
        )
    return here, there
