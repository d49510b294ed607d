"""`sosie serve`: the flows on a Prefect server that runs elsewhere, executed here."""

from pathlib import Path

from pydantic import ValidationError

from sosie.cli.start import refuse_telemetry
from sosie.errors import InputError
from sosie.schemas.configuration import read_configuration


def serve(limit: int, config: Path | None, cron: str | None, timezone: str) -> None:
    """Serve until interrupted; InputError `BAD_CONFIG` when no server is configured, or a schedule cannot be kept."""
    if cron is not None and (config is None or read_configuration(config).get("source") is None):
        raise InputError("BAD_CONFIG", "--cron needs --config with a configuration that names its source")
    refuse_telemetry()
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        raise InputError(
            "BAD_CONFIG",
            "no Prefect server is configured: run `prefect server start`, and then here "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`",
        )
    from sosie.flows.serving import serve_flows

    try:
        serve_flows(limit, None if config is None else str(config), cron, timezone)
    except ValidationError:
        raise InputError("BAD_CONFIG", "--cron or --timezone is none: see --help for an example") from None
