"""Options that several commands have in common."""

from pathlib import Path
from typing import Annotated

import typer

SOURCE_HELP = (
    "A file (CSV, Parquet, Excel, SPSS, Stata, SAS, …), or the URL of an object or of a database's table."
)
Config = Annotated[Path | None, typer.Option("--config", "-c", help="Configuration file (YAML).")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder that the run directory is created in.")]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="A secret: it undoes the shuffle. Drawn afresh by default."),
]
Direct = Annotated[
    bool, typer.Option("--direct", envvar="SOSIE_DIRECT", help="Run in this process, without Prefect.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show tracebacks and Prefect's log; they may quote cells.")
]
SearchRows = Annotated[
    int, typer.Option("--rows", min=20, help="Rows sampled; half of them are anonymised in each split.")
]
Splits = Annotated[int, typer.Option("--splits", min=2, max=50, help="Random splits of each setting.")]
SearchProfile = Annotated[
    str | None, typer.Option("--profile", help="Whose targets: internal, partner or open.")
]
SearchTarget = Annotated[
    str | None, typer.Option("--target", help="A column whose prediction counts as utility, too.")
]
PageLanguage = Annotated[str | None, typer.Option("--language", help="Language of the page: en or fr.")]
