/** Which document? Only what the transaction accepts is offered. Says `tn-chosen` (the document). */

import { html } from 'lit';
import { countryName, documentName, language, t } from '../i18n.js';
import { back, card, check, passport } from '../icons.js';
import { Screen, heading } from './screen.js';

/** @import { AcceptedDocument } from '../wire.js' */

const ORDER = ['PASSPORT', 'NATIONAL_ID', 'DRIVER_LICENSE', 'RESIDENT_PERMIT', 'TEMP_PERMIT_ID'];

export class Choose extends Screen {
  static properties = { ...Screen.properties, documents: { attribute: false }, choice: { attribute: false }, country: { state: true } };

  constructor() {
    super();
    /** @type {readonly AcceptedDocument[]} */
    this.documents = [];
    /** @type {AcceptedDocument | null} */
    this.choice = null;
    this.country = '';
  }

  connectedCallback() {
    super.connectedCallback();
    const countries = this.#countries();
    const home = new Intl.Locale(navigator.language || 'en').maximize().region ?? '';
    this.country = this.choice?.country ?? (countries.includes(home) ? home : countries.length === 1 ? countries[0] ?? '' : '');
  }

  #countries() {
    const names = new Intl.Collator(language());
    return [...new Set(this.documents.map((document) => document.country))].sort((a, b) => names.compare(countryName(a), countryName(b)));
  }

  render() {
    const countries = this.#countries();
    const documents = this.documents.filter((document) => document.country === this.country)
      .sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
    return html`<section class="screen">
      <div class="emblem">${card()}</div>
      ${heading(t('choose.title'))}
      <p class="lead">${t('choose.lead')}</p>
      <label class="field"><span>${t('choose.country')}</span>
        <span class="select"><select @change=${(/** @type {Event} */ event) => { this.country = /** @type {HTMLSelectElement} */ (event.target).value; }}>
          ${this.country ? '' : html`<option value="" selected disabled>${t('choose.country_prompt')}</option>`}
          ${countries.map((code) => html`<option value=${code} ?selected=${code === this.country}>${countryName(code)}</option>`)}
        </select></span></label>
      ${documents.length ? html`<fieldset class="choices"><legend>${t('choose.type')}</legend>
        ${documents.map((document) => html`<button class="choice" @click=${() => this.say('tn-chosen', document)}>
          ${document.type === 'PASSPORT' ? passport() : card()}
          <span><strong>${documentName(document.type)}</strong><small>${t(document.sides.includes('back') ? 'choose.both_sides' : 'choose.one_side')}</small></span>
          ${this.choice === document ? check() : html`<span class="chevron">${back()}</span>`}</button>`)}
      </fieldset>` : ''}
    </section>`;
  }
}
customElements.define('tn-choose', Choose);
