"""Is it said which country was probably meant, and without going through all of them each time?"""

import pytest

from truename.rules import countries
from truename.rules.countries import COUNTRIES, country_meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [(" es ", "ES"), ("esp", "ES"), ("Spain", "ES"), ("UK", "GB"), ("el", "GR"), ("Türkiye", "TR"), ("xx", None)],
)
def test_a_country_is_recognised_by_its_codes_and_its_name(said: str, meant: str | None) -> None:
    assert country_meant(said) == meant


def test_every_country_is_recognised_by_all_that_it_is_called() -> None:
    for code, country in COUNTRIES.items():
        assert {country_meant(code), country_meant(country.alpha_3), country_meant(country.name)} == {code}


def test_no_table_is_made_for_a_word_that_is_no_country(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body names thousands: 0.6 s of the event loop for one of 64 kB, when each had all names folded anew."""

    class Watched(dict[str, countries.Country]):
        walks = 0

        def items(self):
            Watched.walks += 1
            return super().items()

    monkeypatch.setattr(countries, "COUNTRIES", Watched(COUNTRIES))
    for _ in range(10):
        assert country_meant("xx") is None
    assert Watched.walks == 0
