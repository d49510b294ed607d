"""A detached signature of the manifest, made and checked by GnuPG.

GnuPG because an auditor has it: every Linux distribution ships it and checks its own packages with it, keys may lie on
a smart card, expire and be revoked, and `gpg --verify` needs nothing of ours.
"""

import subprocess
from pathlib import Path

from sosie.errors import InputError
from sosie.schemas.verification import Signature

SIGNATURE = "manifest.json.asc"
_STATES = {  # GnuPG's doc/DETAILS, "General status codes"
    "GOODSIG": "good",
    "BADSIG": "bad",
    "EXPSIG": "expired",
    "EXPKEYSIG": "expired key",
    "REVKEYSIG": "revoked key",
    "ERRSIG": "unknown key",
}


def check_key(key: str) -> None:
    """Raise InputError BAD_CONFIG unless GnuPG holds the secret key of this fingerprint, key ID or address."""
    if _gpg("--list-secret-keys", "--", key).returncode:
        raise InputError(
            "BAD_CONFIG",
            "GnuPG holds no secret key for the signature's key: gpg --list-secret-keys shows those it holds",
        )


def sign(manifest: Path, key: str) -> Path:
    """Write the signature of a manifest beside it and return where; InputError BAD_CONFIG when GnuPG does not sign."""
    path = manifest.with_name(SIGNATURE)
    temporary = path.with_name(f".{SIGNATURE}")
    temporary.unlink(missing_ok=True)
    said = _gpg(
        "--armor", "--local-user", key, "--output", str(temporary), "--detach-sign", "--", str(manifest)
    )
    if said.returncode or not temporary.exists():
        temporary.unlink(missing_ok=True)
        raise InputError(
            "BAD_CONFIG",
            "GnuPG did not sign the manifest: try gpg --local-user KEY --armor --detach-sign on any file; a key with a "
            "passphrase needs its agent to have been asked before",
        )
    temporary.chmod(manifest.stat().st_mode & 0o777)
    temporary.replace(path)
    return path


def read_signature(manifest: Path) -> Signature:
    """What GnuPG says of the signature beside a manifest, with the public keys that it knows."""
    path = manifest.with_name(SIGNATURE)
    if not path.exists():
        return Signature(state="none")
    said = _gpg("--status-fd", "1", "--verify", "--", str(path), str(manifest))
    words = [line.split()[1:] for line in said.stdout.splitlines() if line.startswith("[GNUPG:]")]
    states = [_STATES[each[0]] for each in words if each[0] in _STATES]
    valid = next((each for each in words if each[0] == "VALIDSIG"), None)
    named = next((each for each in words if each[0] in _STATES and len(each) > 2), None)
    good = states == ["good"] and valid is not None and said.returncode == 0
    state = "good" if good else next((each for each in states if each != "good"), "bad")
    return Signature.model_validate(
        {
            "state": state,
            # the primary key's, which people know; of an unknown key only its ID is told
            "key": (valid[-1] if valid else named[1] if named else None),
            "name": " ".join(named[2:]) if good and named else None,
        }
    )


def _gpg(*words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(  # noqa: S603 no shell, and what varies are paths and a key
            ["gpg", "--batch", "--no-tty", *words],  # noqa: S607 as the user's own path finds it
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=120,
        )
    except (FileNotFoundError, PermissionError):
        raise InputError(
            "BAD_CONFIG", "signatures need GnuPG's program gpg, which is not installed: apt-get install gnupg"
        ) from None
    except subprocess.TimeoutExpired:
        raise InputError(
            "BAD_CONFIG", "GnuPG did not answer within 2 minutes: does its agent wait for a passphrase?"
        ) from None
