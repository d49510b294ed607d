"""Writes hospital.csv, made-up patients with what real tables hold: identifiers, dates, codes, formulas and gaps."""

import numpy as np
import pandas as pd

rng = np.random.default_rng(20)
n = 800
born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 28_000, n), "D")
admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
height = rng.normal(170, 9, n).round()
weight = (height - 100 + rng.normal(0, 11, n)).clip(38).round(1)
income = rng.lognormal(7.6, 0.4, n).round(-1)
patients = pd.DataFrame(
    {
        "record": [f"P{number:06d}" for number in rng.choice(1_000_000, n, replace=False)],
        "born": born.strftime("%d/%m/%Y"),
        "ward": rng.choice(["surgery", "medicine", "cardiology", "burns"], n, p=[0.4, 0.38, 0.215, 0.005]),
        "stage": rng.choice([1, 2, 3], n, p=[0.5, 0.3, 0.2]),
        "admitted": admitted.strftime("%Y-%m-%d"),
        "discharged": (admitted + pd.to_timedelta(rng.poisson(6, n) + 1, "D")).strftime("%Y-%m-%d"),
        "height_cm": height,
        "weight_kg": weight,
        "bmi": (weight / (height / 100) ** 2).round(1),
        "income": np.where(rng.random(n) < 0.08, -7, income),
        "smoker": np.where(rng.random(n) < 0.1, None, rng.choice(["yes", "no"], n, p=[0.3, 0.7])),
    }
)
patients.to_csv("hospital.csv", index=False)
