"""A whole run, measured in a process of its own: `speed.py` starts it and reads the line it prints.

    python speed_run.py TABLE.parquet FOLDER [--method '{k: 200}']

What `sosie anonymize --direct` does, with all evidence and the report; seconds by step.
"""

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from speed_parts import cost_of, mebibytes, tell

from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.run import new_run_id


def run(table: Path, folder: Path, method: str, call: DirectCalls) -> None:
    """The whole job."""
    configuration = folder / "sosie.yaml"
    asked = f"targets: {{mode: report}}\nstore: {{keep: false}}\nmethod: {method}\n"
    configuration.write_text(asked, encoding="utf-8")
    request = Request(source=str(table), config=str(configuration), out=str(folder / "runs"))
    manifest = run_request(request, folder / "runs" / new_run_id(), call)
    if manifest.status != "released":
        raise SystemExit(f"not released: {manifest.code}")


def main() -> None:
    """Measure it and print it."""
    arguments = argparse.ArgumentParser(description="a whole run, measured")
    arguments.add_argument("table", type=Path)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--method", default="{}", help="the configuration's method, as YAML")
    asked = arguments.parse_args()
    imports, call = mebibytes(), DirectCalls(silent)
    cost = cost_of(partial(run, asked.table, asked.folder, asked.method, call))
    tell(replace(cost, steps=dict(call.seconds)), imports)


if __name__ == "__main__":
    main()
