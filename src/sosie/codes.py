"""The codes of errors and warnings: what causes each, and what to do about it.

One table for `sosie explain CODE` and for the documentation. Messages name the columns and
counts of the case at hand; this says what is always so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Code:
    """What a code stands for. An error stops the run and releases nothing; a warning is told beside the figures.

    `page` is where the documentation, under docs/en and docs/fr, goes into what the code is about.
    """

    kind: Literal["error", "warning"]
    cause: str
    remedy: str
    page: str


def _error(cause: str, remedy: str, page: str) -> Code:
    return Code("error", cause, remedy, page)


def _warning(cause: str, remedy: str, page: str) -> Code:
    return Code("warning", cause, remedy, page)


CODES: Mapping[str, Code] = {
    "EMPTY_TABLE": _error(
        "The source has no row, no column, no header, or every column is dropped or regenerated.",
        "Check that the export was complete and the query returns rows; keep at least one column.",
        "reference/configuration.md",
    ),
    "TOO_FEW_ROWS": _error(
        "There are fewer individuals than the run needs: each half that is anonymised must hold more rows than k,"
        " and measuring needs at least 4.",
        "Choose a smaller k, or `holdout: {mode: approximate}`, which anonymises all rows at once. A table of some"
        " dozens of people can hardly be anonymised by any method.",
        "method.md",
    ),
    "DUPLICATE_COLUMNS": _error(
        "Two columns have the same name, so a configuration or a report could not say which is meant.",
        "Give each column its own name in the export.",
        "reference/configuration.md",
    ),
    "RAGGED_CSV": _error(
        "A line has more or fewer fields than the header, or a quote is never closed.",
        "Correct the line that the message names, or quote the field that holds the delimiter.",
        "reference/configuration.md",
    ),
    "UNREADABLE_SOURCE": _error(
        "The file, object or table is not there, may not be read, is damaged, or the server refused.",
        "Check path, address and permissions, open the source with another program, and export it again if it is"
        " damaged.",
        "how-to/postgresql.md",
    ),
    "UNSUPPORTED_FORMAT": _error(
        "The suffix, the layout or a column's type is none that sosie reads and can write back, or an extra is not"
        " installed.",
        "Convert the file or the column as the message says, install the extra it names, or leave the column out"
        " with `role: drop`.",
        "reference/configuration.md",
    ),
    "MIXED_TYPES": _error(
        "One column holds values of several types, such as texts among numbers, or lists.",
        "Make them one type in the source, or declare `type: category` if each value is a label.",
        "reference/configuration.md",
    ),
    "NON_FINITE": _error(
        "A column holds an infinite number, one too large to be computed with, or a signalling NaN.",
        "Replace it by a number, or leave the cell empty.",
        "how-to/missing-codes.md",
    ),
    "AMBIGUOUS_DATE": _error(
        "Every date of a text column reads both as day-month and as month-day. A guess would move people by months"
        " without a word.",
        'Declare which comes first: `columns: {born: {type: date, format: "%d/%m/%Y"}}`.',
        "how-to/dates-and-identifiers.md",
    ),
    "BAD_DATE": _error(
        "A column declared as dates, or nearly all of dates, holds values of another writing or impossible days.",
        "Correct them, leave them empty, or declare the format that fits.",
        "how-to/dates-and-identifiers.md",
    ),
    "IDENTIFIER_COLUMN": _error(
        "A column identifies people directly: every value differs, it is named as an identifier, or it holds e-mail"
        " addresses, telephone, IBAN or social security numbers.",
        "Declare `role: drop` (absent from the avatars) or `role: regenerate` (fresh unique values). If the column is"
        " a measurement after all, declare its type.",
        "how-to/dates-and-identifiers.md",
    ),
    "UNKNOWN_COLUMN": _error(
        "The configuration names a column that the table lacks or drops, or a column has no name.",
        "Compare with `sosie inspect`, which lists the columns; names are case-sensitive.",
        "reference/configuration.md",
    ),
    "BAD_CONFIG": _error(
        "An option, a key or a value of the configuration is not allowed, contradicts the table, or a file named by"
        " it cannot be read or written.",
        "The message names the key and what is allowed; the configuration reference lists every key. Unknown keys are"
        " refused, since a misspelt one would otherwise do nothing.",
        "reference/configuration.md",
    ),
    "SCHEMA_MISMATCH": _error(
        "Two tables that must agree do not: avatars and originals, or the source and the table it is written to.",
        "Bring names, order and types of the columns into line, or declare the types in the configuration.",
        "how-to/judge.md",
    ),
    "TIME_LIMIT": _error(
        "The run took longer than `limits: {minutes: …}` allows, and was stopped; nothing was released.",
        "Allow more minutes, or ask for less: fewer `repeats`, fewer `attacks: {attempts: …}`, a sample of the rows.",
        "operations.md",
    ),
    "STORE_UNUSABLE": _error(
        "The private store of intermediates cannot be used: its disk, or that of the run's directory,"
        " is full, its folder cannot be written to, belongs to another user, can be written to by others, or holds"
        " something else.",
        "Make room with `sosie purge`, name another folder with `store: {directory: …}` or `SOSIE_STORE`, or keep"
        " nothing on disk with `store: {keep: false}`.",
        "how-to/resume-and-purge.md",
    ),
    "BATCH_FAILED": _error(
        "A batch of a table that is streamed could not be made: its workers died, mostly for lack of memory, or it met"
        " an error that nobody foresaw. Nothing was released.",
        "For workers that die take smaller batches (`batches: {rows: …}`), fewer workers, or larger machines. Else run"
        " again with `--debug` and report what it shows, once no cell is left in it.",
        "how-to/large-tables.md",
    ),
    "TARGET_NOT_MET": _error(
        "The avatars were made and measured, and a figure misses its target. Nothing was released.",
        "Read `private/report-internal.html`: it says what usually moves each missed figure. `sosie advise --for RUN`"
        " measures which change meets the targets. Lower a target only if you can defend it to the people in the"
        " table.",
        "how-to/settings.md",
    ),
    "NOT_INTACT": _error(
        "A file of a run is not the one its manifest has the hash of, is missing, or is one that no manifest names; or"
        " the manifest is not signed by whom it should be.",
        "Do not pass it on. Look for whoever changed it, restore it from a copy, or run again: the seed in"
        " `private/run.json` gives the same avatars.",
        "how-to/verify.md",
    ),
    "ALL_MISSING": _warning(
        "A column has no value at all. It is kept, empty, and says nothing.",
        "Leave it out with `role: drop` if nobody expects it.",
        "how-to/missing-codes.md",
    ),
    "CONSTANT_COLUMN": _warning(
        "A column holds one single value. It contributes nothing to the projection and is copied as it is.",
        "Leave it out if the value itself tells something about everybody.",
        "method.md",
    ),
    "LARGE_INTEGER": _warning(
        "Whole numbers beyond 2^53 do not fit a floating-point number. They are kept exact, relative to the smallest.",
        "None if they are measurements; numbers so large are often identifiers or codes: then declare a role or"
        " `type: category`.",
        "method.md",
    ),
    "SENTINEL_SUSPECTED": _warning(
        "A number stands apart and repeats, such as -7 or 9999: it may stand for a reason why there is no value, and"
        " would be averaged with real ones.",
        "Declare `missing_codes: [-7]` for the column, or ignore the warning if it is a measurement.",
        "how-to/missing-codes.md",
    ),
    "RARE_VALUE": _warning(
        "A level is held by fewer individuals than `rare_values.min_count`. Who has it stands out.",
        "Merge rare levels with `rare_values: {label: other}`, or group them in the source.",
        "reference/configuration.md",
    ),
    "UNIQUE_MISSING_PATTERN": _warning(
        "Some individuals are the only ones with their combination of missing values, which the avatars copy as a"
        " whole.",
        "Leave out columns that are seldom filled in, or fill them in the source.",
        "how-to/missing-codes.md",
    ),
    "MIXED_OFFSETS": _warning(
        "The instants of a column have different offsets from UTC. Avatars are all written with the commonest one: the"
        " same instants in another spelling.",
        "None if instants matter; keep the local hour in a column of its own if it does.",
        "how-to/dates-and-identifiers.md",
    ),
    "HIGH_CARDINALITY": _warning(
        "A category has very many levels for its rows, so most are rare, and copying one may name a person.",
        "Group the levels in the source, or drop the column.",
        "reference/configuration.md",
    ),
    "UNINFORMATIVE_METRIC": _warning(
        "A figure has its best value only because there is nothing to compare with, such as a reference of 0.",
        "Do not read it as safety; look at the other figures of its kind.",
        "method.md",
    ),
    "SAMPLED_FIGURES": _warning(
        "The table was larger than memory: what needs neighbours, attacks or models was measured on a sample of each"
        " half, drawn at random. Distances of a sampled individual are those to all avatars; attacks see the sampled"
        " avatars only, so that each has fewer others to hide among and they lean towards risk.",
        "Read the intervals: they say how far the sample may be from everybody. With enough memory,"
        " `batches: {streamed: never}` measures on all rows.",
        "how-to/large-tables.md",
    ),
    "APPROXIMATE_HOLDOUT": _warning(
        "The table is too small to set real people apart, so the holdout had a part in the avatars. Comparisons lean"
        " towards safe, and membership is not computed.",
        "Bring more rows, or ask for `holdout: {mode: real}` if half of the table is enough to make avatars from.",
        "method.md",
    ),
    "FIXED_SEED": _warning(
        "The seed was chosen. Whoever knows or guesses it can undo the shuffle.",
        "Leave the seed out for a release; a run's own seed is kept in `private/run.json`.",
        "security.md",
    ),
    "SHARED_SEED": _warning(
        "The run was started with `--seed-of`: it draws what an earlier run drew. Two releases from one seed can be"
        " linked to each other row by row.",
        "Let one of the two leave, and never both; for a second release start a run with a seed of its own.",
        "how-to/resume-and-purge.md",
    ),
    "FORMAT_CHANGED": _warning(
        "No open library writes the source's format, so that the avatars come in the nearest one (SAS: `.xpt`).",
        "None; whoever reads the avatars must be told of the other suffix.",
        "reference/configuration.md",
    ),
    "MISSING_CODES_MERGED": _warning(
        "A variable of SPSS, Stata or SAS tells several kinds of missing value apart. All are read as missing and"
        " written back as the one system-missing value.",
        "If the reasons matter, export them as numbers and declare these as `missing_codes`.",
        "how-to/missing-codes.md",
    ),
    "DUPLICATE_ROWS": _warning(
        "Some rows are equal in every column. Equal rows may be one person twice, who is then twice as exposed.",
        "Keep one row for each individual.",
        "method.md",
    ),
}
