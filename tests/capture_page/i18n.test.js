/** Words that depend on a number. Run by `node --test`. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { days, LANGUAGES, t, useLanguage } from '../../src/truename/capture_page/static/i18n.js';

/** The page's own files in place of a network, and a document that takes a language. */
function aPage() {
  globalThis.fetch = async (url) => new Response(readFileSync(new URL(url), 'utf8'));
  globalThis.document = { documentElement: {} };
}

test('pictures that are kept for one day are not kept for "1 days"', async () => {
  aPage();
  const one = { en: '1 day', es: '1 día', pt: '1 dia', fr: '1 jour', de: '1 Tag', ar: 'يوم' };
  for (const code of Object.keys(LANGUAGES)) {
    await useLanguage(code);
    const text = t('consent.kept_days', { name: 'Shop', days: days(1) }).replaceAll('\u00a0', ' ');
    assert.match(text, new RegExp(`${one[code]}(?!\\p{L})`, 'u'), `${code}: ${text}`);
  }
  await useLanguage('de');
  assert.match(t('consent.kept_days', { name: 'Laden', days: days(30) }), / 30 Tage verschlüsselt /);
});
