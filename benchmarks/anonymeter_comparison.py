"""Our singling out, linkability and inference beside those of anonymeter, on the same tables.

    python -m venv ELSEWHERE
    ELSEWHERE/bin/pip install -r benchmarks/requirements-anonymeter.txt   # its numpy does not fit ours
    python benchmarks/anonymeter_comparison.py ELSEWHERE/bin/python [aids.csv]

Tables: 2,100 people generated here, or aids.csv (without its identifier and the column with gaps). A third is
anonymised, a third is the holdout; of the last third comes the rest of the planted leak, a fifth of whose rows are
copies. Avatars are shuffled, as a release is. Exit code 1 when the two 95 % intervals of a risk do not overlap in
linkability or inference, whose main and control are defined alike.

Where the two differ, and why (anonymeter 1.1.0):

- *Risk.* The interval is computed the same way. Our value is (main − control)/(1 − control) of the rates themselves,
  anonymeter's of the middles of their Wilson intervals, which lie nearer one half.
- *Targets* are drawn from each side on either part, with other draws; anonymeter's without a seed.
- *Ties.* anonymeter takes whichever row its unstable sort leaves first; here ties are broken at random. It matters
  where few columns, or few levels, leave many avatars equally near.
- *Inference, baseline.* anonymeter draws avatars at random, then aligns them with the targets by row label: targets
  whose label was not drawn are guessed as missing, and in a file that was not shuffled the others get their own
  avatar, so that the baseline knows the link. Here each target gets an avatar drawn at random.
- *Inference of a number:* within 5 % of the true value here, of the guess there (where any guess below 0 counts as
  right, the denominator keeping its sign). Gaps: ours equal each other and nothing else; anonymeter's are 1 apart
  from each other and compare with no number. So the tables here have none.
- *Singling out.* anonymeter drops repeated rows of all three tables first, divides by the conditions it was asked for
  even where it finds fewer (a lower rate: see the counts), and corrects the control for unequal sizes by a fitted
  curve. Here repeated rows are several individuals, the attempts are the conditions found, and the larger side is
  reduced. Both draw their conditions at random, so that two runs of either differ by as much as the two do.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sosie.attacks import Attack, attack, column_groups
from sosie.columns import Table, encode
from sosie.decoding import Decoding, invert
from sosie.generation import WeightLaw, draw_barycentres
from sosie.projection import fit_projection
from sosie.recognition import recognise

K, NCP = 20, 5
ATTEMPTS = 500
SECRETS = 6  # columns with the most values, of either kind
Figures = dict[str, dict[str, Any]]


def main() -> int:
    """Both sides of each table, printed; 1 when they disagree."""
    arguments = argparse.ArgumentParser(description="our attacks beside anonymeter's")
    arguments.add_argument("python", type=Path, help="the interpreter of an environment with anonymeter")
    arguments.add_argument("aids", type=Path, nargs="?", help="aids.csv in place of a generated table")
    asked = arguments.parse_args()
    people = generated(2_100) if asked.aids is None else aids(asked.aids)
    working, holdout, rest = (people.iloc[part::3].reset_index(drop=True) for part in range(3))
    fifth = len(working) // 5
    agreed = True
    for name, avatars in {
        "avatars, weights as published": anonymised(working, "published"),
        "avatars, gaussian weights": anonymised(working, "gaussian"),
        "a fifth copied, the rest strangers": pd.concat([working[:fifth], rest[fifth:]]).sample(
            frac=1, random_state=1
        ),
    }.items():
        print(f"\n{name}: {len(working)} working, {len(avatars)} avatars, {len(holdout)} holdout")
        agreed &= compared(working, avatars, holdout, asked.python)
    return 0 if agreed else 1


def generated(n: int) -> pd.DataFrame:
    """People with numbers and categories that depend on each other, without gaps."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, n)
    kg = (60 + age / 4 + rng.normal(0, 9, n)).round(1)
    return pd.DataFrame(
        {
            "age": age,
            "kg": kg,
            "dose": (kg / 10 + rng.exponential(5, n)).round(2),
            "stay": rng.poisson(age / 10),
            "ward": rng.choice(["north", "south", "east"], n, p=[0.6, 0.3, 0.1]),
            "stage": np.where(
                rng.random(n) < age / 120, "late", np.where(rng.random(n) < 0.5, "early", "mid")
            ),
            "smoker": np.where(rng.random(n) < 0.3, "yes", "no"),
        }
    )


