"""What a run without Prefect loads: nothing that it does not use."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

HEAVY = ("prefect", "great_expectations", "matplotlib", "openpyxl", "s3fs", "psycopg", "dask", "distributed")
RUN = """
import sys
from sosie.cli import main
try:
    main()
finally:
    print("loaded:", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_a_direct_run_loads_neither_prefect_nor_great_expectations(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(3), "ward": rng.choice(["north", "south"], 60)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "sosie.yaml").write_text("targets: {mode: report}\nmethod: {k: 5}\n", encoding="utf-8")
    words = ["anonymize", "table.csv", "--config", "sosie.yaml", "--direct", "--out", "runs"]
    run = subprocess.run(
        [sys.executable, "-c", RUN, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    loaded = run.stderr.rpartition("loaded:")[2].split()
    assert "sosie" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_looking_at_a_table_loads_nothing_of_what_measures_avatars(tmp_path: Path) -> None:
    pd.DataFrame({"x": range(60)}).to_csv(tmp_path / "table.csv", index=False)
    told = RUN.replace('{name.partition(".")[0] for name in sys.modules}', "sys.modules")
    run = subprocess.run(
        [sys.executable, "-c", told, "inspect", "table.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    loaded = run.stderr.rpartition("loaded:")[2].split()
    assert "sosie.recognition" in loaded
    assert [name for name in (*HEAVY, "sklearn", "scipy.stats") if name in loaded] == []
