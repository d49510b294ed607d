"""The commands: what is typed."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from sosie.cli.exit_codes import EXIT, finish
from sosie.cli.options import (
    SOURCE_HELP,
    AsJson,
    Config,
    Debug,
    Direct,
    Out,
    PageLanguage,
    SearchProfile,
    SearchRows,
    SearchTarget,
    SeedOption,
    Splits,
)
from sosie.cli.start import Seed, resume_run, run_anonymize, run_evaluate
from sosie.codes import CODES

app = typer.Typer(
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _examples(*commands: str) -> str:
    """The end of a command's help: what to type, each with what it is for."""
    return "\n\n".join(("**Examples**", *commands))


def _version(wanted: bool) -> None:
    if wanted:
        print(version("sosie"))
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Turns a pseudonymised table into avatars and measures how well they hide the individuals."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command(
    epilog=_examples(
        "`sosie anonymize patients.csv` — with what `inspect` found and the defaults",
        "`sosie anonymize --config sosie.yaml` — the table and all else named by a configuration",
        "`sosie anonymize patients.csv --k 40 --language fr` — more neighbours, a French report",
        "`sosie anonymize --resume runs/20260301T100000Z-0a1b2c3d` — go on with a run that was killed",
        "Exit codes: 0 released, 2 bad input or configuration, 3 a target was missed and nothing released, 1 else.",
    )
)
def anonymize(
    source: Annotated[str | None, typer.Argument(help=SOURCE_HELP)] = None,
    config: Config = None,
    out: Out = Path("runs"),
    k: Annotated[int | None, typer.Option(help="Neighbours an avatar is drawn from.")] = None,
    ncp: Annotated[int | None, typer.Option(help="Components the neighbours are found on.")] = None,
    seed: SeedOption = None,
    holdout: Annotated[str | None, typer.Option(help="auto, real or approximate.")] = None,
    release: Annotated[str | None, typer.Option(help="full or working.")] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Draws measured, 1 to 100, to show how much the figures change.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Language of the report: en or fr.")] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Go on with the run of this directory, which was killed: same seed, same configuration, same bytes.",
        ),
    ] = None,
    seed_of: Annotated[
        Path | None,
        typer.Option(
            "--seed-of",
            metavar="RUN",
            help="Draw with the seed of an earlier run, and do again only the steps that a changed option changes. "
            "Two releases from one seed can be linked row by row: only one of them may ever leave.",
        ),
    ] = None,
    direct: Direct = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Anonymise a table: avatars, evidence and a report, or a refusal."""
    wanted = {
        "source": source,
        "config": None if config is None else str(config),
        "out": str(out),
        "k": k,
        "ncp": ncp,
        "holdout": holdout,
        "release": release,
        "repeats": repeats,
        "language": language,
    }
    if resume is not None:
        given = {"seed": None if seed is None else "given", "seed-of": seed_of} | wanted
        others = given | {"out": None if out == Path("runs") else str(out)}
        finish(resume_run(resume, others, direct=direct, quiet=as_json, debug=debug), as_json)
    finish(run_anonymize(wanted, Seed(seed, seed_of), direct=direct, quiet=as_json, debug=debug), as_json)


@app.command(
    epilog=_examples(
        "`sosie evaluate patients.csv avatars.csv` — rows in any order, half of the originals as holdout",
        "`sosie evaluate patients.csv avatars.csv --linked` — row i comes from row i: links are attacked too",
        "`sosie evaluate patients.csv avatars.csv --holdout others.csv` — real people that took no part",
    )
)
def evaluate(
    original: Annotated[str, typer.Argument(help="The originals.")],
    avatars: Annotated[str, typer.Argument(help="The avatars, made by anything.")],
    linked: Annotated[
        bool, typer.Option("--linked", help="Row i of the avatars comes from row i of the originals.")
    ] = False,
    holdout: Annotated[str | None, typer.Option(help="Real rows that never took part.")] = None,
    config: Config = None,
    out: Out = Path("runs"),
    direct: Direct = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Measure a table of avatars made by anything."""
    wanted = {
        "original": original,
        "avatars": avatars,
        "linked": linked,
        "holdout": holdout,
        "config": None if config is None else str(config),
        "out": str(out),
    }
    finish(run_evaluate(wanted, direct=direct, quiet=as_json, debug=debug), as_json)


@app.command(
    epilog=_examples(
        "`sosie inspect patients.csv` — what each column is taken for",
        "`sosie inspect patients.csv --write sosie.yaml` — a commented configuration to start from",
        "`sosie inspect patients.csv --config sosie.yaml` — the same with your declarations in force",
    )
)
def inspect(
    source: Annotated[str, typer.Argument(help=SOURCE_HELP)],
    config: Config = None,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write a commented configuration here.")
    ] = None,
) -> None:
    """Show what each column is taken for, and why."""
    from sosie.cli.inspection import inspect_source

    inspect_source(source, config, write)


