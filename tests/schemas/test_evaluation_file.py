"""An evaluation comes back from JSON as it was."""

import pandas as pd
import pytest

import sosie
from sosie.errors import InputError
from sosie.evaluation import Evaluation
from sosie.schemas.evaluation import read_evaluation, write_evaluation


@pytest.fixture(scope="module")
def measured(patients: pd.DataFrame) -> Evaluation:
    release = sosie.anonymize(
        patients,
        k=5,
        seed=1,
        utility={"target": "smoker"},
        attacks={"attempts": 20},
        holdout={"mode": "real"},
    )
    return release.evaluation


def test_everything_comes_back_to_the_last_bit(measured: Evaluation) -> None:
    assert read_evaluation(write_evaluation(measured)) == measured


def test_another_versions_evaluation_is_refused(measured: Evaluation) -> None:
    with pytest.raises(InputError, match="of another version"):
        read_evaluation(write_evaluation(measured).replace(b'"holdout"', b'"reserve"', 1))
