"""Passwords of databases, from Prefect's Secret blocks: handed over in memory, kept nowhere."""

from sosie.errors import InputError


def password_in(block: str | None) -> str | None:
    """The text in the Prefect Secret block of this name; None without a name.

    Raises InputError BAD_CONFIG when Prefect has no such block, or when it holds no text.
    """
    if block is None:
        return None
    # with the server's client behind it, for those runs only that need it
    from prefect.blocks.system import Secret

    try:
        # `_sync` is Prefect's own, and unknown to its types
        value = Secret.load(block, _sync=True).get()  # type: ignore[call-arg, union-attr]
    except Exception as error:  # whatever the API answers; its text may name hosts
        raise InputError(
            "BAD_CONFIG",
            f"the Prefect Secret block {block!r} cannot be loaded ({type(error).__name__}): create it under Blocks in "
            "Prefect's UI",
        ) from None
    if not isinstance(value, str):
        raise InputError(
            "BAD_CONFIG", f"the Prefect Secret block {block!r} holds no text: store the password alone"
        )
    return value
