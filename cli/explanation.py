"""What a code stands for, told in a terminal."""

from sosie.codes import CODES
from sosie.errors import InputError


def explain_code(code: str) -> None:
    """Print the cause and the remedy of a code; InputError `BAD_CONFIG` when there is none of this name."""
    wanted = code.upper().replace("-", "_")
    if wanted not in CODES:
        raise InputError(
            "BAD_CONFIG", f"there is no code of this name: the codes are {', '.join(sorted(CODES))}"
        )
    found = CODES[wanted]
    print(f"{found.kind}[{wanted}]")
    print(f"Cause:  {found.cause}")
    print(f"Remedy: {found.remedy}")


def list_codes() -> None:
    """Print every code, errors first, with what causes it."""
    for kind in ("error", "warning"):
        for name, code in sorted(CODES.items()):
            if code.kind == kind:
                print(f"{kind}[{name}]: {code.cause}")
