"""Environments for what sosie is compared with: nothing of theirs is installed beside it."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def straightforward(folder: Path) -> Path:
    """The Python of a new environment in this folder for `straightforward.py`."""
    return _environment(folder, "-r", "requirements-straightforward.txt")


def synthesizers(folder: Path) -> Path:
    """The Python of a new environment in this folder for `synthesizers.py`."""
    return _environment(folder, "--no-deps", "-r", "requirements-synthesizers.txt")


def _environment(folder: Path, *wanted: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *wanted], check=True, cwd=HERE)
    return python
