"""`sosie serve`: the flows on a Prefect server that runs elsewhere, executed here."""

import os

from sosie.errors import InputError


def serve(limit: int) -> None:
    """Serve until interrupted; InputError `BAD_CONFIG` when no server is configured."""
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        raise InputError(
            "BAD_CONFIG",
            "no Prefect server is configured: run `prefect server start`, and then here "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`",
        )
    from sosie.flows.serving import serve_flows

    serve_flows(limit)