def aids(path: Path) -> pd.DataFrame:
    """The published table: columns of at most 10 distinct values are categories."""
    table = pd.read_csv(path, sep=";").drop(columns=["pidnum", "cd496"]).sample(frac=1, random_state=0)
    few = [name for name in table if table[name].nunique() <= 10]
    return table.assign(**{name: "level " + table[name].astype(str) for name in few}).reset_index(drop=True)


def anonymised(working: pd.DataFrame, weights: WeightLaw) -> pd.DataFrame:
    """Avatars of every working row, which never saw the holdout."""
    table = encode(working, recognise(working, {}).columns)
    coordinates = fit_projection(table, NCP).coordinates(table)
    barycentres = draw_barycentres(coordinates, [np.arange(len(table))], K, weights, "floor", 1)
    avatars = invert(table, barycentres, Decoding(), 1).to_frame()
    return avatars.sample(frac=1, random_state=1).reset_index(drop=True)


def compared(working: pd.DataFrame, avatars: pd.DataFrame, holdout: pd.DataFrame, python: Path) -> bool:
    """Both sides printed; whether their intervals overlap wherever the definitions agree."""
    secrets = sorted(working, key=lambda name: -working[name].nunique())
    secrets = [*secrets[: SECRETS // 2], *secrets[-SECRETS // 2 :]]
    everybody = pd.concat([working, avatars, holdout], ignore_index=True)
    columns = recognise(everybody, {}).columns
    tables = [encode(frame, columns) for frame in (working, avatars, holdout)]
    mine = ours(tables, secrets)
    theirs = anonymeters((working, avatars, holdout), column_groups(tables[1]), secrets, python)
    agreed = True
    print(f"{'attack':<28}{'main':>16}{'control':>16}{'baseline':>16}   risk")
    for name, figures in mine.items():
        other = theirs[name]
        overlap = figures["risk"][1] <= other["risk"][2] and other["risk"][1] <= figures["risk"][2]
        print(line(name, figures), line("  anonymeter" + ("" if overlap else " (apart)"), other), sep="\n")
        agreed &= overlap or name.startswith("singling out")
    return agreed


def ours(tables: list[Table], secrets: list[str]) -> Figures:
    """Our figures, in anonymeter's terms."""
    working, avatars, holdout = tables
    projection = fit_projection(working, NCP)
    found = attack(
        working,
        avatars,
        holdout,
        projection,
        "approximate",  # anonymeter has no membership attack
        np.random.default_rng(0),
        secrets=secrets,
        attempts=ATTEMPTS,
    )
    attacks = {
        "singling out, univariate": found.singling_out_univariate,
        "singling out, multivariate": found.singling_out_multivariate,
        "linkability": found.linkability,
        **{f"inference, {name}": one for name, one in getattr(found.inference, "by_secret", ())},
    }
    return {name: figures_of(one) for name, one in attacks.items() if isinstance(one, Attack)}


def figures_of(found: Attack) -> dict[str, Any]:
    """Counts and risk of one of our attacks."""
    rates = {"main": found.main, "control": found.control, "baseline": found.baseline}
    counts = {name: (rate.successes, rate.attempts) for name, rate in rates.items()}
    return {**counts, "risk": (found.risk.value, found.risk.low, found.risk.high)}


def anonymeters(frames: tuple[pd.DataFrame, ...], groups: Any, secrets: list[str], python: Path) -> Figures:
    """The figures of anonymeter, from its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in zip(("working", "avatars", "holdout"), frames, strict=True):
            frame.to_csv(Path(folder) / f"{name}.csv", index=False)
        plan = {"attempts": ATTEMPTS, "groups": groups, "secrets": secrets}
        (Path(folder) / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        script = Path(__file__).with_name("anonymeter_figures.py")
        run = subprocess.run([python, script, folder], stdout=subprocess.PIPE, check=True)
    found: Figures = json.loads(run.stdout)
    return found


def line(name: str, figures: dict[str, Any]) -> str:
    """One attack's figures."""
    counts = [f"{figures[side][0]:.0f}/{figures[side][1]}" for side in ("main", "control", "baseline")]
    value, low, high = figures["risk"]
    return (
        f"{name:<28}"
        + "".join(f"{count:>16}" for count in counts)
        + f"   {value:.3f} [{low:.3f}, {high:.3f}]"
    )


if __name__ == "__main__":
    sys.exit(main())
