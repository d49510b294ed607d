"""Our coordinates against the exact fit of saiph, another FAMD, on mixed tables that scikit-learn ships.

    pip install -r benchmarks/requirements.txt
    python benchmarks/saiph_projection.py

saiph is exact only when all components are asked (below 80 % of them it takes a randomised decomposition), so all are,
and the first five are compared, up to sign. Exit code 1 when a coordinate differs by more than 1e-8.
"""

import sys

import numpy as np
import pandas as pd
import saiph
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from sosie.columns import encode
from sosie.projection import fit_projection
from sosie.recognition import recognise

NCP = 5
TOLERANCE = 1e-8


def tables() -> dict[str, pd.DataFrame]:
    """Numbers and text: the class as a name, and where there is one, another category."""
    mixed = {}
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        loaded = load(as_frame=True)
        mixed[name] = loaded.frame.assign(target=np.asarray(loaded.target_names, dtype=object)[loaded.target])
    diabetes = load_diabetes(as_frame=True, scaled=False).frame
    mixed["diabetes"] = diabetes.assign(
        sex=diabetes["sex"].map({1.0: "one", 2.0: "two"}),
        target=pd.qcut(diabetes["target"], 4, labels=["low", "fair", "high", "highest"]).astype(str),
    )
    return mixed


def difference(table: pd.DataFrame) -> float:
    """The largest difference between any coordinate of ours and of saiph, signs aside."""
    encoded = encode(table, recognise(table, {}).columns)
    ours = fit_projection(encoded, NCP).coordinates(encoded)
    with np.errstate(all="ignore"):
        theirs = saiph.transform(table, saiph.fit(table, nf=None)).to_numpy()[:, :NCP]
    signs = np.sign((ours * theirs).sum(axis=0))
    return float(np.abs(ours - theirs * signs).max())


def main() -> int:
    """Print each table's largest difference."""
    found = {name: difference(table) for name, table in tables().items()}
    for name, largest in found.items():
        print(f"{name:<14} largest difference of a coordinate: {largest:.1e}")
    return 0 if max(found.values()) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