@app.command(
    epilog=_examples(
        "`sosie advise patients.csv --write sosie.yaml` — a configuration that meets the targets, and why",
        "`sosie advise patients.csv --profile open --minutes 30` — strict targets, more time",
        "`sosie advise --for runs/20260301T100000Z-0a1b2c3d` — what would meet the targets that a run missed, put into"
        " its internal report",
        "Exit codes: 0 a setting meets all targets, 3 none does and the closest is proposed, 2 bad input, 1 else.",
    )
)
def advise(
    source: Annotated[str | None, typer.Argument(help=SOURCE_HELP)] = None,
    config: Config = None,
    for_run: Annotated[
        str | None,
        typer.Option("--for", help="A run that has ended: search from its table and configuration."),
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write the proposed configuration here.")
    ] = None,
    minutes: Annotated[
        float, typer.Option(help="Settings that would take longer are left out; 0: none is.", min=0)
    ] = 10.0,
    settings: Annotated[int, typer.Option(min=1, max=40, help="Settings measured at most.")] = 12,
    rows: SearchRows = 1_000,
    splits: Splits = 4,
    profile: SearchProfile = None,
    target: SearchTarget = None,
    out: Out = Path("runs"),
    seed: SeedOption = None,
    language: PageLanguage = None,
    direct: Direct = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Measure settings on a sample and propose the most useful one that meets the targets; nothing is released."""
    from sosie.cli.searching import advise as search

    wanted = {
        **_search_options(source, config, out, rows, splits, profile, target, language),
        "for_run": for_run,
        "minutes": minutes or None,
        "settings": settings,
    }
    if not search(wanted, Seed(seed), write, direct=direct, as_json=as_json, debug=debug):
        raise typer.Exit(EXIT["rejected"])


@app.command(
    epilog=_examples(
        "`sosie sweep patients.csv --set k=10,20,40 --set weights=published,gaussian` — six settings",
        "`sosie sweep patients.csv --grid grid.yaml` — `k: [10, 20]`, `rare_values: {label: [null, other]}`,"
        " `columns: {age: {weight: [1, 2]}}`",
    )
)
def sweep(
    source: Annotated[str | None, typer.Argument(help=SOURCE_HELP)] = None,
    config: Config = None,
    grid: Annotated[
        Path | None, typer.Option("--grid", help="File (YAML) with a list of values for each key.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", help="A key and its values: k=5,10,20. May be repeated.")
    ] = None,
    rows: SearchRows = 1_000,
    splits: Splits = 4,
    profile: SearchProfile = None,
    target: SearchTarget = None,
    out: Out = Path("runs"),
    seed: SeedOption = None,
    language: PageLanguage = None,
    direct: Direct = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Measure every combination of the values you name on a sample; nothing is released."""
    from sosie.cli.searching import sweep as search

    wanted = {
        **_search_options(source, config, out, rows, splits, profile, target, language),
        "grid": None if grid is None else str(grid),
        "values": tuple(values or ()),
    }
    search(wanted, Seed(seed), direct=direct, as_json=as_json, debug=debug)


def _search_options(
    source: str | None,
    config: Path | None,
    out: Path,
    rows: int,
    splits: int,
    profile: str | None,
    target: str | None,
    language: str | None,
) -> dict[str, object]:
    """What both searches are asked for."""
    return {
        "source": source,
        "config": None if config is None else str(config),
        "out": str(out),
        "rows": rows,
        "splits": splits,
        "profile": profile,
        "target": target,
        "language": language,
    }


@app.command(
    epilog=_examples(
        "`sosie demo` — on Prefect's embedded server, which takes some seconds to start",
        "`sosie demo --direct --language fr` — in this process, with a French report",
    )
)
def demo(
    out: Out = Path("runs"),
    seed: Annotated[
        int,
        typer.Option(min=0, help="The table is public: nothing is lost if its avatars can be made again."),
    ] = 1,
    language: Annotated[str | None, typer.Option(help="Language of the report: en or fr.")] = None,
    direct: Direct = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Anonymise a real medical table: scikit-learn's breast cancer data, 569 patients, no network."""
    from sosie.cli.demonstration import write_table

    source = write_table(out)
    wanted = {"source": str(source), "out": str(out), "language": language}
    finish(run_anonymize(wanted, Seed(seed), direct=direct, quiet=as_json, debug=debug), as_json)


@app.command(
    epilog=_examples(
        "`sosie report runs/20260301T100000Z-0a1b2c3d --language fr` — in another language",
        "`sosie report runs/20260301T100000Z-0a1b2c3d --profile open` — held against other targets",
        "`sosie report runs/20260301T100000Z-0a1b2c3d --pdf` — with the technical assessment",
    )
)
def report(
    run: Annotated[Path, typer.Argument(help="Run directory, its private folder included.")],
    language: Annotated[str | None, typer.Option(help="en or fr; the run's own by default.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="Hold the figures against internal, partner or open; publishes nothing."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="How many columns to draw, or all.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also write the technical assessment as PDF.")] = False,
    as_json: AsJson = False,
) -> None:
    """Render the reports of a run again, without measuring again."""
    from sosie.cli.reporting import report_again

    report_again(run, language, profile, columns, pdf, as_json)


@app.command(epilog=_examples("`sosie compare runs/first runs/second --write comparison.html` — as a page"))
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Run directories, their private folders included.")],
    language: Annotated[str | None, typer.Option(help="en or fr.")] = None,
    write: Annotated[Path, typer.Option("--write", help="Page to write.")] = Path("comparison.html"),
    as_json: AsJson = False,
) -> None:
    """Put runs side by side: parameters that differ, every figure, privacy against utility."""
    from sosie.cli.reporting import compare as compare_directories

    compare_directories(runs, language, write, as_json)


@app.command(
    epilog=_examples(
        "`sosie explain AMBIGUOUS_DATE` — one code",
        "`sosie explain AMBIGUOUS_DATE --language fr` — the same in French",
        "`sosie explain` — all of them",
    )
)
def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A code of an error or a warning; all by default.", autocompletion=lambda: sorted(CODES)
        ),
    ] = None,
    language: Annotated[str, typer.Option(help="en or fr.")] = "en",
) -> None:
    """Tell what a code stands for: what causes it, and what to do about it."""
    from sosie.cli.explanation import explain_code, list_codes

    list_codes(language) if code is None else explain_code(code, language)


