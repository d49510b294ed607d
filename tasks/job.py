"""What is to be done: the configuration and the seed, decided once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sosie.columns import quoted
from sosie.declarations import Declaration
from sosie.errors import InputError, Notice
from sosie.rare_levels import Rare
from sosie.schemas.configuration import Configuration
from sosie.streams import child_seed, fresh_seed

MEASURED, RELEASED, FIRST_REPEAT = 0, 1, 2  # parts of a run that share no random draw


@dataclass(frozen=True)
class Declared:
    """What is declared of a table: of its columns, of its rows, and what counts as rare."""

    columns: Mapping[str, Declaration]
    constraints: tuple[str, ...]
    rare: Rare

    def unweighted(self) -> "Declared":
        """The same, whatever the columns weigh: only the projection depends on weights."""
        columns = {name: replace(declared, weight=1.0) for name, declared in self.columns.items()}
        said = {name: declared for name, declared in columns.items() if declared != Declaration()}
        return replace(self, columns=said)


@dataclass(frozen=True)
class Job:
    """A checked configuration (without a seed in it) and the seed, which is a secret: it undoes the shuffle.

    `seed_of` names the earlier run that the seed was taken from, if any.
    """

    configuration: Configuration
    seed: int = field(repr=False)
    seed_was_given: bool = False
    seed_of: str | None = None

    def part(self, part: int) -> int:
        """The seed of one part of the run."""
        return child_seed(self.seed, part)

    @property
    def declared(self) -> Declared:
        """What the configuration declares of the table."""
        configuration = self.configuration
        rare = Rare(configuration.rare_values.min_count, configuration.rare_values.label)
        return Declared(configuration.columns, configuration.constraints, rare)

    @property
    def identifier_seed(self) -> int | None:
        """The seed of fresh identifiers; None where no column is regenerated, so that nothing depends on it there."""
        regenerated = any(declared.role == "regenerate" for declared in self.configuration.columns.values())
        return self.seed if regenerated else None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know of the seed."""
        notices = []
        if self.seed_was_given:
            notices.append(
                Notice(
                    "FIXED_SEED",
                    None,
                    "the seed was chosen: whoever knows it can undo the shuffle, so keep it secret",
                )
            )
        if self.seed_of is not None:
            notices.append(
                Notice(
                    "SHARED_SEED",
                    None,
                    "the seed is that of an earlier run: two releases from one seed can be linked row by row, so only"
                    " one of them may ever leave",
                )
            )
        return tuple(notices)


def job_of(configuration: Configuration, seed: int | None = None) -> Job:
    """The job with its seed: the one given, else the configuration's, else fresh from the operating system."""
    given = configuration.method.seed if seed is None else seed
    method = configuration.method.model_copy(update={"seed": None})
    stripped = configuration.model_copy(update={"method": method})
    return Job(stripped, fresh_seed() if given is None else given, given is not None)


def weights_of(declarations: Mapping[str, Declaration]) -> dict[str, float]:
    """The weights that are not 1, by column; InputError `BAD_CONFIG` for that of a derived column."""
    weights = {
        name: declared.weight
        for name, declared in declarations.items()
        if declared.role == "keep" and declared.weight != 1.0
    }
    idle = tuple(name for name in weights if declarations[name].derived is not None)
    if idle:
        raise InputError(
            "BAD_CONFIG",
            f"derived columns take no part in the projection: leave out weight of {quoted(idle)}",
            idle,
        )
    return weights
