"""A grid named in a file or in assignments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sosie.errors import InputError
from sosie.schemas.grid import settings_of

WriteConfiguration = Callable[[str], Path]


def test_a_file_and_assignments_make_one_grid(write_configuration: WriteConfiguration) -> None:
    path = write_configuration("k: [5, 10]\nrare_values: {label: [null, other]}\n")
    found = settings_of(str(path), ["k=7", "columns.age.weight=1,2.5"])
    assert [setting.text for setting in found] == [
        "k: 7, rare_values.label: null, columns.age.weight: 1",
        "k: 7, rare_values.label: null, columns.age.weight: 2.5",
        "k: 7, rare_values.label: other, columns.age.weight: 1",
        "k: 7, rare_values.label: other, columns.age.weight: 2.5",
    ]


@pytest.mark.parametrize("key", ["seed", "method.seed", "report.language", "holdout", "targets.profile"])
def test_a_key_that_changes_no_avatar_and_the_seed_are_refused(key: str) -> None:
    with pytest.raises(InputError, match="cannot be swept"):
        settings_of(None, [f"{key}=1,2"])


def test_a_grid_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="needs values to try"):
        settings_of(None, [])


def test_too_many_settings_are_refused_with_their_number() -> None:
    many = ",".join(map(str, range(2, 17)))
    with pytest.raises(InputError, match="names 225 settings"):
        settings_of(None, [f"k={many}", f"ncp={many}"])


def test_an_assignment_without_values_is_refused() -> None:
    with pytest.raises(InputError, match="--set takes a key and its values"):
        settings_of(None, ["k"])
