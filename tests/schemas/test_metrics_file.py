"""`metrics.json` and the manifest: closed forms that come back as they were written."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

import sosie
from sosie.schemas.manifest import Manifest
from sosie.schemas.metrics import MetricsFile, judge
from sosie.schemas.targets import profile_targets


@pytest.fixture(scope="module")
def judged() -> MetricsFile:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 60), "ward": rng.choice(["n", "s"], 60)})
    evaluation = sosie.anonymize(frame, k=5, ncp=2, seed=0).evaluation
    return judge(evaluation, profile_targets("partner"), k=5, released=60)


def test_the_file_comes_back_as_it_was_written(judged: MetricsFile) -> None:
    assert MetricsFile.model_validate_json(judged.model_dump_json()) == judged


def test_an_unknown_key_is_refused(judged: MetricsFile) -> None:
    with pytest.raises(ValidationError, match="surprise"):
        MetricsFile.model_validate({**judged.model_dump(), "surprise": 1})


def test_a_manifest_has_no_place_for_a_seed() -> None:
    with pytest.raises(ValidationError, match="seed"):
        Manifest.model_validate(
            {"status": "released", "code": None, "run": "r", "started": "now", "versions": {}, "seed": 1}
        )
