"""An evaluation as JSON and back, so that a report can be rendered again without measuring again."""

from pydantic import TypeAdapter

from sosie.evaluation import Evaluation

_ADAPTER = TypeAdapter(Evaluation)


def write_evaluation(evaluation: Evaluation) -> bytes:
    """The evaluation as JSON; numbers come back to the last bit."""
    return _ADAPTER.dump_json(evaluation)


def read_evaluation(content: bytes) -> Evaluation:
    """The evaluation in JSON; ValueError when it is of another version of this program."""
    return _ADAPTER.validate_json(content)
