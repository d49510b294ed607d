"""What a streamed run tells of its rows, and what it refuses."""

from sosie.attacks import NamedLevels, carried_levels
from sosie.columns import Category
from sosie.errors import InputError
from sosie.extent import Extent
from sosie.holdout import holdout_mode
from sosie.sources import check_destination, parse_address
from sosie.sources.streamed import written_suffix
from sosie.tasks import publication
from sosie.tasks.manifests import Origin
from sosie.tasks.outside import patiently
from sosie.tasks.run import Run
from sosie.tasks.secrets import password_in
from sosie.tasks.steps import Summary
from sosie.tasks.streamed.encoding import Encoded, Halves
from sosie.tasks.streamed.fitting import Fitted
from sosie.tasks.streamed.records import table_of
from sosie.tasks.streamed.shuffling import Linked


def origin_of(encoded: Encoded) -> Origin:
    """Where the rows came from."""
    return encoded.origin


def refuse_approximate(mode: str) -> None:
    """InputError `BAD_CONFIG` for a holdout that is made up of the rows themselves."""
    if mode == "approximate":
        raise _needs_memory("an approximate holdout")


def check_outlet(source: str, destination: str, block: str | None, columns: tuple[str, ...] = ()) -> None:
    """Check that the destination could take the avatars of a table that is not read yet, or is, and has the columns.

    `block` is the Prefect Secret block with the destination's password.
    """
    ending, place = patiently(written_suffix, source), parse_address(destination)
    if not ending:
        return  # the source cannot be read, and whoever tries will say why
    is_file = place.place in ("file", "object") and place.name.lower().endswith(ending)
    if not is_file and not place.place == parse_address(source).place == "postgresql":
        raise _needs_memory(f"a destination that is no {ending} file or object")
    patiently(check_destination, destination, source, ending, password_in(block), columns)


def check_wishes(encoded: Encoded, run: Run) -> None:
    """Refuse what this machine, these rows, or a table that is not held whole do not allow."""
    publication.check_wishes(encoded.origin, run)
    configuration = run.job.configuration
    holdout, destination = configuration.holdout, configuration.destination
    refuse_approximate(holdout_mode(encoded.origin.rows, holdout.mode, holdout.min_rows))
    if destination is not None:
        names = tuple(str(column.name) for column in encoded.columns)
        check_outlet(configuration.source or "", destination, configuration.secrets.destination, names)


def _needs_memory(what: str) -> InputError:
    return InputError(
        "BAD_CONFIG",
        f"{what} needs the whole table in memory: leave it out, or let the table be read whole "
        "(batches.streamed: never)",
    )


def summarise(encoded: Encoded, halves: Halves, fitted: Fitted, linked: Linked, min_count: int) -> Summary:
    """What is told of avatars beside their figures."""
    made = Extent(encoded.columns)
    for records in linked.batches():
        made.add(table_of(records, encoded.columns))
    rare: list[NamedLevels] = []
    categories = [column for column in encoded.columns if isinstance(column, Category)]
    for column, before, after in zip(categories, fitted.extent.counts, made.counts, strict=True):
        rare += carried_levels(column, before, after, min_count)
    names = tuple(str(column.name) for column in encoded.columns)
    notices = (*encoded.notices, *halves.standing.notices(min_count))
    return Summary(names, notices, len(linked.sizes), tuple(rare))
