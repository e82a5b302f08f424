/** The document before the camera: the guide, live hints, and the shutter that falls by itself. Says `tn-shot` (the picture). */

import { html, svg } from 'lit';
import { blackTrouble, BlackWatch, cameras, CameraTrouble, closeCamera, openCamera, show, still } from '../camera.js';
import { guideInVideo, guideOnStage, ratioOf, widened } from '../document/guide.js';
import { AutoCapture } from '../document/hints.js';
import { DocumentWatch } from '../document/watch.js';
import { t } from '../i18n.js';
import { flip } from '../icons.js';
import { Announcer, Steady } from '../steady.js';
import { heading, Screen } from './screen.js';

/** @import { Side } from '../wire.js' */
/** @import { Seen } from '../document/watch.js' */

const MANUAL_AFTER = 8000;
const SIDES = /** @type {const} */ (['top', 'right', 'bottom', 'left']);

export class DocumentLive extends Screen {
  static properties = {
    ...Screen.properties, side: {}, type: {}, caption: { attribute: false }, hint: { state: true }, lit: { state: true }, hold: { state: true },
    manual: { state: true }, several: { state: true }, stage: { state: true },
  };

  constructor() {
    super();
    /** @type {Side} */
    this.side = 'front';
    /** The kind of document, which sets the shape of the guide. @type {string | undefined} */
    this.type = undefined;
    this.caption = '';
    this.hint = 'fit';
    /** Which sides of the guide are matched. @type {boolean[]} */
    this.lit = [false, false, false, false];
    this.hold = 0;
    this.manual = false;
    this.several = false;
    this.stage = { width: 0, height: 0 };
    /** @type {MediaStream | null} */
    this.stream = null;
    /** @type {DocumentWatch | null} */
    this.watch = null;
    this.deviceId = '';
    this.steady = new Steady();
    this.auto = new AutoCapture();
    this.black = new BlackWatch();
    this.announcer = new Announcer((text) => this.announce(text));
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.stage = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    /** A phone takes the camera away from a page in the background. @type {() => void} */
    this.whenShown = () => {
      if (document.visibilityState === 'visible' && this.stream?.getVideoTracks()[0]?.readyState === 'ended') this.#open();
    };
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.whenShown);
    this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.whenShown);
    this.#close();
    this.resized.disconnect();
  }

  async #open() {
    this.#close();
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
      if (!this.isConnected) return this.#close();
      this.say('tn-camera-opened');
      this.stream.getVideoTracks()[0]?.addEventListener('ended', () => this.isConnected && document.visibilityState === 'visible' && this.#trouble(new CameraTrouble('busy')));
      await show(video, this.stream);
    } catch (error) {
      this.#trouble(error);
      return;
    }
    this.several = (await cameras()).length > 1;
    if (!this.stream) return;
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
    if (this.isConnected) this.fail(error, this.side);
  }

  #guide() {
    return guideOnStage(this.stage.width || 300, this.stage.height || 400, ratioOf(this.type));
  }

  /** @param {Seen} seen @param {number} opened */
  #seen({ hint, edges, quality, now }, opened) {
    if (this.black.observe(quality.brightness, now)) return this.#trouble(blackTrouble(this.stream));
    this.hint = this.steady.settle(hint, now);
    this.announcer.say(t(`document.hint.${this.hint}`));
    this.lit = SIDES.map((side) => edges[side].found);
    this.hold = this.auto.observe(hint, now);
    this.manual ||= now - opened > MANUAL_AFTER;
    if (this.hold >= 1) this.#shoot();
  }

  async #shoot() {
    const video = this.querySelector('video');
    if (!video || !this.watch) return;
    this.watch.stop();
    this.watch = null;
    const size = { width: video.videoWidth, height: video.videoHeight };
    const part = widened(guideInVideo(this.#guide(), this.stage, size), 0.16, size);
    try {
      const picture = await still(video, part, 3000, 0.92);
      this.#close();
      navigator.vibrate?.(30);
      this.say('tn-shot', picture);
    } catch (error) {
      this.#trouble(error);
    }
  }

  async #switchCamera() {
    // Pressed again while the next camera opens: two would be opened at once, and one never closed.
    if (!this.watch) return;
    const now = this.stream?.getVideoTracks()[0]?.getSettings().deviceId;
    this.#close();
    const all = await cameras();
    if (!this.isConnected) return;
    const next = all[(all.findIndex((device) => device.deviceId === now) + 1) % all.length];
    this.deviceId = next?.deviceId ?? '';
    this.#open();
  }

  render() {
    const { width, height } = this.stage;
    const { x, y, width: w, height: h } = this.#guide();
    const lines = [[x, y, x + w, y], [x + w, y, x + w, y + h], [x, y + h, x + w, y + h], [x, y, x, y + h]];
    const r = Math.min(18, w * 0.05);
    const hole = `M0 0H${width}V${height}H0ZM${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - w}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - h}a${r} ${r} 0 0 1 ${r} ${-r}Z`;
    return html`${heading(this.caption)}
      <div class="look"><div class="view">
      <div class="stage">
        <video playsinline muted aria-label=${t('camera.preview')}></video>
        ${width ? html`<svg class="overlay" viewBox="0 0 ${width} ${height}" aria-hidden="true"><path class="veil" fill-rule="evenodd" d=${hole} />
          <rect class="guide" x=${x} y=${y} width=${w} height=${h} rx=${r} />
          ${lines.map(([x1, y1, x2, y2], index) => svg`<line class="side ${this.lit[index] ? 'lit' : ''}" x1=${/** @type {number} */ (x1) + (y1 === y2 ? r : 0)} y1=${/** @type {number} */ (y1) + (x1 === x2 ? r : 0)} x2=${/** @type {number} */ (x2) - (y1 === y2 ? r : 0)} y2=${/** @type {number} */ (y2) - (x1 === x2 ? r : 0)} />`)}
          ${this.hold > 0 ? svg`<rect class="hold" x=${x} y=${y} width=${w} height=${h} rx=${r} pathLength="100" stroke-dasharray="${this.hold * 100} 100" />` : ''}</svg>` : html`<div class="spinner"></div>`}
        ${this.several ? html`<button class="round" aria-label=${t('camera.switch')} @click=${() => this.#switchCamera()}>${flip()}</button>` : ''}
      </div>
      <p class="hint ${this.hint}" aria-hidden="true">${t(`document.hint.${this.hint}`)}</p>
      </div></div>
      <div class="under">${this.manual
        ? html`<button class="shutter" @click=${() => this.#shoot()}><span class="dot"></span><span>${t('document.shutter')}</span></button>`
        : html`<p class="fine">${t('document.auto')}</p>`}</div>`;
  }
}
customElements.define('tn-document-live', DocumentLive);
