"""The page's words, in a browser: languages fall back, and turn the page round."""

import pytest

from tests.support.visits import Open

pytestmark = pytest.mark.browser

WORDS = """
  const { bestLanguage, useLanguage, t, direction, countryName } = await import('/verify/static/test/i18n.js');
  const best = [bestLanguage(['pt-BR']), bestLanguage(['xx', 'de_AT']), bestLanguage([null, 'zz'])];
  await useLanguage('ar');
  const arabic = [document.documentElement.dir, direction(), countryName('ES')];
  await useLanguage('de');
  const german = t('page.progress', { step: 1, count: 3 });
  return [best, arabic, document.documentElement.dir, german, t('no.such.key')];
"""


async def test_languages_fall_back_and_turn_the_page(visit: Open) -> None:
    one = await visit()
    await one.page.goto(f"{one.address}/demo")
    told = await one.page.evaluate(f"async () => {{ {WORDS} }}")
    assert told == [["pt", "de", "en"], ["rtl", "rtl", "إسبانيا"], "ltr", "Schritt 1 von 3", "no.such.key"]
