"""A figure or its reason, as a `Metric`."""

from sosie.estimates import Metric, NotComputed


def metric_of(figure: float | NotComputed, reference: float | NotComputed) -> Metric:
    """The figure as a `Metric`, beside its reference where that could be computed."""
    known = None if isinstance(reference, NotComputed) else reference
    if isinstance(figure, NotComputed):
        return Metric(None, reference=known, status="not computed", reason=figure.reason)
    return Metric(figure, reference=known)
