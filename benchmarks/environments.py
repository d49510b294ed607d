"""Environments for what sosie is compared with: nothing of theirs is installed beside it."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def environment(folder: Path, requirements: str) -> Path:
    """The Python of a new environment in this folder that has what a file of requirements names."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(HERE / requirements)], check=True)
    return python
