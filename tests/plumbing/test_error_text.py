"""Do errors bring values of people into the log?"""

import psycopg
import pytest
from pydantic import BaseModel, ValidationError

from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.error_text import error_text, traceback_text

CANARY = "canary4711"


class Fact(BaseModel):
    born: int


def raised(work) -> BaseException:
    try:
        work()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_a_database_that_quotes_the_row_is_not_quoted(postgres):
    def twice() -> None:
        with psycopg.connect(postgres) as connection:
            connection.execute("CREATE TEMPORARY TABLE people (name text PRIMARY KEY)")
            connection.execute("INSERT INTO people VALUES (%s)", (CANARY,))
            connection.execute("INSERT INTO people VALUES (%s)", (CANARY,))

    error = raised(twice)
    assert CANARY in str(error), "the library was expected to quote"
    assert CANARY not in traceback_text(error)
    assert "people_pkey" in error_text(error)
    assert "23505" in error_text(error)


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (lambda: Fact.model_validate({"born": CANARY}), "ValidationError"),
        (lambda: {"": 0}[CANARY], "KeyError"),
        (lambda: int(CANARY), "ValueError"),
        (lambda: open(f"/nowhere/{CANARY}"), "FileNotFoundError"),  # noqa: PTH123, SIM115
    ],
)
def test_of_a_librarys_error_only_the_kind_is_kept(work, kind):
    error = raised(work)
    assert CANARY in str(error) or isinstance(error, ValidationError)
    assert CANARY not in traceback_text(error)
    assert kind in traceback_text(error)
    assert __name__.rpartition(".")[2] in traceback_text(error), "the lines of code are there"


def test_our_own_errors_are_told_with_what_caused_them():
    def fails() -> None:
        try:
            int(CANARY)
        except ValueError as error:
            raise CannotOpen("The place does not open.") from error

    written = traceback_text(raised(fails))
    assert "The place does not open." in written
    assert "ValueError" in written
    assert CANARY not in written
