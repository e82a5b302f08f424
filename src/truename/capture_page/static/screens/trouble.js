/** Every trouble by its name, each with its way out. */

import { html } from 'lit';
import { cameraOff, clockIcon, cloudOff, lockOpen, phone, warning } from '../icons.js';
import { t } from '../i18n.js';
import { heading } from './screen.js';

/** @typedef {import('../app.js').TruenameVerify} App */
/** @typedef {'retry' | 'phone' | 'file' | 'return'} Way */

/** kind → picture and ways out. @type {Record<string, {picture: () => import('lit').TemplateResult, ways: Way[]}>} */
export const TROUBLES = {
  link_missing: { picture: lockOpen, ways: [] },
  not_authenticated: { picture: lockOpen, ways: [] },
  transaction_expired: { picture: clockIcon, ways: ['return'] },
  transaction_cancelled: { picture: clockIcon, ways: ['return'] },
  not_here: { picture: lockOpen, ways: [] },
  handoff_code: { picture: phone, ways: [] },
  handoff_refused: { picture: phone, ways: [] },
  offline: { picture: cloudOff, ways: ['retry'] },
  unavailable: { picture: cloudOff, ways: ['retry'] },
  too_many_attempts: { picture: warning, ways: ['return'] },
  too_many_takes: { picture: warning, ways: ['return'] },
  insecure: { picture: lockOpen, ways: ['phone', 'file'] },
  refused: { picture: cameraOff, ways: ['retry', 'phone', 'file'] },
  missing: { picture: cameraOff, ways: ['phone', 'file', 'retry'] },
  busy: { picture: cameraOff, ways: ['retry', 'phone', 'file'] },
  low: { picture: cameraOff, ways: ['phone', 'file', 'retry'] },
  black: { picture: cameraOff, ways: ['retry', 'phone', 'file'] },
};

/** Which words lead back to a permission that was refused. */
export function browserFamily(agent = navigator.userAgent) {
  if (/iPhone|iPad/.test(agent)) return 'ios';
  if (/Android/.test(agent)) return /Firefox/.test(agent) ? 'android_firefox' : 'android_chrome';
  if (/Firefox/.test(agent)) return 'firefox';
  if (/Safari/.test(agent) && !/Chrome|Chromium/.test(agent)) return 'safari';
  return 'chrome';
}

/** @param {App} app @param {string} kind @param {string | null} where */
export function troubleView(app, kind, where) {
  const { picture, ways } = TROUBLES[kind] ?? { picture: warning, ways: /** @type {Way[]} */ (['retry']) };
  const known = TROUBLES[kind] ? kind : 'unknown';
  const name = app.session?.account.name ?? t('trouble.somebody');
  /** @type {Record<Way, () => unknown>} */
  const buttons = {
    retry: () => (/** @type {string} */ label) => html`<button class="button ${label}" @click=${() => app.tryAgain()}>${t('action.try_again')}</button>`,
    phone: () => app.canHandOff && ((/** @type {string} */ label) => html`<button class="button ${label}" @click=${() => app.handOff()}>${phone()}${t('action.use_phone')}</button>`),
    file: () => app.session?.file_upload && where !== 'face' && where !== null && ((/** @type {string} */ label) => html`<button class="button ${label}" @click=${() => app.useFile()}>${t('action.use_file')}</button>`),
    return: () => app.session?.return.url && ((/** @type {string} */ label) => html`<button class="button ${label}" @click=${() => app.leave('done')}>${t('action.return', { name })}</button>`),
  };
  const shown = ways.map((way) => buttons[way]()).filter(Boolean);
  return html`<section class="screen trouble" data-trouble=${kind}>
    <div class="emblem warn">${picture()}</div>
    ${heading(t(`trouble.${known}`))}
    <p class="lead">${t(`trouble.${known}_text`, { name })}</p>
    ${kind === 'refused' ? html`<ol class="steps">${t(`recover.${browserFamily()}`).split('|').map((step) => html`<li>${step}</li>`)}</ol>` : ''}
    ${shown.length ? html`<div class="actions">${shown.map((make, index) => /** @type {any} */ (make)(index === 0 ? 'primary' : 'quiet'))}</div>` : html`<p class="note">${t('trouble.ask', { name })}</p>`}
  </section>`;
}
