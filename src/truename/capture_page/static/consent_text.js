/**
 * The version of the words that ask for consent: `consent.*` and `decline.*` of every language.
 * Who changes those words changes this, and adds it to the versions that the service knows; a test holds the two together.
 */
export const CONSENT_TEXT_VERSION = '2026-11';
