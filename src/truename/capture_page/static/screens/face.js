/**
 * The live face: how to, the camera, sending, and trying again.
 * Says `tn-face-taken` and `tn-out-of-attempts`.
 */

import { html } from 'lit';
import { newKey } from '../api.js';
import { Problem, reactionTo } from '../errors.js';
import { FaceFinder } from '../face/finder.js';
import { knows, t } from '../i18n.js';
import { camera, faceDrawing, glasses, sun, turn, warning } from '../icons.js';
import { Patience } from '../patience.js';
import { heading, Screen, sendingView } from './screen.js';
import { lights } from './face_live.js';

/** @import { ChallengeAnswer, LivenessAnswer, RecordedFrame, Session } from '../wire.js' */
/** @typedef {(nonce: string, frames: RecordedFrame[], key: string, onProgress: (fraction: number) => void) => Promise<LivenessAnswer>} SendFrames */

export class FaceCapture extends Screen {
  static properties = {
    ...Screen.properties, bounds: { attribute: false }, ask: { attribute: false }, send: { attribute: false }, arrived: { attribute: false }, primed: { type: Boolean },
    mayUsePhone: { type: Boolean }, reasons: { state: true }, why: { state: true },
  };

  constructor() {
    super();
    /** @type {Session['liveness'] | null} */
    this.bounds = null;
    /** @type {(light: boolean) => Promise<ChallengeAnswer>} */
    this.ask = () => Promise.reject(new Problem('offline'));
    /** @type {SendFrames} */
    this.send = () => Promise.reject(new Problem('offline'));
    /** Did a recording reach the service although its answer did not reach us? @type {() => Promise<boolean>} */
    this.arrived = () => Promise.resolve(false);
    this.primed = false;
    this.mayUsePhone = false;
    this.phase = 'intro';
    /** @type {string[]} */
    this.reasons = [];
    this.why = '';
    /** @type {FaceFinder | null} */
    this.finder = null;
    /** @type {Promise<FaceFinder | null>} */
    this.ready = Promise.resolve(null);
    this.sending = new Patience(() => this.requestUpdate());
  }

  connectedCallback() {
    super.connectedCallback();
    // The model is large: fetch it while the person reads.
    const finder = new FaceFinder();
    this.finder = finder;
    this.ready = finder.start().then(() => finder, () => null);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.finder?.stop();
    this.finder = null;
    this.sending.stop();
  }

  /** What came of the live part. @param {CustomEvent<{error: unknown}>} event */
  #liveFailed(event) {
    if (reactionTo(event.detail.error).does !== 'record') return;
    event.stopPropagation();
    this.#again([], 'face.again_late');
  }

  /** @param {string} nonce @param {RecordedFrame[]} frames */
  async #send(nonce, frames) {
    this.phase = 'sending';
    const key = newKey();
    try {
      const answer = await this.sending.run((onProgress) => this.send(nonce, frames, key, onProgress));
      if (answer.usable) this.say('tn-face-taken');
      else if (answer.attempts_left > 0) this.#again(answer.reasons, 'face.again_quality');
      else this.say('tn-out-of-attempts');
    } catch (error) {
      await this.#refused(error);
    }
  }

  /** @param {unknown} error */
  async #refused(error) {
    if (!['record', 'retake'].includes(reactionTo(error).does)) return this.fail(error, 'face');
    try {
      if (await this.arrived()) this.say('tn-face-taken');
      else this.#again([], /** @type {Problem} */ (error).code === 'challenge_expired' ? 'face.again_late' : 'face.again_quality');
    } catch (unread) {
      this.fail(unread, 'face');
    }
    return undefined;
  }

  /** @param {string[]} reasons @param {string} why */
  #again(reasons, why) {
    this.reasons = reasons;
    this.why = why;
    this.phase = 'again';
  }

  #open() {
    this.phase = 'live';
  }

  render() {
    return html`<section class="screen face ${this.phase}">${this[/** @type {'_intro'} */ (`_${this.phase}`)]()}</section>`;
  }

  _intro() {
    return html`${faceDrawing()}${heading(t('face.title'))}
      <p class="lead">${t('face.lead')}</p>
      <ul class="tips"><li>${sun()}${t('face.tip_light')}</li><li>${glasses()}${t('face.tip_face')}</li><li>${turn()}${t('face.tip_move')}</li>${lights(this.bounds) ? html`<li>${sun()}${t('face.tip_colours')}</li>` : ''}</ul>
      <div class="actions"><button class="button primary" @click=${() => this.#open()}>${camera()}${t('face.start')}</button>
        ${this.mayUsePhone ? html`<button class="button quiet" @click=${() => this.say('tn-phone-wanted')}>${t('action.use_phone')}</button>` : ''}</div>
      ${this.primed ? '' : html`<p class="fine">${t('camera.primer')}</p>`}`;
  }

  _live() {
    return html`<tn-face-live .finder=${this.ready} .ask=${this.ask} .bounds=${this.bounds} @tn-failed=${this.#liveFailed} @tn-too-slow=${() => this.#again([], 'face.again_slow')}
      @tn-recorded=${(/** @type {CustomEvent<{nonce: string, frames: RecordedFrame[]}>} */ { detail }) => this.#send(detail.nonce, detail.frames)}></tn-face-live>`;
  }

  _sending() {
    const { fraction, waiting, busy, seconds } = this.sending;
    return html`${faceDrawing()}${heading(t('sending.title'))}${sendingView({ fraction, waiting, busy, seconds, retry: () => this.sending.retryNow() })}`;
  }

  _again() {
    return html`<div class="emblem warn">${warning()}</div>${heading(t('face.again'))}
      <p class="lead">${t(this.why)}</p>
      ${this.reasons.length ? html`<ul class="reasons">${this.reasons.slice(0, 3).map((reason) => html`<li>${t(knows(`reason.${reason}`) ? `reason.${reason}` : 'reason.other')}</li>`)}</ul>` : ''}
      <ul class="tips"><li>${sun()}${t('face.tip_light')}</li><li>${turn()}${t('face.tip_slow')}</li></ul>
      <div class="actions"><button class="button primary" @click=${() => this.#open()}>${camera()}${t('action.try_again')}</button>
      ${this.mayUsePhone ? html`<button class="button quiet" @click=${() => this.say('tn-phone-wanted')}>${t('action.use_phone')}</button>` : ''}</div>`;
  }
}
customElements.define('tn-face', FaceCapture);
