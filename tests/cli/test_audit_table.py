"""What `truename audit show` prints on a narrow terminal, or into a file, is whole."""

import io
import uuid
from datetime import UTC, datetime

import pytest
from rich.console import Console
from typer import Exit

from truename.audit.model import Action, Line
from truename.cli.audit import _moment, table_of
from truename.cli.exit_codes import ExitCode


def test_a_narrow_table_folds_and_cuts_nothing_off() -> None:
    client, account, customer = f"client:client_{'7' * 24}", uuid.uuid4(), uuid.uuid4()
    action = Action.CUSTOMER_STATUS_CHANGED
    at = datetime(2026, 11, 15, tzinfo=UTC)
    line = Line(uuid.uuid4(), account, 1, at, client, action, f"customer:{customer}", {"to": "BLOCKED"}, None, b"")
    out = io.StringIO()
    Console(file=out, width=80).print(table_of([(line, None)]))
    rows = [row.split("│")[1:-1] for row in out.getvalue().splitlines() if row.startswith("│")]
    cells = ["".join(part.strip() for part in column) for column in zip(*rows, strict=True)]
    assert cells[1:] == [client, action.value, f"customer:{customer}", "to=BLOCKED"]


@pytest.mark.parametrize("age", ["99999999d", "9999999999999999h", f"{'9' * 5000}m", "800000d", "yesterday", ""])
def test_an_age_that_no_date_has_is_refused_in_words(age: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exit) as refused:
        _moment(age)
    assert refused.value.exit_code == ExitCode.USAGE
    assert f"--since {age}: give a time such as" in capsys.readouterr().err
