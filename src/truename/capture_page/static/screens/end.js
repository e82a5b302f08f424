/** The short screens around the capture: loading, submitting, declined, done. */

import { html } from 'lit';
import { t } from '../i18n.js';
import { doneDrawing, shield } from '../icons.js';
import { heading, sendingView } from './screen.js';

/** @import { Patience } from '../patience.js' */

export const loadingView = () =>
  html`<section class="screen loading"><div class="spinner"></div><p class="lead" role="status">${t('page.loading')}</p></section>`;

/** @param {Patience} sending */
export const submittingView = (sending) =>
  html`<section class="screen">${heading(t('submit.title'))}${sendingView({ fraction: 1, waiting: sending.waiting, busy: sending.busy, seconds: sending.seconds, retry: () => sending.retryNow() })}</section>`;

/** @param {{name: string, onReturn: (() => void) | null, onAgain: () => void}} shown */
export const declinedView = ({ name, onReturn, onAgain }) =>
  html`<section class="screen"><div class="emblem">${shield()}</div>${heading(t('declined.title'))}<p class="lead">${t('declined.text', { name })}</p>
    <div class="actions">${onReturn ? html`<button class="button primary" @click=${onReturn}>${t('action.return', { name })}</button>` : ''}
    <button class="button quiet" @click=${onAgain}>${t('declined.again')}</button></div></section>`;

/** @param {{name: string, own: string | null, onPhone: boolean, demo: string | null, onReturn: (() => void) | null}} shown */
export function doneView({ name, own, onPhone, demo, onReturn }) {
  const text = name ? t(onPhone ? 'done.text_phone' : 'done.text', { name }) : t('done.text_plain');
  return html`<section class="screen done">${doneDrawing()}${heading(t(onPhone ? 'done.title_phone' : 'done.title'))}<p class="lead">${text}</p>${own ? html`<p class="own">${own}</p>` : ''}
    <div class="actions">
      ${demo ? html`<a class="button primary" href="/verify/demo-result#d=${demo}">${t('done.demo')}</a>` : ''}
      ${onReturn && !onPhone ? html`<button class="button ${demo ? 'quiet' : 'primary'}" @click=${onReturn}>${t('action.return', { name: name || t('trouble.somebody') })}</button>` : ''}
    </div><p class="fine">${t(onPhone ? 'done.close_phone' : 'done.close')}</p></section>`;
}
