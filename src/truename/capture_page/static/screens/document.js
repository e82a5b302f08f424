/** One side of the document: how to, live guidance, preview, sending, and what the service says of it. */

import { html, svg } from 'lit';
import { newKey, Problem } from '../api.js';
import { BlackWatch, cameras, CameraTrouble, closeCamera, openCamera, show, still } from '../camera.js';
import { pictureFrom, shrunk } from '../document/files.js';
import { guideInVideo, guideOnStage, ratioOf, widened } from '../document/guide.js';
import { AutoCapture } from '../document/hints.js';
import { DocumentWatch } from '../document/watch.js';
import { documentName, knows, t } from '../i18n.js';
import { camera, card, check, documentDrawing, file, flip, flipDrawing, sun, warning } from '../icons.js';
import { Patience } from '../patience.js';
import { Announcer, Steady } from '../steady.js';
import { heading, Screen, sendingView } from './screen.js';

/** @import { DocumentAnswer, Side } from '../wire.js' */
/** @import { Seen } from '../document/watch.js' */

const MANUAL_AFTER = 8000;
const SIDES = /** @type {const} */ (['top', 'right', 'bottom', 'left']);

export class DocumentSide extends Screen {
  static properties = {
    ...Screen.properties, side: {}, fromFile: { type: Boolean }, hint: { state: true }, lit: { state: true }, hold: { state: true },
    manual: { state: true }, several: { state: true }, stage: { state: true }, answer: { state: true }, wrongFile: { state: true },
  };

