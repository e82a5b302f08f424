/**
 * One side of the document: how to, camera or file, preview, sending, and what the service says of it.
 * Says `tn-taken` ({answer, anyway}), `tn-choose-again` and `tn-out-of-takes`.
 */

import { html } from 'lit';
import { pictureFrom, shrunk } from '../document/files.js';
import { Problem, reactionTo } from '../errors.js';
import { goodEnough } from '../flow.js';
import { documentName, knows, t } from '../i18n.js';
import { newKey } from '../api.js';
import { camera, card, check, documentDrawing, file, flipDrawing, sun, warning } from '../icons.js';
import { Patience } from '../patience.js';
import { heading, Screen, sendingView } from './screen.js';
import './document_live.js';

/** @import { AcceptedDocument, DocumentAnswer, Session, Side } from '../wire.js' */
/** @typedef {(picture: Blob, source: 'CAMERA' | 'FILE', key: string, onProgress: (fraction: number) => void) => Promise<DocumentAnswer>} SendPicture */

export class DocumentSide extends Screen {
  static properties = {
    ...Screen.properties, side: {}, document: { attribute: false }, limits: { attribute: false }, send: { attribute: false }, primed: { type: Boolean },
    mayUseFile: { type: Boolean }, mayChooseAgain: { type: Boolean }, fromFile: { type: Boolean }, answer: { state: true }, wrongFile: { state: true },
  };

  constructor() {
    super();
    /** @type {Side} */
    this.side = 'front';
    /** What the person chose. @type {AcceptedDocument | null} */
    this.document = null;
    /** @type {Session['limits']} */
    this.limits = { image_bytes: 0, image_types: [], takes: 0 };
    /** @type {SendPicture} */
    this.send = () => Promise.reject(new Problem('offline'));
    /** The camera was allowed before: nothing needs to be explained. */
    this.primed = false;
    this.mayUseFile = false;
    this.mayChooseAgain = false;
    this.fromFile = false;
    this.phase = 'intro';
    /** @type {DocumentAnswer | null} */
    this.answer = null;
    this.wrongFile = '';
    /** @type {Blob | null} */
    this.picture = null;
    this.address = '';
    this.sending = new Patience(() => this.requestUpdate());
  }

  connectedCallback() {
    super.connectedCallback();
    // A back follows its front at once: the person is told to turn the document over first.
    if (this.primed && !this.fromFile && this.side === 'front') this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.sending.stop();
    URL.revokeObjectURL(this.address);
  }

