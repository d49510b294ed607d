"""The demonstration's table: scikit-learn's breast cancer data."""

from pathlib import Path

from sosie.errors import InputError


def write_table(out: Path) -> Path:
    """Write the table as `breast_cancer.csv` (569 patients, 30 measurements, a diagnosis) and return its path.

    Wolberg et al., *Breast Cancer Wisconsin (Diagnostic)*, UCI Machine Learning Repository, as scikit-learn ships it.
    Raises InputError `BAD_CONFIG` when the folder cannot be made.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    frame = bunch.data.assign(diagnosis=bunch.target.map(dict(enumerate(bunch.target_names))))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise InputError("BAD_CONFIG", f"the folder {out} cannot be made: check --out") from None
    path = out / "breast_cancer.csv"
    frame.to_csv(path, index=False)
    return path