  constructor() {
    super();
    /** @type {Side} */
    this.side = 'front';
    this.fromFile = false;
    this.phase = 'intro';
    this.hint = 'fit';
    /** Which sides of the guide are matched. @type {boolean[]} */
    this.lit = [false, false, false, false];
    this.hold = 0;
    this.manual = false;
    this.several = false;
    this.stage = { width: 0, height: 0 };
    /** @type {DocumentAnswer | null} */
    this.answer = null;
    this.wrongFile = '';
    /** @type {Blob | null} */
    this.picture = null;
    this.address = '';
    /** @type {MediaStream | null} */
    this.stream = null;
    /** @type {DocumentWatch | null} */
    this.watch = null;
    this.deviceId = '';
    this.steady = new Steady();
    this.auto = new AutoCapture();
    this.black = new BlackWatch();
    this.announcer = new Announcer((text) => this.app.announce(text));
    this.sending = new Patience(() => this.requestUpdate());
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.stage = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    /** @type {() => void} */
    this.whenHidden = () => { if (document.visibilityState === 'visible' && this.phase === 'live' && this.stream?.getVideoTracks()[0]?.readyState === 'ended') this.#open(); };
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.whenHidden);
    // A back follows its front at once: permission and hints are known by then.
    if (this.app.cameraPrimed && !this.fromFile && this.side === 'front') this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.whenHidden);
    this.#close();
    this.sending.stop();
    this.resized.disconnect();
    URL.revokeObjectURL(this.address);
  }

  get document() {
    return this.app.choice;
  }

  async #open() {
    this.phase = 'live';
    this.hint = 'fit';
    this.lit = [false, false, false, false];
    this.hold = 0;
    this.manual = false;
    this.auto = new AutoCapture();
    this.black = new BlackWatch();
    await this.updateComplete;
    const video = /** @type {HTMLVideoElement} */ (this.querySelector('video'));
    this.resized.observe(/** @type {Element} */ (this.querySelector('.stage')));
    try {
      this.stream = await openCamera('environment', { width: 2560, height: 1440 }, this.deviceId);
      this.app.cameraPrimed = true;
      if (!this.isConnected || this.phase !== 'live') return this.#close();
      this.stream.getVideoTracks()[0]?.addEventListener('ended', () => this.phase === 'live' && document.visibilityState === 'visible' && this.#trouble(new CameraTrouble('busy')));
      await show(video, this.stream);
    } catch (error) {
      this.#trouble(error);
      return;
    }
    this.app.tellCameras();
    this.several = (await cameras()).length > 1;
    const opened = performance.now();
    this.watch = new DocumentWatch(video, () => ({ guide: this.#guide(), stage: this.stage }), (seen) => this.#seen(seen, opened));
    this.watch.start();
  }

  #close() {
    this.watch?.stop();
    this.watch = null;
    closeCamera(this.stream);
    this.stream = null;
    this.announcer.hush();
  }

  /** @param {unknown} error */
  #trouble(error) {
    this.#close();
    this.app.fail(error, this.side);
  }

  #guide() {
    return guideOnStage(this.stage.width || 300, this.stage.height || 400, ratioOf(this.document?.type));
  }

  /** @param {Seen} seen @param {number} opened */
  #seen({ hint, edges, quality, now }, opened) {
    if (this.black.observe(quality.brightness, now)) return this.#trouble(new CameraTrouble('black'));
    this.hint = this.steady.settle(hint, now);
    this.announcer.say(t(`document.hint.${this.hint}`));
    this.lit = SIDES.map((side) => edges[side].found);
    this.hold = this.auto.observe(hint, now);
    this.manual ||= now - opened > MANUAL_AFTER;
    if (this.hold >= 1) this.#shoot();
  }

  async #shoot() {
    const video = this.querySelector('video');
    if (!video || this.phase !== 'live') return;
    this.watch?.stop();
    const size = { width: video.videoWidth, height: video.videoHeight };
    const part = widened(guideInVideo(this.#guide(), this.stage, size), 0.16, size);
    try {
      this.#preview(await still(video, part, 3000, 0.92));
    } catch (error) {
      this.#trouble(error);
      return;
    }
    this.#close();
    navigator.vibrate?.(30);
  }

  /** @param {Blob} picture */
  #preview(picture) {
    URL.revokeObjectURL(this.address);
    this.picture = picture;
    this.address = URL.createObjectURL(picture);
    this.answer = null;
    this.phase = 'preview';
    this.app.announce(t('document.taken'));
  }

  /** @param {Event} event */
  async #file(event) {
    const chosen = /** @type {HTMLInputElement} */ (event.target).files?.[0];
    if (!chosen || !this.app.session) return;
    this.wrongFile = '';
    try {
      this.#preview(await pictureFrom(chosen, this.app.session.limits));
    } catch {
      this.wrongFile = t('document.wrong_file');
    }
  }

  /** @returns {Promise<void>} */
  async #send() {
    const { picture, app } = this;
    if (!picture) return;
    this.phase = 'sending';
    const what = { country: this.document?.country ?? null, type: this.document?.type ?? null, source: /** @type {'FILE' | 'CAMERA'} */ (this.fromFile ? 'FILE' : 'CAMERA') };
    const key = newKey();
    /** @type {DocumentAnswer} */
    let answer;
    try {
      answer = await this.sending.run((onProgress) => app.requireApi().document(this.side, picture, what, key, onProgress));
    } catch (error) {
      if (error instanceof Problem && ['too_large', 'unsupported_media_type', 'invalid_image'].includes(error.code)) return this.#repair(error.code);
      app.fail(error, this.side);
      return;
    }
    this.answer = answer;
    const others = answer.reasons.filter((reason) => reason !== 'BACK_NEEDED');
    if (answer.usable || others.length === 0) app.documentTaken(this.side, answer);
    else this.phase = 'refused';
  }

  /** @param {string} code @returns {Promise<void>} */
  async #repair(code) {
    if (code === 'too_large' && this.picture) {
      this.#preview(await shrunk(await createImageBitmap(this.picture), 2400));
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

  async #switchCamera() {
    const all = await cameras();
    const now = this.stream?.getVideoTracks()[0]?.getSettings().deviceId;
    const next = all[(all.findIndex((device) => device.deviceId === now) + 1) % all.length];
    this.#close();
    this.deviceId = next?.deviceId ?? '';
    this.#open();
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
          ${this.app.session?.file_upload ? this.#fileButton('quiet') : ''}`}
        ${front && (this.app.session?.documents.length ?? 0) > 1 ? html`<button class="button quiet" @click=${() => this.app.chooseAgain()}>${t('document.other')}</button>` : ''}
      </div>
      ${this.fromFile || this.app.cameraPrimed ? '' : html`<p class="fine">${t('camera.primer')}</p>`}`;
  }

  /** @param {string} kind */
  #fileButton(kind) {
    return html`<label class="button ${kind} filepick">${file()}${t('document.file')}
      <input type="file" accept="image/*" class="hidden-input" @change=${(/** @type {Event} */ event) => { this.fromFile = true; this.#file(event); }}></label>`;
  }

  _live() {
    const { width, height } = this.stage;
    const { x, y, width: w, height: h } = this.#guide();
    const lines = [[x, y, x + w, y], [x + w, y, x + w, y + h], [x, y + h, x + w, y + h], [x, y, x, y + h]];
    const r = Math.min(18, w * 0.05);
    const hole = `M0 0H${width}V${height}H0ZM${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - w}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - h}a${r} ${r} 0 0 1 ${r} ${-r}Z`;
    return html`${heading(this.#title())}
      <div class="stage">
        <video playsinline muted aria-label=${t('camera.preview')}></video>
        ${width ? html`<svg class="overlay" viewBox="0 0 ${width} ${height}" aria-hidden="true"><path class="veil" fill-rule="evenodd" d=${hole} />
          <rect class="guide" x=${x} y=${y} width=${w} height=${h} rx=${r} />
          ${lines.map(([x1, y1, x2, y2], index) => svg`<line class="side ${this.lit[index] ? 'lit' : ''}" x1=${/** @type {number} */ (x1) + (y1 === y2 ? r : 0)} y1=${/** @type {number} */ (y1) + (x1 === x2 ? r : 0)} x2=${/** @type {number} */ (x2) - (y1 === y2 ? r : 0)} y2=${/** @type {number} */ (y2) - (x1 === x2 ? r : 0)} />`)}
          ${this.hold > 0 ? svg`<rect class="hold" x=${x} y=${y} width=${w} height=${h} rx=${r} pathLength="100" stroke-dasharray="${this.hold * 100} 100" />` : ''}</svg>` : html`<div class="spinner"></div>`}
        <p class="hint ${this.hint}" aria-hidden="true">${t(`document.hint.${this.hint}`)}</p>
        ${this.several ? html`<button class="round" aria-label=${t('camera.switch')} @click=${() => this.#switchCamera()}>${flip()}</button>` : ''}
      </div>
      <div class="under">${this.manual
        ? html`<button class="shutter" @click=${() => this.#shoot()}><span class="dot"></span><span>${t('document.shutter')}</span></button>`
        : html`<p class="fine">${t('document.auto')}</p>`}</div>`;
  }

  _preview() {
    return html`${heading(t('document.check'))}
      <img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      <p class="lead">${t('document.check_text')}</p>
      <div class="actions"><button class="button primary" @click=${() => this.#send()}>${check()}${t('document.use')}</button>
        <button class="button quiet" @click=${() => this.#retake()}>${t('document.retake')}</button></div>`;
  }

  _sending() {
    const { fraction, waiting, seconds } = this.sending;
    return html`${heading(t('sending.title'))}<img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      ${sendingView({ fraction, waiting, seconds, retry: () => this.sending.retryNow() })}`;
  }

  _refused() {
    const answer = /** @type {DocumentAnswer} */ (this.answer);
    const reasons = answer.reasons.filter((reason) => reason !== 'BACK_NEEDED').slice(0, 3);
    const again = answer.takes_left > 0;
    const anyway = answer.can_use_anyway && (!this.app.usedAnyway.has(this.side) || !again);
    return html`<div class="emblem warn">${warning()}</div>${heading(t('document.refused'))}
      <img class="shot" src=${this.address} alt=${t('document.preview_alt', { document: this._name })}>
      <ul class="reasons">${reasons.map((reason) => html`<li>${t(knows(`reason.${reason}`) ? `reason.${reason}` : 'reason.other')}</li>`)}</ul>
      ${again ? html`<p class="fine">${t('document.takes_left', { count: answer.takes_left })}</p>` : html`<p class="fine">${t('document.no_takes')}</p>`}
      <div class="actions">${again ? html`<button class="button primary" @click=${() => this.#retake()}>${camera()}${t('document.retake')}</button>` : ''}
        ${anyway ? html`<button class="button quiet" @click=${() => this.app.useAnyway(this.side, answer)}>${t('document.anyway')}</button>` : ''}
        ${!again && !anyway ? html`<button class="button primary" @click=${() => this.app.trouble('too_many_takes')}>${t('action.continue')}</button>` : ''}</div>`;
  }
}
customElements.define('tn-document', DocumentSide);
