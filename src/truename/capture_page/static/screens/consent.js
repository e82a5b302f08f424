/** What is captured, by whom, how long it is kept: agree or decline. Says `tn-answered` (true or false). */

import { html } from 'lit';
import { language, t } from '../i18n.js';
import { card, clockIcon, face, globe, shield } from '../icons.js';
import { Screen, heading } from './screen.js';

/** @import { Session } from '../wire.js' */

export class Consent extends Screen {
  static properties = { ...Screen.properties, session: { attribute: false }, busy: { type: Boolean }, asking: { state: true } };

  constructor() {
    super();
    /** @type {Session | null} */
    this.session = null;
    this.busy = false;
    this.asking = false;
  }

  render() {
    const { session } = this;
    if (!session) return '';
    const name = session.account.name;
    const days = session.consent.retention_days;
    const item = (/** @type {unknown} */ icon, /** @type {string} */ title, /** @type {string} */ text) =>
      html`<li>${icon}<div><strong>${title}</strong><span>${text}</span></div></li>`;
    return html`<section class="screen">
      <div class="emblem">${shield()}</div>
      ${heading(t('consent.title'))}
      <p class="lead">${t('consent.lead', { name })}</p>
      ${session.texts[language()]?.welcome ? html`<p class="own">${session.texts[language()]?.welcome}</p>` : ''}
      <ul class="facts">
        ${session.steps.includes('DOCUMENT') ? item(card(), t('consent.document'), t('consent.document_text')) : ''}
        ${session.steps.includes('LIVENESS') ? item(face(), t('consent.face'), t(session.steps.includes('DOCUMENT') ? 'consent.face_text' : 'consent.face_alone_text')) : ''}
        ${item(globe(), t('consent.device'), t(session.wants_location ? 'consent.device_location_text' : 'consent.device_text'))}
        ${item(clockIcon(), t('consent.kept'), days === null ? t('consent.kept_policy', { name }) : t('consent.kept_days', { name, days }))}
      </ul>
      ${session.consent.privacy_url ? html`<p class="fine"><a href=${session.consent.privacy_url} target="_blank" rel="noopener noreferrer">${t('consent.privacy', { name })}</a></p>` : ''}
      <div class="actions">
        <button class="button primary" ?disabled=${this.busy} @click=${() => this.#answer(true)}>${t('consent.agree')}</button>
        <button class="button quiet" ?disabled=${this.busy} @click=${() => { this.asking = true; }}>${t('consent.decline')}</button>
      </div>
      ${this.asking ? html`<tn-dialog .heading=${t('decline.title')} .text=${t('decline.text', { name })} .actions=${[
        { label: t('decline.back'), kind: 'primary', act: () => { this.asking = false; } },
        { label: t('decline.confirm'), kind: 'danger', act: () => this.#answer(false) },
      ]}></tn-dialog>` : ''}
    </section>`;
  }

  /** @param {boolean} given */
  #answer(given) {
    this.asking = false;
    this.say('tn-answered', given);
  }
}
customElements.define('tn-consent', Consent);
