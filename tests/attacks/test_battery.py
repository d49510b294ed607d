"""All attacks together: planted leaks, safe samples, noise, invariances, odd tables."""

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.attacks import Attack, Attacks, Inference, Membership, NotComputed, attack, roc
from sosie.columns import Table
from sosie.errors import InputError
from sosie.holdout import HoldoutMode
from sosie.projection import fit_projection

TablesOf = Callable[..., Any]  # as many tables as frames
Patients = Callable[[int, int], pd.DataFrame]
ONE_BY_ONE = ("singling_out_univariate", "singling_out_multivariate", "linkability")
MEMBERSHIPS = ("membership_projected", "membership_raw", "membership_density")


def attacked(
    tables: list[Table], attempts: int = 400, seed: int = 0, mode: HoldoutMode = "real", **options: Any
) -> Attacks:
    working, avatars, holdout = tables
    projection = fit_projection(working, 5)
    rng = np.random.default_rng(seed)
    return attack(working, avatars, holdout, projection, mode, rng, attempts=attempts, **options)


def risks(found: Attacks) -> dict[str, float]:
    """Every headline figure that was computed."""
    figures = {}
    for name in (*ONE_BY_ONE, *MEMBERSHIPS):
        one = getattr(found, name)
        if isinstance(one, Attack):
            figures[name] = one.risk.value
        if isinstance(one, Membership):
            figures[name] = one.overall.auc.value
    if isinstance(found.inference, Inference):
        figures["inference"] = found.inference.worst.risk.value
    return figures


def leaky(people: pd.DataFrame, others: pd.DataFrame, copied: int) -> pd.DataFrame:
    """Avatars: copies of the first people, the rest independent."""
    return pd.concat([people.iloc[:copied], others.iloc[copied:]], ignore_index=True)


def numbers_in(value: object) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, (int, float)):
        yield value


def test_copies_of_a_fifth_of_the_people_are_found_with_the_expected_risk(
    tables_of: TablesOf, patients: Patients
) -> None:
    people = patients(400, 0)
    found = attacked(tables_of(people, leaky(people, patients(400, 1), 80), patients(400, 2)))
    assert isinstance(found.linkability, Attack)
    # whoever is copied is linked; whoever is not, as often as a stranger
    assert found.linkability.risk.low < 0.2 < found.linkability.risk.high
    assert isinstance(found.membership_raw, Membership)
    _, found_at_1_percent = found.membership_raw.overall.true_positives[0]
    assert not isinstance(found_at_1_percent, NotComputed)
    assert 0.2 <= found_at_1_percent.value < 0.25
    assert isinstance(found.inference, Inference)
    gains = [attack.risk.low for _, attack in found.inference.by_secret if isinstance(attack, Attack)]
    assert found.inference.worst.risk.low == max(gains)
    assert found.inference.worst.risk.low < 0.2 < found.inference.worst.risk.high
    assert isinstance(found.singling_out_multivariate, Attack)
    # a fifth of the conditions describe a copy, and fit that very person
    assert found.singling_out_multivariate.risk.high > 0.15
    assert set(found.advantages) >= {"linkability", "inference", "membership_raw", "membership_density"}
    assert not isinstance(found.copies, NotComputed)
    assert found.copies.rows_any_original == 20.0


def test_copies_of_one_person_in_twenty_do_not_escape(tables_of: TablesOf, patients: Patients) -> None:
    people = patients(400, 0)
    found = attacked(tables_of(people, leaky(people, patients(400, 1), 20), patients(400, 2)))
    assert {"linkability", "membership_raw"} <= set(found.advantages)


def test_a_perfect_copy_fails_every_attack(tables_of: TablesOf, patients: Patients) -> None:
    people = patients(200, 0)
    found = attacked(tables_of(people, people, patients(200, 1)), linked=True)
    assert len(found.advantages) == 7
    assert risks(found) == {
        "singling_out_univariate": 1.0,
        "singling_out_multivariate": 1.0,
        "linkability": pytest.approx(0.97, abs=0.03),
        "membership_projected": 1.0,
        "membership_raw": 1.0,
        "membership_density": 1.0,
        "inference": 1.0,
    }


