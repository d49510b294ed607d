"""An evaluation as JSON and back, so that a report can be rendered again without measuring again."""

from pydantic import TypeAdapter, ValidationError

from sosie.errors import InputError
from sosie.evaluation import Evaluation

_ADAPTER = TypeAdapter(Evaluation)


def write_evaluation(evaluation: Evaluation) -> bytes:
    """The evaluation as JSON; numbers come back to the last bit."""
    return _ADAPTER.dump_json(evaluation)


def read_evaluation(content: bytes) -> Evaluation:
    """The evaluation in JSON; InputError `UNREADABLE_SOURCE` when it is of another version of this program."""
    try:
        return _ADAPTER.validate_json(content)
    except ValidationError:
        raise InputError(
            "UNREADABLE_SOURCE",
            "the evaluation kept with the run is damaged or of another version of sosie: run it again",
        ) from None
