"""(module, for an environment of its own) anonymeter's figures for three tables, as JSON on standard output.

    python anonymeter_figures.py FOLDER

FOLDER holds working.csv, avatars.csv, holdout.csv and plan.json: {"attempts", "groups", "secrets"}. Written out: for
each attack its successes and attempts (main, control, baseline) and the risk with its 95 % interval.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator


def main() -> None:
    """Every attack of the plan."""
    folder = Path(sys.argv[1])
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    tables = {
        theirs: pd.read_csv(folder / f"{ours}.csv")
        for theirs, ours in (("ori", "working"), ("syn", "avatars"), ("control", "holdout"))
    }
    found = {}
    for mode in ("univariate", "multivariate"):
        singling_out = SinglingOutEvaluator(
            **tables, n_attacks=plan["attempts"], n_cols=3, max_attempts=40 * plan["attempts"], seed=0
        )
        singling_out.evaluate(mode=mode)
        found[f"singling out, {mode}"] = figures(singling_out)
    linkability = LinkabilityEvaluator(
        **tables, aux_cols=tuple(plan["groups"]), n_attacks=plan["attempts"], n_neighbors=1
    )
    linkability.evaluate(n_jobs=2)
    found["linkability"] = figures(linkability)
    for secret in plan["secrets"]:
        inference = InferenceEvaluator(
            **tables,
            aux_cols=[column for column in tables["ori"].columns if column != secret],
            secret=secret,
            regression=pd.api.types.is_numeric_dtype(tables["ori"][secret]),
            n_attacks=plan["attempts"],
        )
        inference.evaluate(n_jobs=2)
        found[f"inference, {secret}"] = figures(inference)
    json.dump(found, sys.stdout)


def figures(evaluator: Any) -> dict[str, Any]:
    """Counts and risk of an attack that was evaluated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # attacks as good as their baseline are shown as such
        results = evaluator.results()
        risk = results.risk()
    return {
        "main": (int(results.n_success), results.n_attacks_ori),
        "control": (float(results.n_control), results.n_attacks_control),
        "baseline": (int(results.n_baseline), results.n_attacks_baseline),
        "risk": (risk.value, *risk.ci),
    }


if __name__ == "__main__":
    main()
