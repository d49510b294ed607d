"""The only source of randomness: one seed, one counter-based stream for each purpose, batch and block.

Because every block of rows draws from a stream of its own, results do not depend on how many workers there are
or in which order they finish.
"""

import secrets
from typing import Literal

import numpy as np

Purpose = Literal[
    "holdout",
    "deal",
    "weights",
    "donors",
    "shuffle",
    "attack base",
    "identifiers",
    "attacks",
    "utility",
    "imputation",
    "sample",
    "marginals",
]

# A purpose's number is part of the published streams: append, never reorder.
_NUMBERS: dict[Purpose, int] = {
    "holdout": 0,
    "deal": 1,
    "weights": 2,
    "donors": 3,
    "shuffle": 4,
    "attack base": 5,
    "identifiers": 6,
    "attacks": 7,
    "utility": 8,
    "imputation": 9,
    "sample": 10,
    "marginals": 11,
}


def fresh_seed() -> int:
    """128 bits of entropy from the operating system."""
    return secrets.randbits(128)


def child_seed(seed: int, part: int) -> int:
    """A seed of its own for one part of a run (the measured avatars, the released ones): parts share no draw."""
    words = np.random.SeedSequence(seed, spawn_key=(part,)).generate_state(4)
    return int.from_bytes(words.tobytes(), "little")


def stream(seed: int, purpose: Purpose, *place: int) -> np.random.Generator:
    """The Philox stream of one purpose, at one place (a batch, a block) of the run.

    `seed` is a non-negative integer of any size. Equal arguments give equal streams; different purposes and places
    give independent ones (numpy `SeedSequence`, spawn keys).
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(_NUMBERS[purpose], *place))
    return np.random.Generator(np.random.Philox(sequence))
