"""Values planted in a table are nowhere but in private places, however a run on a Prefect server ends.

Everything is searched that a run leaves or shows: Prefect's home and database, output, temporary files, arguments and
environment of processes, run directories. That the search finds what is there is shown with a control.
"""

import base64
import gzip
import html
import json
import os
import sqlite3
import stat
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest

SEED = 8_765_309_123_456_789
ACCOUNT, WEIGHT = 31_415_926_535, 271.8281828
CANARIES = {
    "name": ("Zaphod Beeblebröx",),
    "rare level": ("Größenwahnklinik",),
    "number": (
        str(ACCOUNT),
        f"{ACCOUNT:,}",
        f"{ACCOUNT:_}",
        f"{ACCOUNT:,}".replace(",", " "),
        "3.1415926535",
    ),
    "decimal number": (str(WEIGHT),),
    "date": ("17/03/1931", "1931-03-17", "17.03.1931", "17 March 1931", "17 mars 1931"),
    "seed": (str(SEED), f"{SEED:,}", f"{SEED:_}"),
}
BINARY = {
    "number": (struct.pack("<q", ACCOUNT), struct.pack("<d", ACCOUNT)),
    "decimal number": (struct.pack("<d", WEIGHT),),
    "seed": (struct.pack("<q", SEED),),
}
CONTROL = "Kontrolle-ist-bessér-2718"
METHOD = "method: {k: 5, ncp: 2}\nholdout: {mode: real}\nattacks: {attempts: 10}\n"
COLUMNS = 'columns: {patient: {role: drop}, seen: {type: date, format: "%d/%m/%Y"}}\n'
BAD = {  # what is wrong: the code, the table, the configuration
    "an identifier": ("IDENTIFIER_COLUMN", "table.csv", "bare.yaml"),
    "a bad date": ("BAD_DATE", "bad date.csv", "measure.yaml"),
    "texts among numbers": ("BAD_CONFIG", "mixed.csv", "number.yaml"),
    "mixed types": ("MIXED_TYPES", "mixed.xlsx", "measure.yaml"),
    "an infinite number": ("NON_FINITE", "infinite.csv", "measure.yaml"),
    "an infinite number in a stream": ("NON_FINITE", "infinite.csv", "streamed.yaml"),
    "a ragged line": ("RAGGED_CSV", "ragged.csv", "measure.yaml"),
    "an open quote": ("RAGGED_CSV", "quote.csv", "measure.yaml"),
    "other bytes": ("UNREADABLE_SOURCE", "latin.csv", "measure.yaml"),
    "few rows": ("TOO_FEW_ROWS", "few.csv", "measure.yaml"),
    "an untrue constraint": ("BAD_CONFIG", "table.csv", "constraint.yaml"),
    "a bad seed": ("BAD_CONFIG", "table.csv", "seed.yaml"),
    "a value for a key": ("BAD_CONFIG", "table.csv", "value.yaml"),
}


def write_inputs(folder: Path) -> None:
    """The table, spoiled copies of it, and configurations."""
    rng = np.random.default_rng(0)
    rows = 64
    days = pd.Timestamp("1925-01-01") + pd.to_timedelta(rng.permutation(20_000)[:rows], unit="D")
    table = pd.DataFrame(
        {
            "patient": [f"Person Number {row}" for row in range(rows)],
            "age": rng.integers(20, 80, rows),
            "account": rng.integers(30_000_000_000, 33_000_000_000, rows),
            "weight": rng.normal(270, 9, rows).round(7),
            "ward": rng.choice(["north", "south", "east"], rows),
            "seen": days.strftime("%d/%m/%Y"),
        }
    )
    place = {"patient": 17, "account": 18, "weight": 19, "ward": 20, "seen": 21}
    planted: tuple[Any, ...] = (
        CANARIES["name"][0],
        ACCOUNT,
        WEIGHT,
        CANARIES["rare level"][0],
        CANARIES["date"][0],
    )
    for (column, row), value in zip(place.items(), planted, strict=True):
        table.loc[row, column] = value
    table.to_csv(folder / "table.csv", index=False)
    table.drop(columns="patient").to_csv(folder / "original.csv", index=False)
    table[17:22].to_csv(folder / "few.csv", index=False)
    spoil = {
        "bad date.csv": table.assign(seen=table["seen"].where(table.index != 30, CANARIES["name"][0])),
        "mixed.csv": table.assign(
            account=table["account"].astype(object).where(table.index != 30, CANARIES["name"][0])
        ),
        "infinite.csv": table.assign(weight=table["weight"].where(table.index != 19, np.inf)),
    }
    for name, frame in spoil.items():
        frame.to_csv(folder / name, index=False)
    spoil["mixed.csv"].to_excel(folder / "mixed.xlsx", index=False)
    lines = (folder / "table.csv").read_text().splitlines()
    quoted = ",".join(forms[0] for forms in CANARIES.values())
    (folder / "ragged.csv").write_text("\n".join([*lines, f"{quoted},{quoted}"]) + "\n")
    (folder / "quote.csv").write_text("\n".join([*lines, f'"{quoted}']) + "\n")
    (folder / "latin.csv").write_bytes("\n".join(lines).encode("utf-16-le")[1:])
    write_configurations(folder, quoted)


