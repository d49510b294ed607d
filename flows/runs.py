"""A run from its request to its manifest, however its steps are called."""

from datetime import UTC, datetime
from pathlib import Path

from sosie.errors import InputError
from sosie.flows.anonymization import release_of_file
from sosie.schemas.manifest import Manifest
from sosie.schemas.request import Request
from sosie.tasks.calls import Calls
from sosie.tasks.publication import failed_manifest
from sosie.tasks.run import close_failed, make_directory, open_run


def run_request(request: Request, directory: Path, call: Calls) -> Manifest:
    """Do what is asked in this run directory and say how it ended: released, rejected or failed.

    Whatever goes wrong, nothing is left half-written: a failed run has its manifest and no other file. An error that is
    not the input's is raised again after that.
    """
    started = datetime.now(UTC).isoformat(timespec="seconds")
    source = Path(request.source).name if request.source else None
    try:
        make_directory(directory)
        return release_of_file(open_run(request, directory), call)
    except InputError as error:
        failed = failed_manifest(directory, started, error, source)
        close_failed(directory, failed)
        return failed
    except BaseException:
        close_failed(directory, failed_manifest(directory, started, None, source))
        raise
