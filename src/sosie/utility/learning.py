"""Machine-learning use: a model trained on avatars against one trained on originals, both tested on the holdout.

The target is named. Two levels (or a number of two values): area under the ROC curve, 0.5 guessing, 1 perfect. More
levels: balanced accuracy, 1/levels guessing, 1 perfect. A number: R², 0 no better than the mean, 1 perfect.
Ideal: a difference of 0. Both sides train on as many rows, by gradient boosting and by a ridge (linear) model.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from sosie.columns import Floats, Table
from sosie.estimates import Estimate, NotComputed
from sosie.utility.cells import NumberCells, at_most, cells_of, column_named
from sosie.utility.features import Features, features_of, most_rows
from sosie.utility.scores import Score, balanced_accuracy, estimate, r_squared, resamples, roc_auc

FEWEST_ROWS = 30
FEWEST_OF_A_LEVEL = 5
MOST_LEVELS = 20
FEW_ROWS = "too few rows on one side to train or test a model"
FEW_OF_A_LEVEL = "too few holdout rows have a second level of the target"
MANY_LEVELS = "the target has too many levels to be predicted"
ONE_LEVEL = "one side's rows to train on hold a single value of the target"
NO_SPREAD = "the holdout's target is a single value"
NO_FEATURE = "there is no column to predict the target from"

Scoring = Literal["auc", "balanced accuracy", "r2"]
Kind = Literal["gradient boosting", "linear"]
_SCORES: dict[Scoring, Score] = {"auc": roc_auc, "balanced accuracy": balanced_accuracy, "r2": r_squared}
_TREES = 200  # shared among the levels, so that a target of many costs no more


@dataclass(frozen=True)
class ModelScores:
    """One kind of model trained on each side: its scores on the holdout, and avatars' minus originals'.

    The 95 % intervals resample the holdout's rows; they do not contain the chance of what the models were trained on.
    """

    model: Kind
    originals: Estimate
    avatars: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Learning:
    """What models of the target lose by being trained on avatars; rows were drawn at random where there are more."""

    target: str
    scoring: Scoring
    train_rows: int
    test_rows: int
    models: tuple[ModelScores, ...]


@dataclass(frozen=True, eq=False)
class _Lesson:
    """Rows to learn from or to be tested on, and the (rows,) target: 0 or 1, a level's code, or a number."""

    rows: Floats
    truth: Floats


def train_and_test(
    working: Table, avatars: Table, holdout: Table, target: Hashable, rng: np.random.Generator
) -> Learning | NotComputed:
    """The target learnt from the working half and from the avatars, tested on the holdout.

    Rows whose target is missing are left out. InputError `UNKNOWN_COLUMN` when there is no such column.
    """
    name = column_named(working, target).name
    if len(working.columns) < 2:
        return NotComputed(NO_FEATURE)
    sides = [_with_target(table, name) for table in (working, avatars, holdout)]
    most = most_rows(len(working.columns))
    rows = min(len(sides[0]), len(sides[1]), most)
    if min(rows, len(sides[2])) < FEWEST_ROWS:
        return NotComputed(FEW_ROWS)
    sides = [at_most(side, size, rng) for side, size in zip(sides, (rows, rows, most), strict=True)]
    scoring, truths = _truths(sides, name)
    refusal = _refusal(scoring, *truths)
    if refusal is not None:
        return refusal
    features = features_of(tuple(sides), without=name)
    lessons = [_Lesson(features.array(side), truth) for side, truth in zip(sides, truths, strict=True)]
    weights = resamples(len(sides[2]), rng)
    seed = int(rng.integers(2**31))
    kinds: tuple[Kind, ...] = ("gradient boosting", "linear")
    models = (
        _scores(kind, _model(kind, scoring, truths, features, seed), scoring, lessons, weights)
        for kind in kinds
    )
    return Learning(str(name), scoring, rows, len(sides[2]), tuple(models))


def _with_target(table: Table, name: Hashable) -> Table:
    cells = cells_of(table, name)
    present = ~np.isnan(cells.values) if isinstance(cells, NumberCells) else cells.codes >= 0
    return table if present.all() else table.take(np.flatnonzero(present))


def _truths(sides: list[Table], name: Hashable) -> tuple[Scoring, list[Floats]]:
    """How to score the target, and its (rows,) values on each side."""
    cells = [cells_of(side, name) for side in sides]
    values = [held.values if isinstance(held, NumberCells) else held.codes.astype(float) for held in cells]
    distinct = np.unique(np.concatenate([values[0], values[2]]))
    if len(distinct) == 2:
        # avatars of two numbers may lie between: what is nearer the larger counts as it
        return "auc", [(truth > distinct.mean()).astype(float) for truth in values]
    return ("r2" if isinstance(cells[0], NumberCells) else "balanced accuracy"), values


def _refusal(scoring: Scoring, working: Floats, avatars: Floats, holdout: Floats) -> NotComputed | None:
    if any(truth.min() == truth.max() for truth in (working, avatars)):
        return NotComputed(ONE_LEVEL)
    if scoring == "r2":
        return NotComputed(NO_SPREAD) if holdout.min() == holdout.max() else None
    _, counts = np.unique(holdout, return_counts=True)
    if (counts >= FEWEST_OF_A_LEVEL).sum() < 2:
        return NotComputed(FEW_OF_A_LEVEL)
    levels = np.unique(np.concatenate([working, avatars]))
    return NotComputed(MANY_LEVELS) if len(levels) > MOST_LEVELS else None


def _model(kind: Kind, scoring: Scoring, truths: list[Floats], features: Features, seed: int) -> Any:
    # long to import: only where used
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import Ridge, RidgeClassifier

    if kind == "linear":
        return features.linear(Ridge() if scoring == "r2" else RidgeClassifier(class_weight="balanced"))
    boosting = HistGradientBoostingRegressor if scoring == "r2" else HistGradientBoostingClassifier
    trees = len(np.unique(truths[0])) if scoring == "balanced accuracy" else 1  # a tree for each level
    return boosting(
        learning_rate=0.2,
        max_iter=max(10, min(50, _TREES // trees)),
        max_depth=4,
        early_stopping=False,
        categorical_features=features.categorical,
        random_state=seed,
    )


def _scores(kind: Kind, model: Any, scoring: Scoring, lessons: list[_Lesson], weights: Floats) -> ModelScores:
    """The model trained on originals, then on avatars, each tested on the same resamples of the holdout."""
    test = lessons[2]
    plain, resampled = [], []
    for lesson in lessons[:2]:
        with threadpool_limits(
            limits=1
        ):  # the same sums on any machine, and no threads that wait for busy cores
            model.fit(lesson.rows, lesson.truth)
            predicted = _predicted(model, scoring, test.rows)
        score = _SCORES[scoring]
        plain.append(float(score(np.ones((1, len(predicted))), test.truth, predicted)[0]))
        resampled.append(score(weights, test.truth, predicted))
    return ModelScores(
        kind,
        estimate(plain[0], resampled[0]),
        estimate(plain[1], resampled[1]),
        estimate(plain[1] - plain[0], resampled[1] - resampled[0]),
    )


def _predicted(model: Any, scoring: Scoring, rows: Floats) -> Floats:
    predicted = model.decision_function(rows) if scoring == "auc" else model.predict(rows)
    return np.asarray(predicted, dtype=float)
