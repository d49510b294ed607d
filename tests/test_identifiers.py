"""What is taken for an identifier, what is not, and what a fresh one looks like."""

import re
import string
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sosie
from sosie.columns.identifier import identifier_of
from sosie.identifiers import is_identifier_name
from sosie.recognition import Declaration, recognise, refuse_identifiers

FEW_ATTACKS: Any = {"attempts": 10}
RNG = np.random.default_rng(0)
N = 60


def reasons(cells: Any, name: str = "x", **declared: Any) -> dict[Any, str]:
    frame = pd.DataFrame({name: cells})
    return dict(recognise(frame, {name: Declaration(**declared)} if declared else {}).identifiers)


def digits(count: int) -> str:
    return "".join(RNG.choice(list(string.digits), count))


def nir() -> int:
    number = int(f"1{RNG.integers(10, 99)}0{RNG.integers(1, 9)}75{digits(6)}")
    return number * 100 + 97 - number % 97


SHAPED: dict[str, Any] = {
    "e-mail": lambda: f"p{digits(3)}@clinic.example",
    "telephone": lambda: f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}",
    "telephone numbers": lambda: f"+33 6{digits(8)}",
    "telephone number": lambda: f"(202) 555-{digits(4)}",
    "IBAN": lambda: f"FR76 {digits(4)} {digits(4)} {digits(4)} {digits(4)} {digits(4)} {digits(3)}",
    "French social security": lambda: (
        f"1 {RNG.integers(10, 99)} 0{RNG.integers(1, 9)} 75 {digits(3)} {digits(3)} {digits(2)}"
    ),
    "US social security": lambda: f"{digits(3)}-{digits(2)}-{digits(4)}",
}


@pytest.mark.parametrize("what", SHAPED)
def test_the_usual_shapes_of_identifiers_are_refused_also_where_people_have_several_rows(what: str) -> None:
    cells = [SHAPED[what]() for _ in range(N)] * 3
    (why,) = reasons(cells).values()
    assert what in why
    assert reasons(pd.Series(cells, dtype="category"))
    assert not reasons([cells[0]] * N)  # one telephone number for all is a constant


def test_french_social_security_numbers_read_as_numbers_are_refused() -> None:
    (why,) = reasons([nir() for _ in range(N)] * 2).values()
    assert "French social security" in why


SAYING = (
    "id ID patient_id patientId PATIENTID pidnum record_number mrn uuid Identifiant num_patient NIR USUBJID"
)


@pytest.mark.parametrize("name", [*SAYING.split(), "record number", "numero dossier", "case_no"])
def test_names_that_say_identifier(name: str) -> None:
    assert is_identifier_name(name)
    numbers = RNG.choice(10**6, N, replace=False)
    assert reasons(numbers, name)
    assert reasons(numbers.astype(float), name)
    assert reasons([f"a{number}" for number in [*numbers[:-1], numbers[0]]], name)
    assert not reasons(RNG.integers(1, 5, N), name)


@pytest.mark.parametrize(
    "name",
    [
        "age",
        "idea",
        "width",
        "paid",
        "incident",
        "kids",
        "number_of_children",
        "code",
        "ref",
        "income",
        "identity",
    ],
)
def test_names_that_say_nothing(name: str) -> None:
    assert not is_identifier_name(name)
    assert not reasons(RNG.choice(10**6, N, replace=False), name)


def test_a_count_of_the_rows_is_an_identifier_in_any_order_unless_it_is_declared() -> None:
    assert reasons(np.arange(1, N + 1))
    assert reasons(RNG.permutation(np.arange(1, N + 1)))
    assert not reasons(np.arange(1, N + 1), type="integer")
    assert not reasons(np.arange(N) + 7)


def test_a_count_with_gaps_is_a_measurement() -> None:
    assert not reasons([1.0, 2.0, np.nan, *range(3, N)])


