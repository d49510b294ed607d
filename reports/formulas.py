r"""The formula of each figure, in symbols that need no language.

x individuals of the working half, y avatars (y_i that of x_i), h holdout rows; d distance in the projection, d1 and
d2 the closest and second closest; H Hellinger distance; W weights of the k
neighbours; v, w columns; m a model; h′ other rows of the holdout.
"""

from collections.abc import Mapping

_RISK = "max(0, (main − control) / (1 − control))"
_AUC = "P(s(x) > s(h)) + ½ P(s(x) = s(h))"

FORMULAS: Mapping[str, str] = {
    "local_cloaking": "median_i #{ j ≠ i : d(x_i, y_j) ≤ d(x_i, y_i) }",
    "local_cloaking_zero_share": "100 · mean_i [ c_i = 0 ],  c_i = #{ j ≠ i : d(x_i, y_j) ≤ d(x_i, y_i) }",
    "local_cloaking_isolated": "median_i c_i,  i : d1(x_i, x) ≥ P97.5",
    "hidden_rate": "100 · (1 − mean_i [ i ∈ M_i ] / #M_i),  M_i = argmin_j d(x_i, y_j)",
    "hidden_rate_worst": "100 · (1 − mean_i [ i ∈ M_i ]),  M_i = argmin_j d(x_i, y_j)",
    "closest_distances_ratio_median": "100 · median (d1/d2)(x, y) / median (d1/d2)(x, h)",
    "closest_distances_ratio_outlier": "100 · P2.5 (d1/d2)(x, y) / P2.5 (d1/d2)(x, h)",
    "distance_to_closest_median": "100 · median d1(x, y) / median d1(x, h)",
    "distance_to_closest_outlier": "100 · P2.5 d1(x, y) / P2.5 d1(x, h)",
    "row_direct_match": "100 · #{ y_j ∈ { x_i } } / n",
    "row_direct_match_own": "100 · #{ y_i = x_i } / n",
    "hellinger_mean": "mean_v 100 · (1 − √max(0, H(y, h)² − H(x, h)²))",
    "hellinger_std": "sd_v 100 · (1 − √max(0, H(y, h)² − H(x, h)²))",
    "hellinger_worst": "min_v 100 · (1 − √max(0, H(y, h)² − H(x, h)²))",
    "singling_out_univariate": _RISK,
    "singling_out_multivariate": _RISK,
    "linkability": _RISK,
    "inference": f"{_RISK},  v = argmin_v p_v",
    "membership_auc": f"{_AUC},  s = − d1(·, y)",
    "membership_found_at_1": "P(s(x) > t),  t : P(s(h) > t) ≤ 1 %",
    "membership_found_at_01": "P(s(x) > t),  t : P(s(h) > t) ≤ 0.1 %",
    "membership_auc_isolated": f"{_AUC},  x, h : d1 ≥ P97.5",
    "membership_raw_auc": f"{_AUC},  s = − d1(·, y) (Gower)",
    "membership_raw_found_at_1": "P(s(x) > t),  t : P(s(h) > t) ≤ 1 %",
    "membership_raw_found_at_01": "P(s(x) > t),  t : P(s(h) > t) ≤ 0.1 %",
    "membership_raw_auc_isolated": f"{_AUC},  x, h : d1 ≥ P97.5",
    "membership_density_auc": f"{_AUC},  s = ln d1(·, h′) − ln d1(·, y)",
    "membership_density_found_at_1": "P(s(x) > t),  t : P(s(h) > t) ≤ 1 %",
    "membership_density_found_at_01": "P(s(x) > t),  t : P(s(h) > t) ≤ 0.1 %",
    "membership_density_auc_isolated": f"{_AUC},  x, h : d1 ≥ P97.5",
    "heaviest_weight_median": "median_i max_j W_ij",
    "heaviest_weight_p95": "P95_i max_j W_ij",
    "effective_neighbours_median": "median_i 1 / Σ_j W_ij²",
    "range_coverage_mean": "mean_v 100 · |[P1(x), P99(x)] ∩ [min(y), max(y)]| / (P99(x) − P1(x))",
    "sd_ratio_mean": "mean_v sd(y) / sd(x)",
    "level_coverage_mean": "mean_v 100 · #{ i : ∃ j, y_j = x_i } / n",
    "association_difference_mean": "mean_vw |a_vw(y) − a_vw(x)|,  a = r, η, V",
    "association_difference_max": "max_vw |a_vw(y) − a_vw(x)|,  a = r, η, V",
    "principal_space_agreement": "Σ cos²θ / ncp",
    "discriminator_auc": "P(m(y) > m(h)) + ½ P(m(y) = m(h))",
    "learning_score": "P(m(h₁) > m(h₀)) + ½ P(m(h₁) = m(h₀)),  mean_l P(m(h) = l | l),  R²(m, h)",
}