def test_an_independent_sample_is_left_alone_in_at_least_95_of_100_seeds(
    tables_of: TablesOf, patients: Patients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roc, "_REPLICATES", 2)  # intervals flag nobody
    flagged = 0
    for seed in range(100):
        tables = tables_of(*(patients(60, 1000 * (seed + 1) + part) for part in range(3)))
        flagged += bool(attacked(tables, attempts=60, seed=seed, workers=1).advantages)
    assert flagged <= 5


def test_an_independent_sample_shows_main_control_baseline_and_intervals(
    tables_of: TablesOf, patients: Patients
) -> None:
    found = attacked(tables_of(patients(150, 0), patients(150, 1), patients(150, 2)))
    for name in ONE_BY_ONE:
        one = getattr(found, name)
        assert not one.advantage_detected
        for rate in (one.main, one.control, one.baseline):
            assert rate.low <= rate.value <= rate.high
            assert rate.attempts > 0
        assert one.risk.low == 0


def test_more_noise_is_less_risk(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(0)
    people, strangers = (pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd")) for _ in range(2))
    noise = rng.normal(size=(300, 4))
    found = [
        risks(attacked(tables_of(people, people + scale * noise, strangers)))
        for scale in (0.0, 0.1, 0.4, 3.0)
    ]
    for name in ("linkability", "inference", *MEMBERSHIPS):
        series = [figures[name] for figures in found]
        assert series == sorted(series, reverse=True), name
        assert series[0] > series[-1] + 0.3, name


def test_no_figure_depends_on_the_order_of_the_rows(tables_of: TablesOf, patients: Patients) -> None:
    frames = [patients(120, 0), leaky(patients(120, 0), patients(120, 1), 30), patients(120, 2)]
    mixed = [frame.sample(frac=1, random_state=1) for frame in frames]
    here, there = (attacked(tables_of(*some), attempts=70) for some in (frames, mixed))
    assert_alike(dataclasses.asdict(here), dataclasses.asdict(there))


def test_no_figure_depends_on_the_order_of_the_columns(tables_of: TablesOf, patients: Patients) -> None:
    frames = [patients(120, 0), leaky(patients(120, 0), patients(120, 1), 30), patients(120, 2)]
    turned = [frame[["sick", "dose", "ward", "age", "kg"]] for frame in frames]
    here, there = (dataclasses.asdict(attacked(tables_of(*some), attempts=70)) for some in (frames, turned))
    for one in (here, there):
        one["copies"]["columns"] = sorted(one["copies"]["columns"], key=lambda column: column["name"])
    assert_alike(here, there)


def test_no_distance_depends_on_a_columns_unit_or_origin(tables_of: TablesOf) -> None:
    rng = np.random.default_rng(4)
    people, others, strangers = (
        pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc")) for _ in range(3)
    )
    frames = [people, leaky(people, others, 40), strangers]
    changed = [frame.assign(b=1000 - 7.3 * frame["b"]) for frame in frames]
    here, there = (attacked(tables_of(*some), attempts=1000) for some in (frames, changed))
    for name in ("linkability", *MEMBERSHIPS):
        assert risks(here)[name] == pytest.approx(risks(there)[name], abs=1e-9), name
    # conditions look outwards from the median, either way; inference is relative to the value, so it does change
    assert risks(here)["singling_out_univariate"] == pytest.approx(risks(there)["singling_out_univariate"])


def test_no_figure_depends_on_the_number_of_workers(tables_of: TablesOf, patients: Patients) -> None:
    tables = tables_of(patients(100, 0), patients(100, 1), patients(100, 2))
    assert attacked(tables, workers=1) == attacked(tables, workers=3)


def odd(kind: str, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = 80
    if kind == "gaps":
        frame = pd.DataFrame(
            {"a": rng.normal(size=n), "b": rng.choice(["x", "y"], n), "c": rng.normal(size=n)}
        )
        return frame.mask(rng.random((n, 3)) < 0.4)
    if kind == "constants":
        return pd.DataFrame({"a": 7.0, "b": "x", "c": rng.normal(size=n)}, index=range(n))
    if kind == "all constant":
        return pd.DataFrame({"a": 7.0, "b": "x"}, index=range(n))
    if kind == "ties":
        return pd.DataFrame({name: rng.integers(0, 3, n) for name in "abc"})
    if kind == "duplicates":
        return pd.DataFrame(
            {"a": np.repeat(rng.integers(0, 40, 10), 8), "b": np.repeat(rng.choice(["x", "y"], 10), 8)}
        )
    if kind == "one number":
        return pd.DataFrame({"a": rng.normal(size=n)})
    if kind == "one category":
        return pd.DataFrame({"a": rng.choice(["x", "y", "z"], n)})
    if kind == "dates":
        seen = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
        return pd.DataFrame({"a": seen, "b": rng.normal(size=n)}).mask(rng.random((n, 2)) < 0.1)
    if kind == "few rows":
        return pd.DataFrame({"a": rng.normal(size=3), "b": ["x", "y", "x"]})
    raise AssertionError(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "gaps",
        "constants",
        "all constant",
        "ties",
        "duplicates",
        "one number",
        "one category",
        "dates",
        "few rows",
    ],
)
def test_every_figure_is_finite_or_explained(tables_of: TablesOf, kind: str) -> None:
    found = attacked(tables_of(*(odd(kind, seed) for seed in range(3))), linked=True)
    written = dataclasses.asdict(found)
    assert all(math.isfinite(number) for number in numbers_in(written))
    json.dumps(written, allow_nan=False)
    for field in dataclasses.fields(found):
        value = getattr(found, field.name)
        if isinstance(value, NotComputed):
            assert len(value.reason) > 20


def test_an_approximate_holdout_has_no_membership(tables_of: TablesOf, patients: Patients) -> None:
    found = attacked(tables_of(patients(60, 0), patients(60, 1), patients(60, 2)), mode="approximate")
    for name in MEMBERSHIPS:
        assert getattr(found, name) == NotComputed("needs a real holdout")
    assert isinstance(found.linkability, Attack)


def test_named_columns_are_what_the_attacker_knows_and_wants(tables_of: TablesOf, patients: Patients) -> None:
    tables = tables_of(patients(60, 0), patients(60, 1), patients(60, 2))
    found = attacked(tables, quasi_identifiers=["age", "ward"], secrets=["dose"])
    assert isinstance(found.inference, Inference)
    assert [name for name, _ in found.inference.by_secret] == ["dose"]
    assert isinstance(found.linkability, Attack)
    assert found.linkability.worst == '"age", "ward"'
    others = attacked(tables, quasi_identifiers=["age", "ward"]).inference
    assert isinstance(others, Inference)
    assert [name for name, _ in others.by_secret] == ["dose", "kg", "sick"]


def test_an_unknown_column_is_refused_by_name(tables_of: TablesOf, patients: Patients) -> None:
    tables = tables_of(*[patients(30, 0)] * 3)
    with pytest.raises(InputError, match='no column "wage"'):
        attacked(tables, secrets=["wage"])


def assert_alike(here: Any, there: Any) -> None:
    """Equal but for the last bits of floats."""
    if isinstance(here, dict):
        assert here.keys() == there.keys()
        for key in here:
            assert_alike(here[key], there[key])
    elif isinstance(here, tuple):
        assert len(here) == len(there)
        for one, other in zip(here, there, strict=True):
            assert_alike(one, other)
    else:
        assert here == (pytest.approx(there) if isinstance(here, float) else there)
