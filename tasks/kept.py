"""What a run keeps of its measurement, so that its report can be rendered again without measuring again."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sosie.attacks import NamedLevels
from sosie.errors import InputError
from sosie.evaluation import Evaluation
from sosie.schemas.evaluation import read_evaluation, write_evaluation
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile
from sosie.schemas.search import read_search
from sosie.search import Search
from sosie.tasks.run import private_file, read_manifest, results

EVALUATION, RARE_LEVELS, SEARCH = "evaluation.json", "rare-levels.json", "search.json"

_RARE = TypeAdapter(tuple[NamedLevels, ...])


@dataclass(frozen=True, eq=False)
class Kept:
    """A run that ended with figures; `rare` are the rare levels that its avatars still carry, for insiders only.

    `search` is what was measured afterwards of other settings; None where nothing was.
    """

    directory: Path
    manifest: Manifest
    metrics: MetricsFile
    evaluation: Evaluation
    rare: tuple[NamedLevels, ...]
    search: Search | None = None

    @property
    def profile(self) -> str:
        """The profile whose targets the run was asked to meet."""
        return str(((self.manifest.parameters or {}).get("targets") or {}).get("profile", "partner"))

    @property
    def language(self) -> str:
        """The language the run was asked to report in."""
        return str(((self.manifest.parameters or {}).get("report") or {}).get("language", "en"))


def keep(directory: Path, evaluation: Evaluation, rare: tuple[NamedLevels, ...]) -> None:
    """Write the measurement to the private folder."""
    private_file(directory, EVALUATION, write_evaluation(evaluation))
    private_file(directory, RARE_LEVELS, _RARE.dump_json(rare))


def read_kept(directory: Path) -> Kept:
    """What a run kept.

    InputError `BAD_CONFIG` when the folder is no run directory, or that of a run without figures;
    `UNREADABLE_SOURCE` when its measurement is of another version of this program.
    """
    private = directory / "private"
    try:
        manifest = read_manifest(directory)
        if manifest.status == "failed":
            raise InputError("BAD_CONFIG", f"{directory.name} is a failed run: it has no figures to report")
        evaluation = read_evaluation((private / EVALUATION).read_bytes())
        rare = _RARE.validate_json((private / RARE_LEVELS).read_bytes())
        metrics = MetricsFile.model_validate_json(
            (results(directory, manifest) / "metrics.json").read_bytes()
        )
    except ValidationError:
        raise InputError(
            "UNREADABLE_SOURCE",
            f"what {directory.name} kept is damaged or of another version of sosie: run it again",
        ) from None
    except OSError:
        raise InputError(
            "BAD_CONFIG",
            f"{directory.name} is no run directory with its private folder: give the folder that a run printed",
        ) from None
    kept = private / SEARCH
    search = read_search(kept.read_bytes()) if kept.exists() else None
    return Kept(directory, manifest, metrics, evaluation, rare, search)
