/** Words in the person's language, from the JSON files in locales/. */

import { Problem } from './errors.js';
import { ANSWERED_WITHIN, within } from './within.js';

/** Each language in its own name. @type {Readonly<Record<string, string>>} */
export const LANGUAGES = { en: 'English', es: 'Español', pt: 'Português', fr: 'Français', de: 'Deutsch', ar: 'العربية' };
const RIGHT_TO_LEFT = new Set(['ar']);

/** @type {Record<string, string>} */
let words = {};
let current = 'en';

/**
 * Our best language for a list of wishes, most wanted first.
 * @param {readonly (string | null | undefined)[]} wishes
 */
export function bestLanguage(wishes) {
  for (const wish of wishes) {
    const code = (wish ?? '').toLowerCase().split(/[-_]/)[0];
    if (code && Object.hasOwn(LANGUAGES, code)) return code;
  }
  return 'en';
}

/** Load a language and turn the page to its direction; nothing changes when its words do not come, which is a Problem. @param {string} code */
export async function useLanguage(code) {
  try {
    words = await within(ANSWERED_WITHIN, async (signal) => {
      const answer = await fetch(new URL(`./locales/${bestLanguage([code])}.json`, import.meta.url), { signal });
      if (!answer.ok) throw new Error(`no words for ${code}`);
      return answer.json();
    });
  } catch {
    throw new Problem('offline');
  }
  current = bestLanguage([code]);
  document.documentElement.lang = current;
  document.documentElement.dir = direction();
}

export const language = () => current;
export const direction = () => (RIGHT_TO_LEFT.has(current) ? 'rtl' : 'ltr');

/**
 * The words for a key, with {names} filled in. A missing key is shown as it is, so that it is noticed.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Is there a text for this key? @param {string} key */
export const knows = (key) => Object.hasOwn(words, key);

/** A country's name in the current language. @param {string} code */
export function countryName(code) {
  try {
    return new Intl.DisplayNames([current], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** @param {string} type */
export const documentName = (type) => t(`type.${type}`);

/** Seconds as m:ss in the current language's digits. @param {number} seconds */
export function clock(seconds) {
  const left = Math.max(0, Math.floor(seconds));
  const number = new Intl.NumberFormat(current, { minimumIntegerDigits: 2 });
  return `${new Intl.NumberFormat(current).format(Math.floor(left / 60))}:${number.format(left % 60)}`;
}