@pytest.mark.parametrize(
    "cells",
    [
        RNG.normal(70, 9, N),
        RNG.choice(10**6, N, replace=False),
        pd.date_range("2020-01-01", periods=N),
        [f"{day:%Y-%m-%d}" for day in pd.date_range("2020-01-01", periods=N)],
        [f"{code:05d}" for code in RNG.integers(1000, 95000, N // 2)] * 2,
    ],
    ids=["measures", "incomes", "dates", "dates as text", "postcodes"],
)
def test_honest_values_that_all_differ_are_kept(cells: Any) -> None:
    assert not reasons(cells)


def test_a_refusal_names_each_column_with_its_reason_and_both_remedies() -> None:
    frame = pd.DataFrame(
        {"row": np.arange(1, N + 1), "mail": [SHAPED["e-mail"]() for _ in range(N)], "kg": RNG.random(N)}
    )
    with pytest.raises(sosie.InputError, match=r'"row" .*"mail" .*role: drop or role: regenerate') as caught:
        refuse_identifiers(recognise(frame, {}))
    assert (caught.value.code, caught.value.columns) == ("IDENTIFIER_COLUMN", ("row", "mail"))
    assert "clinic" not in caught.value.message


REGENERATED: dict[str, tuple[Any, str]] = {
    "counted": ([f"P-{number:05d}" for number in range(N)], r"P-0000\d|P-000\d\d|P-\d{5}"),
    "hexadecimal": (
        [f"{RNG.integers(16**8):08x}-4{RNG.integers(16**3):03x}" for _ in range(N)],
        r"[0-9a-f]{8}-4[0-9a-f]{3}",
    ),
    "letters": (
        ["".join(RNG.choice(list(string.ascii_uppercase), 4)) + digits(2) for _ in range(N)],
        r"[A-Z]{4}\d{2}",
    ),
    "e-mails": ([f"p{digits(4)}@clinic.example" for _ in range(N)], r"p\d{4}@clinic\.example"),
    "too few places": ([f"{number:02d}" for number in range(N)], r"\d{3}"),
}


@pytest.mark.parametrize("name", REGENERATED)
@pytest.mark.parametrize("dtype", ["str", "string", "object", "category"])
def test_fresh_texts_are_unique_new_and_of_the_same_shape(name: str, dtype: str) -> None:
    cells, shape = REGENERATED[name]
    series = pd.Series(cells, dtype=dtype, name="ref")
    identifier = identifier_of(series, 0)
    fresh = identifier.cells(identifier.fresh(N, np.random.default_rng(0)))
    assert fresh.is_unique
    assert not set(fresh) & set(cells)
    assert all(re.fullmatch(shape, text) for text in fresh)
    assert fresh.dtype == series.dtype or dtype == "category"
    if dtype == "category":
        assert not set(fresh.cat.categories) & set(cells)


@pytest.mark.parametrize("known", [["DUPONT-JEAN-1975"], ["DUPONT-JEAN-1975", "DUPONT-MARC-1981"]])
def test_what_few_identifiers_share_is_not_written(known: list[str]) -> None:
    series = pd.Series([*known, *[None] * 50], dtype="str", name="ref")
    fresh = identifier_of(series, 0).fresh(50, np.random.default_rng(0))
    assert not any("DUPONT" in text for text in fresh)
    assert all(re.fullmatch(r"[A-Z]{6}-[A-Z]{4}-\d{4}", text) for text in fresh)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint16", "Int64", "float64", "object"])
def test_fresh_numbers_are_unique_new_and_as_long(dtype: Any) -> None:
    series = pd.Series(RNG.choice(np.arange(10_000, 32_000), N, replace=False), name="ref").astype(dtype)
    identifier = identifier_of(series, 0)
    fresh = identifier.cells(identifier.fresh(N, np.random.default_rng(0)))
    assert fresh.dtype == series.dtype
    assert fresh.is_unique
    assert not set(fresh) & set(series)
    assert ((fresh >= 10_000) & (fresh < 100_000)).all()


def test_a_dtype_without_room_for_fresh_numbers_is_refused() -> None:
    identifier = identifier_of(pd.Series(np.arange(100), dtype="int8", name="ref"), 0)
    with pytest.raises(sosie.InputError, match="no room for 100") as caught:
        identifier.fresh(100, np.random.default_rng(0))
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("ref",))


@pytest.mark.parametrize(
    ("dtype", "most"), [("float16", 2**11), ("float32", 2**24), (pd.ArrowDtype(pa.float32()), 2**24)]
)
def test_fresh_floats_are_whole_numbers_that_all_are_told_apart(dtype: Any, most: int) -> None:
    series = pd.Series([1.0, 2.0, most], name="ref").astype(dtype)
    identifier = identifier_of(series, 0)
    fresh = identifier.cells(identifier.fresh(1_000, np.random.default_rng(0)))
    assert fresh.dtype == series.dtype
    assert fresh.is_unique
    assert fresh.max() <= most


def test_a_dictionary_without_room_for_fresh_texts_is_refused() -> None:
    texts = pa.array([f"P-{place}" for place in range(100)])
    held = pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), texts)
    identifier = identifier_of(pd.Series(pd.arrays.ArrowExtensionArray(held), name="ref"), 0)
    assert identifier.cells(identifier.fresh(128, np.random.default_rng(0))).dtype == pd.ArrowDtype(held.type)
    with pytest.raises(sosie.InputError, match="no room for 129") as caught:
        identifier.fresh(129, np.random.default_rng(0))
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("ref",))


@pytest.mark.parametrize("cells", [RNG.random(N), pd.date_range("2020-01-01", periods=N), [True, False] * 30])
def test_only_texts_and_whole_numbers_can_be_regenerated(cells: Any) -> None:
    with pytest.raises(sosie.InputError, match="texts or whole numbers") as caught:
        identifier_of(pd.Series(cells, name="ref"), 0)
    assert (caught.value.code, caught.value.columns) == ("BAD_CONFIG", ("ref",))


