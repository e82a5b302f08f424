/** On the phone: did you start this, and which number do you see? Says `tn-number` (the one chosen) or `tn-not-me`. */

import { html } from 'lit';
import { t } from '../i18n.js';
import { computer } from '../icons.js';
import { Screen, heading } from './screen.js';

/** @import { ClaimAnswer } from '../wire.js' */

export class ConfirmHandoff extends Screen {
  static properties = { ...Screen.properties, claim: { attribute: false }, busy: { type: Boolean } };

  constructor() {
    super();
    /** @type {ClaimAnswer | null} */
    this.claim = null;
    this.busy = false;
  }

  render() {
    const { claim } = this;
    if (!claim) return '';
    return html`<section class="screen">
      <div class="emblem">${computer()}</div>
      ${heading(t('confirm.title'))}
      <p class="lead">${t('confirm.lead', { name: claim.account.name })}</p>
      <dl class="origin"><div><dt>${t('confirm.device')}</dt><dd>${claim.origin.device}</dd></div>
        ${claim.origin.place ? html`<div><dt>${t('confirm.place')}</dt><dd>${claim.origin.place}</dd></div>` : ''}</dl>
      <fieldset class="numbers"><legend>${t('confirm.number')}</legend>
        ${claim.numbers.map((number) => html`<button class="button number" ?disabled=${this.busy} @click=${() => this.say('tn-number', number)}>${number}</button>`)}</fieldset>
      <div class="actions"><button class="button danger quiet" ?disabled=${this.busy} @click=${() => this.say('tn-not-me')}>${t('confirm.refuse')}</button></div>
    </section>`;
  }
}
customElements.define('tn-confirm-handoff', ConfirmHandoff);