  #open() {
    this.phase = 'live';
  }

  /** @param {Blob} picture */
  #preview(picture) {
    URL.revokeObjectURL(this.address);
    this.picture = picture;
    this.address = URL.createObjectURL(picture);
    this.answer = null;
    this.phase = 'preview';
    this.announce(t('document.taken'));
  }

  /** @param {Event} event */
  async #file(event) {
    const chosen = /** @type {HTMLInputElement} */ (event.target).files?.[0];
    if (!chosen) return;
    this.fromFile = true;
    this.wrongFile = '';
    try {
      this.#preview(await pictureFrom(chosen, this.limits));
    } catch {
      this.wrongFile = t('document.wrong_file');
    }
  }

  /** @returns {Promise<void>} */
  async #send() {
    const { picture } = this;
    if (!picture) return;
    this.phase = 'sending';
    const key = newKey();
    /** @type {DocumentAnswer} */
    let answer;
    try {
      answer = await this.sending.run((onProgress) => this.send(picture, this.fromFile ? 'FILE' : 'CAMERA', key, onProgress));
    } catch (error) {
      if (reactionTo(error).does === 'retake') return this.#repair(/** @type {Problem} */ (error).code);
      this.fail(error, this.side);
      return;
    }
    this.answer = answer;
    if (goodEnough(answer)) this.say('tn-taken', { answer, anyway: false });
    else this.phase = 'refused';
  }

  /** @param {string} code @returns {Promise<void>} */
  async #repair(code) {
    const smaller = code === 'too_large' && this.picture ? await createImageBitmap(this.picture).then((bitmap) => shrunk(bitmap, 2400)).catch(() => null) : null;
    if (smaller) {
      this.#preview(smaller);
      return this.#send();
    }
    this.wrongFile = t('document.wrong_file');
    this.phase = 'intro';
    return undefined;
  }

  #retake() {
    if (this.fromFile) this.phase = 'intro';
    else this.#open();
  }

  render() {
    return html`<section class="screen document ${this.phase}">${this[/** @type {'_intro'} */ (`_${this.phase}`)]()}</section>`;
  }

  get _name() {
    return this.document ? documentName(this.document.type) : t('document.any');
  }

  #title() {
    return t(this.document?.type === 'PASSPORT' && this.side === 'front' ? 'document.title_page' : `document.title_${this.side}`, { document: this._name });
  }

  _intro() {
    const front = this.side === 'front';
    return html`${front ? documentDrawing() : flipDrawing()}
      ${heading(front ? this.#title() : t('document.flip'))}
      <p class="lead">${t(front ? 'document.lead' : 'document.flip_text', { document: this._name })}</p>
      <ul class="tips"><li>${sun()}${t('document.tip_light')}</li><li>${card()}${t('document.tip_flat')}</li><li>${warning()}${t('document.tip_original')}</li></ul>
      ${this.wrongFile ? html`<p class="error" role="alert">${this.wrongFile}</p>` : ''}
      <div class="actions">
        ${this.fromFile ? this.#fileButton('primary') : html`<button class="button primary" @click=${() => this.#open()}>${camera()}${t('document.start')}</button>
          ${this.mayUseFile ? this.#fileButton('quiet') : ''}`}
        ${front && this.mayChooseAgain ? html`<button class="button quiet" @click=${() => this.say('tn-choose-again')}>${t('document.other')}</button>` : ''}
      </div>
      ${this.fromFile || this.primed ? '' : html`<p class="fine">${t('camera.primer')}</p>`}`;
  }

  /** @param {string} kind */
  #fileButton(kind) {
    return html`<label class="button ${kind} filepick">${file()}${t('document.file')}
      <input type="file" accept="image/*" class="hidden-input" @change=${(/** @type {Event} */ event) => this.#file(event)}></label>`;
  }

  _live() {
    return html`<tn-document-live .side=${this.side} .type=${this.document?.type} .caption=${this.#title()}
      @tn-shot=${(/** @type {CustomEvent<Blob>} */ { detail }) => this.#preview(detail)}></tn-document-live>`;
  }

  _preview() {
    return html`${heading(t('document.check'))}
      <img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      <p class="lead">${t('document.check_text')}</p>
      <div class="actions"><button class="button primary" @click=${() => this.#send()}>${check()}${t('document.use')}</button>
        <button class="button quiet" @click=${() => this.#retake()}>${t('document.retake')}</button></div>`;
  }

  _sending() {
    const { fraction, waiting, busy, seconds } = this.sending;
    return html`${heading(t('sending.title'))}<img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      ${sendingView({ fraction, waiting, busy, seconds, retry: () => this.sending.retryNow() })}`;
  }

  _refused() {
    const answer = /** @type {DocumentAnswer} */ (this.answer);
    const reasons = answer.reasons.filter((reason) => reason !== 'BACK_NEEDED').slice(0, 3);
    const again = answer.takes_left > 0;
    const anyway = answer.can_use_anyway;
    return html`<div class="emblem warn">${warning()}</div>${heading(t('document.refused'))}
      <img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      <ul class="reasons">${reasons.map((reason) => html`<li>${t(knows(`reason.${reason}`) ? `reason.${reason}` : 'reason.other')}</li>`)}</ul>
      ${again ? html`<p class="fine">${t('document.takes_left', { count: answer.takes_left })}</p>` : html`<p class="fine">${t('document.no_takes')}</p>`}
      <div class="actions">${again ? html`<button class="button primary" @click=${() => this.#retake()}>${camera()}${t('document.retake')}</button>` : ''}
        ${anyway ? html`<button class="button quiet" @click=${() => this.say('tn-taken', { answer, anyway: true })}>${t('document.anyway')}</button>` : ''}
        ${!again && !anyway ? html`<button class="button primary" @click=${() => this.say('tn-out-of-takes')}>${t('action.continue')}</button>` : ''}</div>`;
  }
}
customElements.define('tn-document', DocumentSide);
