"""What must be installed, told in a sentence rather than by whatever fails first."""

OLDEST_PANDAS = 3


def refuse_old_pandas(installed: str) -> None:
    """ImportError for a version of pandas before 3.

    Text columns of pandas 2 are objects, which a round trip through a file turns into another type: avatars would
    come back as other types than they went in. An installer never chooses pandas 2, but may be overruled.
    """
    if int(installed.split(".", 1)[0]) < OLDEST_PANDAS:
        wanted = f"pandas>={OLDEST_PANDAS}"
        raise ImportError(
            f"sosie needs {wanted}, but pandas {installed} is installed: pip install '{wanted}'"
        )
