"""What is too old is refused in a sentence."""

import re

import pytest

from sosie.requirements import refuse_old_pandas


def test_pandas_2_is_refused_with_what_to_install() -> None:
    with pytest.raises(ImportError, match=re.escape("2.3.3 is installed: pip install 'pandas>=3'")):
        refuse_old_pandas("2.3.3")


@pytest.mark.parametrize("version", ["3.0.0", "3.1.1", "10.0", "3.0.0rc1"])
def test_pandas_3_and_later_are_accepted(version: str) -> None:
    refuse_old_pandas(version)