@pytest.fixture(scope="module")
def referenced() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "kg": rng.normal(70, 9, 3000).round(1),
            "ref": [f"P-{number:05d}" for number in range(3000)],
            "age": rng.integers(20, 80, 3000),
            "patient_id": rng.permutation(3000) + 10_000,
        }
    )


REGENERATE = {"ref": {"role": "regenerate"}, "patient_id": {"role": "regenerate"}}


def test_regenerated_columns_keep_their_places_and_dtypes_and_repeat_nobody(referenced: pd.DataFrame) -> None:
    release = sosie.anonymize(referenced, k=5, ncp=2, seed=0, columns=REGENERATE, attacks=FEW_ATTACKS)
    avatars = release.avatars
    assert list(avatars.columns) == list(referenced.columns)
    assert avatars.dtypes.to_list() == referenced.dtypes.to_list()
    for name in REGENERATE:
        assert avatars[name].is_unique
        assert not set(avatars[name]) & set(referenced[name])
        # in the order of neither rows nor values
        assert abs(np.corrcoef(np.argsort(np.argsort(avatars[name])), np.arange(3000))[0, 1]) < 0.1
    # the linked rows carry the same identifiers as the shuffled ones
    both = release.linked.merge(avatars, on=["ref", "patient_id"])
    assert (both["kg_x"] == both["kg_y"]).all()
    assert len(both) == 3000


def test_regenerated_columns_have_no_part_in_the_method(referenced: pd.DataFrame) -> None:
    regenerated, dropped = (
        sosie.anonymize(
            referenced,
            k=5,
            ncp=2,
            seed=0,
            columns={name: {"role": role} for name in REGENERATE},
            attacks=FEW_ATTACKS,
        )
        for role in ("regenerate", "drop")
    )
    pd.testing.assert_frame_equal(regenerated.avatars[["kg", "age"]], dropped.avatars)
    assert {variable.name for variable in regenerated.evaluation.variables} == {"kg", "age"}


def test_avatars_that_are_the_originals_but_for_a_fresh_identifier_are_the_originals() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"ref": [f"P-{n:05d}" for n in range(300)], "kg": rng.normal(70, 9, 300), "age": rng.random(300)}
    )
    avatars = frame.assign(ref=[f"Q-{n:05d}" for n in range(300)])
    figures = sosie.evaluate(frame, avatars, seed=0, attacks=FEW_ATTACKS).metrics
    assert figures["row_direct_match"].value == 100


def test_a_table_of_identifiers_alone_is_refused(referenced: pd.DataFrame) -> None:
    with pytest.raises(sosie.InputError, match="keep at least one") as caught:
        sosie.anonymize(referenced[["ref"]], k=5, columns={"ref": {"role": "regenerate"}})
    assert caught.value.code == "EMPTY_TABLE"


def test_fresh_uuids_are_uuids_also_where_the_old_ones_count_up() -> None:
    cells = pd.Series([str(uuid.UUID(int=10**9 + place)) for place in range(600)])
    fresh = identifier_of(cells, 0).fresh(600, np.random.default_rng(0))
    assert len({uuid.UUID(value) for value in fresh}) == 600
    assert not set(fresh) & set(cells)


@pytest.mark.parametrize(
    "dtype",
    [
        "Int8",
        "float64",
        "int64[pyarrow]",
        "str",
        "string[pyarrow]",
        pd.ArrowDtype(pa.string()),
        pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())),
        "object",
    ],
)
def test_a_column_without_any_identifier_gets_fresh_ones(dtype: Any) -> None:
    cells = pd.Series([None] * 40, dtype=object).astype(dtype)
    identifier = identifier_of(cells, 0)
    fresh = identifier.cells(identifier.fresh(40, np.random.default_rng(0)))
    assert fresh.nunique() == 40
    assert fresh.dtype == cells.dtype


@pytest.mark.parametrize(
    "dtype",
    [
        "datetime64[us]",
        "boolean",
        pd.ArrowDtype(pa.null()),
        pd.ArrowDtype(pa.string_view()),
        pd.ArrowDtype(pa.list_(pa.int8())),
    ],
    ids=str,
)
def test_what_is_neither_text_nor_a_whole_number_is_not_regenerated(dtype: Any) -> None:
    cells = pd.Series(pd.array([None] * 40, dtype=dtype), name="x")
    with pytest.raises(sosie.InputError, match='"x" cannot be regenerated') as error:
        identifier_of(cells, 0)
    assert error.value.code == "BAD_CONFIG"


@pytest.mark.parametrize("levels", [pa.date32(), pa.null(), pa.string_view(), pa.decimal128(5, 2)], ids=str)
def test_positions_in_a_dictionary_of_neither_are_not_regenerated(levels: pa.DataType) -> None:
    held = pa.DictionaryArray.from_arrays(pa.array([None] * 40, pa.int8()), pa.nulls(0, levels))
    with pytest.raises(sosie.InputError, match='"x" cannot be regenerated') as error:
        identifier_of(pd.Series(pd.arrays.ArrowExtensionArray(held), name="x"), 0)
    assert error.value.code == "BAD_CONFIG"
