"""Originals and avatars whose rows belong together: the check that every link-based metric starts with."""

from sosie.arranged import Arranged, Coordinates, arranged


def linked_points(originals: Coordinates, avatars: Coordinates, workers: int) -> tuple[Arranged, Arranged]:
    """Both sets arranged, row i of the avatars made from row i of the originals.

    ValueError when rows or components differ in number, or a coordinate is not a finite number.
    """
    here, there = arranged(originals, "originals", workers), arranged(avatars, "avatars", workers)
    if here.rows.shape != there.rows.shape:
        raise ValueError(
            "row i of the avatars must belong to row i of the originals, in the same components: "
            f"{here.rows.shape[0]} originals x {here.rows.shape[1]} components against "
            f"{there.rows.shape[0]} avatars x {there.rows.shape[1]}"
        )
    return here, there
