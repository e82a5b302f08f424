/** Going on with a phone: the computer's side (QR, number, state). Says `tn-stay-here`, and `tn-finished` when the phone is done. */

import { html } from 'lit';
import { Problem, reactionTo } from '../errors.js';
import { clock, t } from '../i18n.js';
import { check, computer, link, phone } from '../icons.js';
import { Screen, heading } from './screen.js';

/** @import { HandoffAnswer, HandoffState, HandoffStatus } from '../wire.js' */
/** @typedef {{start: () => Promise<HandoffAnswer>, ask: () => Promise<HandoffStatus>, secondsUntil: (instant: string) => number}} HandoffCalls */

const EVERY = 2000;

/** An SVG meant for inlining has no namespace, which an image needs. @param {string} drawing */
const asDocument = (drawing) => (drawing.includes('xmlns=') ? drawing : drawing.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'));

export class Handoff extends Screen {
  static properties = { ...Screen.properties, calls: { attribute: false }, offer: { state: true }, left: { state: true }, copied: { state: true }, lost: { state: true } };

  constructor() {
    super();
    /** @type {HandoffCalls} */
    this.calls = /** @type {any} */ (null);
    /** @type {HandoffAnswer | null} */
    this.offer = null;
    this.picture = '';
    this.left = 0;
    this.copied = false;
    this.lost = false;
    this.timer = 0;
    /** @type {HandoffState | 'LOADING'} */
    this.phase = 'LOADING';
  }

  connectedCallback() {
    super.connectedCallback();
    this.#begin();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
    URL.revokeObjectURL(this.picture);
  }

  async #begin() {
    clearInterval(this.timer);
    this.copied = false;
    this.offer = null; // an old code must not be scanned while the new one is on its way
    try {
      this.offer = await this.calls.start();
    } catch (error) {
      this.fail(error);
      return;
    }
    URL.revokeObjectURL(this.picture);
    this.picture = URL.createObjectURL(new Blob([asDocument(this.offer.qr_svg)], { type: 'image/svg+xml' }));
    this.phase = 'WAITING';
    let asked = 0;
    this.timer = setInterval(() => {
      this.left = this.calls.secondsUntil(this.offer?.expires_at ?? '');
      asked += 1;
      if (asked % (EVERY / 1000) === 0) this.#ask();
    }, 1000);
    this.left = this.calls.secondsUntil(this.offer.expires_at);
  }

  async #ask() {
    try {
      const { state } = await this.calls.ask();
      this.lost = false;
      this.phase = state;
      if (state === 'FINISHED') this.say('tn-finished');
      if (state === 'REFUSED' || state === 'EXPIRED') clearInterval(this.timer);
    } catch (error) {
      if (error instanceof Problem && error.temporary) this.lost = true;
      else if (reactionTo(error).does === 'finish') this.say('tn-finished');
      else this.fail(error);
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.offer?.url ?? '');
      this.copied = true;
    } catch {
      /** @type {HTMLInputElement | null} */ (this.querySelector('#handoff-link'))?.select();
    }
  }

  render() {
    return html`<section class="screen handoff">${this.#view()}
      ${this.lost ? html`<p class="note" role="status">${t('handoff.reconnecting')}</p>` : ''}
      <div class="actions"><button class="button quiet" @click=${() => this.say('tn-stay-here')}>${computer()}${t('handoff.stay')}</button></div>
    </section>`;
  }

  #view() {
    const number = this.offer?.match_number ?? '';
    if (this.phase === 'CONNECTED') {
      return html`<div class="emblem good">${check()}</div>${heading(t('handoff.connected'))}<p class="lead">${t('handoff.connected_text')}</p>
        <p class="note">${t('handoff.keep_open')}</p>`;
    }
    if (this.phase === 'OPENED') {
      return html`<div class="emblem">${phone()}</div>${heading(t('handoff.opened'))}<p class="lead">${t('handoff.opened_text')}</p><p class="number" aria-label=${t('handoff.number', { number })}>${number}</p>`;
    }
    if (this.phase === 'REFUSED' || this.phase === 'EXPIRED') {
      return html`<div class="emblem">${phone()}</div>${heading(t(this.phase === 'REFUSED' ? 'handoff.refused' : 'handoff.expired'))}<p class="lead">${t('handoff.again_text')}</p>
        <div class="actions"><button class="button primary" @click=${() => { this.phase = 'LOADING'; this.#begin(); }}>${t('handoff.again')}</button></div>`;
    }
    return html`${heading(t('handoff.title'))}<p class="lead">${t('handoff.lead')}</p>
      <div class="qr">${this.offer && this.picture ? html`<img src=${this.picture} alt=${t('handoff.qr')} width="220" height="220">` : html`<div class="spinner"></div>`}</div>
      <div class="pair"><div><span>${t('handoff.your_number')}</span><p class="number" aria-label=${t('handoff.number', { number })}>${number}</p></div>
      <ol class="steps"><li>${t('handoff.step1')}</li><li>${t('handoff.step2')}</li><li>${t('handoff.step3')}</li></ol></div>
      ${this.offer ? html`<div class="copy"><input id="handoff-link" readonly .value=${this.offer.url} aria-label=${t('handoff.link')}>
        <button class="button small" @click=${() => this.#copy()}>${this.copied ? check() : link()}<span aria-live="polite">${t(this.copied ? 'handoff.copied' : 'handoff.copy')}</span></button></div>
        <p class="fine">${t('handoff.valid', { time: clock(this.left) })} · ${t('handoff.keep_open')}</p>` : ''}`;
  }
}
customElements.define('tn-handoff', Handoff);
