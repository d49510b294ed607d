"""What is to be done: the configuration and the seed, decided once."""

from dataclasses import dataclass, field

from sosie.schemas.configuration import Configuration
from sosie.streams import child_seed, fresh_seed

MEASURED, RELEASED, FIRST_REPEAT = 0, 1, 2  # parts of a run that share no random draw


@dataclass(frozen=True)
class Job:
    """A checked configuration (without a seed in it) and the seed, which is a secret: it undoes the shuffle."""

    configuration: Configuration
    seed: int = field(repr=False)
    seed_was_given: bool = False

    def part(self, part: int) -> int:
        """The seed of one part of the run."""
        return child_seed(self.seed, part)


def job_of(configuration: Configuration, seed: int | None = None) -> Job:
    """The job with its seed: the one given, else the configuration's, else fresh from the operating system."""
    given = configuration.method.seed if seed is None else seed
    method = configuration.method.model_copy(update={"seed": None})
    stripped = configuration.model_copy(update={"method": method})
    return Job(stripped, fresh_seed() if given is None else given, given is not None)
