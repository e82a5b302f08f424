"""What may be written into a log about an error: where it happened and of which kind, never a value.

Libraries quote what they were given: a database's complaint holds the row, a validator's the input. Of their errors
only the kind is kept, and the database's own code and first line (which name the constraint, not the values). Our own
errors are written by us and say nothing personal.
"""

import traceback

from psycopg import Error as DatabaseFault


def error_text(error: BaseException) -> str:
    """One line."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    if isinstance(error, DatabaseFault):
        said = error.diag.message_primary if error.diag.constraint_name else None
        return " ".join(part for part in (f"{kind}({error.sqlstate or ''})", said) if part)
    if kind.startswith("truename."):
        return f"{kind}: {error}"
    if isinstance(error, OSError) and error.strerror:
        return f"{kind}: {error.strerror}"
    return kind


def traceback_text(error: BaseException) -> str:
    """The lines of code that led to the error and to those before it, and what may be said of each."""
    written: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        written.insert(0, "".join(traceback.format_tb(current.__traceback__)) + error_text(current) + "\n")
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\nthen:\n".join(written)
