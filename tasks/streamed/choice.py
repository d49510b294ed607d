"""Whether a run holds its table in memory."""

from sosie.schemas.configuration import Configuration
from sosie.sources.streamed import rows_about
from sosie.tasks.outside import patiently
from sosie.tasks.secrets import password_in


def is_streamed(configuration: Configuration) -> bool:
    """Whether the table is streamed: as asked, else when it has more rows than are to be held."""
    source, batches = configuration.source, configuration.batches
    if source is None or batches.streamed == "never":
        return False
    if batches.streamed == "always":
        return True
    return patiently(rows_about, source, password_in(configuration.secrets.source)) > batches.in_memory