def write_configurations(folder: Path, quoted: str) -> None:
    report = METHOD + "targets: {mode: report}\n"
    configurations = {
        "measure": report + COLUMNS,
        "streamed": report + COLUMNS + "batches: {streamed: always}\n",
        "other": report.replace("ncp: 2", "ncp: 3") + COLUMNS,
        "enforce": METHOD + COLUMNS + "targets: {hidden_rate: {min: 100}}\n",
        "evaluate": report.replace("k: 5, ", "") + COLUMNS.replace("patient: {role: drop}, ", ""),
        "bare": report,
        "number": report + COLUMNS.replace("columns: {", "columns: {account: {type: integer}, "),
        "constraint": report + COLUMNS + "constraints: [age >= account]\n",
        "seed": f"method: {{seed: {SEED}x}}\n",
        "value": f'method: {{k: "{quoted}"}}\n',
    }
    for name, text in configurations.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Played:
    """What the runs left and told, beside what was planted."""

    folder: Path
    told: dict[str, Any]
    output: bytes


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """All runs, in a process with a Prefect server, folders and an output of its own, logging all it can."""
    folder = tmp_path_factory.mktemp("canaries")
    for name in ("tmp", "home"):
        (folder / name).mkdir()
    write_inputs(folder)
    plan = {
        "seed": SEED,
        "quoted": " ".join(form for forms in CANARIES.values() for form in forms),
        "control": CONTROL,
        "bad": {name: [source, config] for name, (_, source, config) in BAD.items()},
    }
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    settings = {
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_LOGGING_LEVEL": "DEBUG",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "DEBUG",
        "TMPDIR": str(folder / "tmp"),
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder / "home" / "cache"),
        "SOSIE_STORE": str(folder / "store-000"),
    }
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("canary_flows.py"), folder],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    told: dict[str, Any] = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    return Played(folder, told, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def searched(played: Played) -> dict[str, bytes]:
    """All that others may see, by where it is: as it lies there, and unpacked."""
    return {where: b"\n".join(unpacked(content)) for where, content in places(played)}


def places(played: Played) -> Iterator[tuple[str, bytes]]:
    yield "output", played.output
    for number, told in enumerate(played.told["processes"]):
        yield f"process {number}", told.encode()
    for number, (path, content) in enumerate(played.told["temporary"]):
        yield f"temporary {number} {Path(path).name}", bytes.fromhex(content)
    for folder in ("prefect", "tmp", "home", "runs"):
        for path in (played.folder / folder).rglob("*"):
            place = path.relative_to(played.folder)
            if path.is_file() and "private" not in place.parts and path.name != "avatars.csv":
                yield str(place), path.read_bytes()
    for path in (played.folder / "prefect").glob("*.db"):
        yield from rows(path)


def rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Each column of each table of a database: in its file a value may be cut in pieces."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            found = database.execute(f'SELECT * FROM "{name}"')
            held = found.fetchall()
            for place, column in enumerate(found.description):
                cells = (row[place] for row in held)
                packed = [cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells]
                yield f"database {name}.{column[0]}", b"\n".join(packed)


def unpacked(content: bytes) -> Iterator[bytes]:
    """The content, and what it was packed from."""
    yield content
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            yield unpack(content)
        except (OSError, EOFError, zlib.error):
            continue


def written(text: str) -> Iterator[bytes]:
    """A text in every way that it may be written somewhere."""
    plain = text.encode()
    yield from (plain, text.encode("utf-16-le"), quote(text).encode(), html.escape(text).encode())
    yield json.dumps(text)[1:-1].encode()
    yield text.encode("ascii", "xmlcharrefreplace")
    for shift in range(3):  # inside something longer, base64 depends on where it begins
        yield base64.b64encode(bytes(shift) + plain)[4 if shift else 0 : -4]


def found(canary: str, searched: dict[str, bytes]) -> list[str]:
    """Where a planted value is."""
    texts = CANARIES.get(canary, (canary,))
    forms = {form for text in texts for form in written(text)} | set(BINARY.get(canary, ()))
    return [where for where, content in searched.items() if any(form in content for form in forms)]


def test_runs_ended_as_they_were_meant_to(played: Played) -> None:
    runs = {name: (state, message) for name, (_, state, message) in played.told["runs"].items()}
    for name in ("released", "released-077", "streamed", "evaluated"):
        assert runs[name][0] == "COMPLETED", runs[name]
    assert runs["rejected"][1].startswith("TARGET_NOT_MET: ")
    codes = {name: str(runs[name][1]).partition(":")[0] for name in BAD}
    assert codes == {name: code for name, (code, _, _) in BAD.items()}


def test_every_step_was_broken(played: Played) -> None:
    broken = played.told["broken"]
    assert {name.removeprefix("sosie.tasks.") for name in broken} >= {
        "publication.read",
        "publication.check_source",
        "steps.project",
        "measuring.compare",
        "measuring.attack_avatars",
        "publication.examine",
        "publication.release",
        "publication.compare_sources",
        "streamed.encoding.encode_source",
        "streamed.making.make",
        "streamed.shuffling.write_shuffled",
    }
    for step, name in broken.items():
        _, state, message = played.told["runs"][name]
        assert state == "FAILED", step
        assert message.endswith("failed with ValueError"), step


@pytest.mark.parametrize(
    "place",
    [
        "output",
        "process ",
        "tmp/control.txt",
        "runs/control.txt",
        "prefect/storage/",
        "prefect/prefect.db",
        "database flow_run.parameters",
        "database flow_run_state.message",
        "database log.message",
        "database artifact.data",
        "database events.payload",
    ],
)
def test_the_search_finds_what_is_there(place: str, searched: dict[str, bytes]) -> None:
    assert [where for where in found(CONTROL, searched) if where.startswith(place)]


@pytest.mark.parametrize("canary", CANARIES)
def test_no_planted_value_is_where_others_may_look(canary: str, searched: dict[str, bytes]) -> None:
    assert found(canary, searched) == []


def test_planted_values_are_in_private_places(played: Played) -> None:
    private = {str(path): path.read_bytes() for path in played.folder.glob("store-*/values/*")}
    for canary in ("rare level", "number", "decimal number"):
        assert found(canary, private), canary
    seeds = {str(path): path.read_bytes() for path in played.folder.glob("runs/*/private/run.json")}
    assert len(found("seed", seeds)) == len(seeds) > 0


def test_runs_that_broke_or_were_refused_leave_a_manifest_and_nothing_else(played: Played) -> None:
    failed = [
        name for name in played.told["runs"] if name in BAD or " broken " in name or name.startswith("panic")
    ]
    assert len(failed) > len(BAD) + 24
    for name in failed:
        run_id, _, _ = played.told["runs"][name]
        assert [path.name for path in (played.folder / "runs" / run_id).iterdir()] == ["manifest.json"], name


@pytest.mark.parametrize("umask", ["000", "077"])
def test_what_is_private_is_for_its_owner_alone_whatever_the_umask(umask: str, played: Played) -> None:
    run = {"000": "released", "077": "released-077"}[umask]
    private = [played.folder / f"store-{umask}", played.folder / "runs" / run / "private"]
    kept = [path for folder in private for path in (folder, *folder.rglob("*"))]
    assert {"data-docs", "values", "run.json"} <= {path.name for path in kept}
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    for path in (played.folder / "runs" / run / "release").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o644, path
