"""Values that went through the store's file and came back."""

import tempfile
from collections.abc import Callable
from io import FileIO
from typing import Any

import pytest

from sosie.tasks.store.container import read_value, write_value


@pytest.fixture(scope="session")
def returned() -> Callable[[Any], Any]:
    """A value as it comes back from a file."""

    def come_back(value: Any) -> Any:
        with tempfile.NamedTemporaryFile() as file:
            write_value(value, file.file)
            file.flush()
            with FileIO(file.name) as opened:
                return read_value(opened)

    return come_back
