/** What stands around every screen: progress, the time that is left, the choice of language. */

import { html } from 'lit';
import { clock, LANGUAGES, t } from './i18n.js';
import { globe, shield } from './icons.js';

/** @param {{at: number, count: number} | null} place */
function progressView(place) {
  if (!place) return html`<div class="progress"></div>`;
  const label = t('page.progress', { step: Math.min(place.at + 1, place.count), count: place.count });
  const parts = Array.from({ length: place.count }, (_, index) => (index < place.at ? 'passed' : index === place.at ? 'current' : ''));
  return html`<div class="progress" role="img" aria-label=${label}>${parts.map((state) => html`<span class=${state}></span>`)}</div>`;
}

/**
 * @param {{place: {at: number, count: number} | null, test: boolean, left: number | null, language: string, spoken: string, view: unknown, onLanguage: (code: string) => void}} shown
 *   `test`: the account is a sandbox; `left` is seconds until the link expires, once it is soon; `spoken` is for screen readers
 */
export const frameView = ({ place, test, left, language, spoken, view, onLanguage }) => html`<div class="frame">
    <header class="top">${test ? html`<p class="test-mode">${t('page.test_mode')}</p>` : ''}${progressView(place)}
      ${left === null ? '' : html`<p class="expiry" role="timer">${t('page.expires', { time: clock(left) })}</p>`}</header>
    <main id="content">${view}</main>
    <footer class="bottom">
      <label class="language">${globe()}<span class="only-spoken">${t('page.language')}</span>
        <select @change=${(/** @type {Event} */ event) => onLanguage(/** @type {HTMLSelectElement} */ (event.target).value)}>
          ${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`)}</select></label>
      <span class="brand">${shield()}Truename</span>
    </footer>
  </div>
  <div class="only-spoken" aria-live="polite" role="status">${spoken}</div>`;
