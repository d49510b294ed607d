"""How one metric is worked out, as the method's own pages tell it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guide:
    """The page of one metric or attack; `figures` are the names in `metrics.json` that it explains.

    What each figure means at both ends, its formula, its targets and what moves it are its `Explanation`'s. Sentences
    are message ids. `working`, `holdout` and `avatars` say what each set is to this metric. `example` is a session of
    the Python prompt, whose last output `reading` puts in words.
    """

    slug: str
    title: str
    figures: tuple[str, ...]
    asks: str
    working: str
    holdout: str
    avatars: str
    steps: tuple[str, ...]
    specificity: str
    example: str
    reading: str