@app.command(
    epilog=_examples(
        "`sosie purge` — what no run used for a day",
        "`sosie purge --older-than 7d --store /srv/sosie` — another store, for a week",
    )
)
def purge(
    older_than: Annotated[
        str, typer.Option("--older-than", help="Not used for so long: 30m, 24h, 7d; 0h: all of them.")
    ] = "24h",
    store: Annotated[
        Path | None,
        typer.Option(help="The store's folder; by default SOSIE_STORE, else sosie in the cache folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Delete the private intermediates of past runs; a run at work computes again what it misses."""
    from sosie.cli.purging import purge as purge_store

    purge_store(older_than, store, as_json)


@app.command(
    epilog=_examples(
        "`sosie verify runs/20260301T100000Z-0a1b2c3d` — every file against the manifests' hashes",
        "`sosie verify runs/20260301T100000Z-0a1b2c3d/release --signer 0A1B…` — what was handed over, and by whom",
        "Exit codes: 0 intact, 1 altered, incomplete, added to or not signed as asked, 2 no run directory.",
    )
)
def verify(
    run: Annotated[Path, typer.Argument(help="Run directory, or a folder release alone.")],
    source: Annotated[str | None, typer.Option(help="The table, to hold against its hash too.")] = None,
    original: Annotated[str | None, typer.Option(help="The originals of an evaluation.")] = None,
    avatars: Annotated[str | None, typer.Option(help="The avatars of an evaluation.")] = None,
    holdout: Annotated[str | None, typer.Option(help="The holdout of an evaluation.")] = None,
    signer: Annotated[
        str | None, typer.Option(help="Fingerprint of the GnuPG key that must have signed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show that a run is as it was left: every hash is computed again; nothing is changed."""
    from sosie.cli.verification import verify_run

    sources = {"source": source, "original": original, "avatars": avatars, "holdout": holdout}
    if not verify_run(run, sources, signer, as_json):
        raise typer.Exit(1)


@app.command(epilog=_examples("`sosie sign runs/20260301T100000Z-0a1b2c3d --key release@hospital.example`"))
def sign(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    key: Annotated[str, typer.Option(help="GnuPG key: fingerprint, key ID or address.")],
) -> None:
    """Sign a run's manifest with GnuPG; `gpg --verify manifest.json.asc manifest.json` checks it without sosie."""
    from sosie.cli.verification import sign_run

    sign_run(run, key)


@app.command(
    epilog=_examples(
        "`sosie serve` — then start runs in Prefect's UI, or by `prefect deployment run anonymize/served`",
        '`sosie serve --config sosie.yaml --cron "0 2 * * *"` — and one by itself at two every night',
    )
)
def serve(
    limit: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="What anonymize does when a run is told nothing else."),
    ] = None,
    cron: Annotated[
        str | None, typer.Option(help="When anonymize starts by itself, as cron writes it; needs --config.")
    ] = None,
    timezone: Annotated[str, typer.Option(help="Of --cron, such as Europe/Paris.")] = "UTC",
) -> None:
    """Offer the flows on the configured Prefect server and run them here, until Ctrl-C; no worker is needed."""
    from sosie.cli.serving import serve as serve_here

    serve_here(limit, config, cron, timezone)
