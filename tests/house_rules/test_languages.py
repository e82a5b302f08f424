"""Can an account choose every language that the capture page speaks, and no other?"""

from pathlib import Path
from typing import get_args

from truename.accounts.model import AccountSettings

LOCALES = Path(__file__).parents[2] / "src" / "truename" / "capture_page" / "static" / "locales"


def test_an_account_can_set_every_language_of_the_page_and_no_other():
    literal, nothing = get_args(AccountSettings.model_fields["language"].annotation)
    assert set(get_args(literal)) == {path.stem for path in LOCALES.glob("*.json")}
    assert nothing is type(None)
