"""Rates of success: how often an attack works on the people behind the avatars, on strangers, and by guessing.

main: targets from the working half, which the avatars were made from. control: the same attack on the holdout, which
they were not; what works there too is knowledge of the population, not of a person. baseline: the same target
without the avatars' rows, at random. Giomi et al., *A Unified Framework for Quantifying Privacy Risk in Synthetic
Data*, 2023.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from sosie.estimates import Estimate, NotComputed

CONFIDENCE = 0.95
FEWEST_LEFT = 20  # a gain over strangers who are nearly always found rests on the handful who are not
# Seven attacks are judged one by one: at 1 in 200 each, tables that leak nothing stay unflagged at least 96 times in
# 100.
FALSE_ALARM = 0.005


class NotMeasurableError(ValueError):
    """A figure that these tables do not allow; its sentence becomes the reason of a `NotComputed`."""


@dataclass(frozen=True)
class Rate:
    """Successes among attempts; `value` 0 (never) to 1 (always), with the Wilson 95 % interval.

    ValueError for no attempt, or more successes than attempts.
    """

    successes: int
    attempts: int

    def __post_init__(self) -> None:
        if self.attempts < 1 or not 0 <= self.successes <= self.attempts:
            raise ValueError(
                f"a rate needs 0 to n successes among n >= 1 attempts: {self.successes} among {self.attempts}"
            )

    @property
    def value(self) -> float:
        """Successes / attempts."""
        return self.successes / self.attempts

    @property
    def low(self) -> float:
        """The lower end of the interval, 0–1."""
        return 0.0 if self.successes == 0 else max(0.0, self.centre - self.half_width)

    @property
    def high(self) -> float:
        """The upper end of the interval, 0–1."""
        return 1.0 if self.successes == self.attempts else min(1.0, self.centre + self.half_width)

    @property
    def centre(self) -> float:
        """The middle of the interval: (s + z²/2) / (n + z²), Wilson 1927."""
        z = _z()
        return (self.successes + z**2 / 2) / (self.attempts + z**2)

    @property
    def half_width(self) -> float:
        """Half the interval: z/(n + z²) · √(s(n − s)/n + z²/4)."""
        z, s, n = _z(), self.successes, self.attempts
        return float(z / (n + z**2) * np.sqrt(s * (n - s) / n + z**2 / 4))


@dataclass(frozen=True)
class Attack:
    """One attack, held against its control and its baseline.

    `worst` names the column or the group of columns that the figures belong to, where there was a choice. `p_value`
    is the chance of so large an excess over the control if working and holdout rows were attacked equally well, and
    already counts how many attacks the worst was picked from. NotMeasurableError when the control always succeeds.
    """

    main: Rate
    control: Rate
    baseline: Rate
    worst: str | None
    p_value: float

    def __post_init__(self) -> None:
        if self.control.successes == self.control.attempts:
            raise NotMeasurableError(
                f"the attack succeeds on every holdout row too (n = {self.control.attempts}): nothing is left to gain"
            )

    @property
    def risk(self) -> Estimate:
        """What the attack gains over strangers: max(0, (main − control)/(1 − control)), 0 to 1.

        Its interval is anonymeter's: the same ratio of the two Wilson centres, ± both half-widths propagated, cut at
        0 and 1; widened to hold the value.
        """
        main, control = self.main, self.control
        left = 1 - control.centre
        value = max(0.0, (main.value - control.value) / (1 - control.value))
        centre = (main.centre - control.centre) / left
        reach = np.hypot(main.half_width / left, control.half_width * (1 - main.centre) / left**2)
        low, high = np.clip([centre - reach, centre + reach], 0.0, 1.0)
        return Estimate(value, float(min(low, value)), float(max(high, value)))

    @property
    def measurable(self) -> bool:
        """Whether the attack fails on enough holdout rows for a gain over them to mean something."""
        return self.control.attempts - self.control.successes >= FEWEST_LEFT

    @property
    def measured(self) -> "Attack | NotComputed":
        """The attack, or that it fails on too few holdout rows."""
        if self.measurable:
            return self
        left = self.control.attempts - self.control.successes
        return NotComputed(f"the attack fails on {left} holdout rows only, at least {FEWEST_LEFT} are needed")

    @property
    def advantage_detected(self) -> bool:
        """Whether chance alone would do this in at most 1 of 200 tables. False is not a proof of safety."""
        return self.p_value <= FALSE_ALARM

    @property
    def better_than_guessing(self) -> bool:
        """Whether the attack works more often than its baseline; if not, its figures say little about better ones."""
        return self.main.value > self.baseline.value


def excess_p_value(main: Rate, control: Rate) -> float:
    """Fisher's one-sided exact test: the chance of as many main successes if both rates were one and the same."""
    from scipy import stats  # long to import: only where used

    total, successes = main.attempts + control.attempts, main.successes + control.successes
    return float(stats.hypergeom.sf(main.successes - 1, total, successes, main.attempts))


def _z() -> float:
    return float(special.ndtri((1 + CONFIDENCE) / 2))
