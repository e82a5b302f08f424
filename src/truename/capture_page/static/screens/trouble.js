/** Every trouble by its name, each with its way out. */

import { html } from 'lit';
import { cameraOff, clockIcon, cloudOff, lockOpen, phone, warning } from '../icons.js';
import { language, t } from '../i18n.js';
import { heading } from './screen.js';

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
  incomplete: { picture: cloudOff, ways: ['retry', 'return'] },
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

/** A sentence may begin with a name that is not known. @param {string} text */
const capitalised = (text) => text.charAt(0).toLocaleUpperCase(language()) + text.slice(1);

/**
 * @param {{kind: string, name: string, on: Partial<Record<Way, () => unknown>>}} shown `on` holds the ways that are open here, and what each does
 */
export function troubleView({ kind, name, on }) {
  const { picture, ways } = TROUBLES[kind] ?? { picture: warning, ways: /** @type {Way[]} */ (['retry']) };
  const known = TROUBLES[kind] ? kind : 'unknown';
  const who = name || t('trouble.somebody');
  /** @type {Record<Way, unknown>} */
  const labels = { retry: t('action.try_again'), phone: html`${phone()}${t('action.use_phone')}`, file: t('action.use_file'), return: t('action.return', { name: who }) };
  const open = ways.filter((way) => on[way]);
  return html`<section class="screen trouble" data-trouble=${kind}>
    <div class="emblem warn">${picture()}</div>
    ${heading(t(`trouble.${known}`))}
    <p class="lead">${capitalised(t(`trouble.${known}_text`, { name: who }))}</p>
    ${kind === 'refused' ? html`<ol class="steps">${t(`recover.${browserFamily()}`).split('|').map((step) => html`<li>${step}</li>`)}</ol>` : ''}
    ${open.length ? html`<div class="actions">${open.map((way, index) => html`<button class="button ${index === 0 ? 'primary' : 'quiet'}" @click=${on[way]}>${labels[way]}</button>`)}</div>` : html`<p class="note">${t('trouble.ask', { name: who })}</p>`}
  </section>`;
}
