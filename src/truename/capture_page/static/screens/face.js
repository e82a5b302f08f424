/** The live face: how to, fitting into the oval, the server's steps, sending, and trying again. */

import { html, svg } from 'lit';
import { newKey, Problem } from '../api.js';
import { BlackWatch, CameraTrouble, closeCamera, freshFrame, openCamera, show, still } from '../camera.js';
import { Challenge, nextTime, TimedChallenge } from '../face/challenge.js';
import { FaceFinder } from '../face/finder.js';
import { fitHint, onStage, visiblePart } from '../face/fit.js';
import { knows, t } from '../i18n.js';
import { arrow, camera, faceDrawing, glasses, sun, turn, warning } from '../icons.js';
import { Patience } from '../patience.js';
import { Announcer, Steady } from '../steady.js';
import { heading, Screen, sendingView } from './screen.js';

/** @import { ChallengeAnswer, RecordedFrame, Step } from '../wire.js' */
/** @import { StagedFace } from '../face/fit.js' */
/** @import { Guidance } from '../face/challenge.js' */

const FIT_FOR = 450;
const HELP_AFTER = 7000;
const STEP_WITHIN = 20_000;
const NO_MODEL_FIT = 4000;

export class FaceCapture extends Screen {
  static properties = {
    ...Screen.properties, words: { state: true }, guidance: { state: true }, help: { state: true }, stage: { state: true }, reasons: { state: true }, why: { state: true }, good: { state: true },
  };

  constructor() {
    super();
    this.phase = 'intro';
    this.words = '';
    this.good = false;
    /** @type {Guidance | null} */
    this.guidance = null;
    this.help = false;
    this.stage = { width: 0, height: 0 };
    /** @type {string[]} */
    this.reasons = [];
    this.why = '';
    /** @type {MediaStream | null} */
    this.stream = null;
    /** @type {FaceFinder | null} */
    this.finder = null;
    this.running = false;
    /** @type {ChallengeAnswer | null} */
    this.challenge = null;
    /** @type {RecordedFrame[]} */
    this.frames = [];
    this.small = document.createElement('canvas');
    this.announcer = new Announcer((text) => this.app.announce(text));
    this.sending = new Patience(() => this.requestUpdate());
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.stage = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
  }

  connectedCallback() {
    super.connectedCallback();
    // The model is large: fetch it while the person reads.
    this.#prepare();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#close();
    this.finder?.stop();
    this.finder = null;
    this.sending.stop();
    this.resized.disconnect();
  }

  #prepare() {
    const finder = new FaceFinder();
    this.finder = finder;
    /** False where the browser cannot run the model: then the steps go by the clock. @type {Promise<boolean>} */
    this.modelReady = finder.start().then(() => true, () => false);
  }

  async #open() {
    this.phase = 'live';
    this.words = t('face.loading');
    this.good = false;
    this.guidance = null;
    this.help = false;
    await this.updateComplete;
    const video = /** @type {HTMLVideoElement} */ (this.querySelector('video'));
    this.resized.observe(/** @type {Element} */ (this.querySelector('.stage')));
    try {
      this.stream = await openCamera('user', { width: 1280, height: 720 });
      this.app.cameraPrimed = true;
      if (!this.isConnected) return this.#close();
      this.stream.getVideoTracks()[0]?.addEventListener('ended', () => this.running && document.visibilityState === 'visible' && this.#trouble(new CameraTrouble('busy')));
      await show(video, this.stream);
    } catch (error) {
      return this.#trouble(error);
    }
    this.app.tellCameras();
    const seeing = await this.modelReady;
    if (!this.isConnected || !this.stream) return undefined;
    this.running = true;
    try {
      await (seeing ? this.#guided(video) : this.#timed(video));
    } catch (error) {
      this.#trouble(error);
    }
    return undefined;
  }

  #close() {
    this.running = false;
    closeCamera(this.stream);
    this.stream = null;
    this.announcer.hush();
  }

  /** @param {unknown} error */
  #trouble(error) {
    this.#close();
    if (error instanceof Problem && error.code.startsWith('challenge_')) this.#again([], 'face.again_late');
    else this.app.fail(error, 'face');
  }

  /** @param {HTMLVideoElement} video */
  #visible(video) {
    return visiblePart(video.videoWidth, video.videoHeight, this.stage.width || 3, this.stage.height || 4);
  }

  /** @param {HTMLVideoElement} video */
  #brightness(video) {
    this.small.width = 32;
    this.small.height = 24;
    const context = /** @type {CanvasRenderingContext2D} */ (this.small.getContext('2d', { willReadFrequently: true }));
    context.drawImage(video, 0, 0, 32, 24);
    const { data } = context.getImageData(0, 0, 32, 24);
    let sum = 0;
    for (let at = 0; at < data.length; at += 4) sum += /** @type {number} */ (data[at]) + /** @type {number} */ (data[at + 1]) + /** @type {number} */ (data[at + 2]);
    return sum / (data.length / 4) / 3;
  }

  /** @param {string} key */
  #say(key) {
    this.words = t(key);
    this.announcer.say(this.words);
  }

  /** Look, hint, ask for the challenge, lead through it. @param {HTMLVideoElement} video */
  async #guided(video) {
    const steady = new Steady();
    const black = new BlackWatch();
    const opened = performance.now();
    let fits = 0;
    /** @type {Challenge | null} */
    let challenge = null;
    let stepBegan = 0;
    let received = 0;
    while (this.running) {
      const now = performance.now();
      const brightness = this.#brightness(video);
      if (black.observe(brightness, now)) throw new CameraTrouble('black');
      const seen = await this.finder?.look(video, now);
      if (!this.running) return;
      if (!seen) return this.#timed(video);
      performance.measure('truename.face', { start: now, end: performance.now() });
      const visible = this.#visible(video);
      const faces = seen.faces.map((face) => onStage(face, video.videoWidth, video.videoHeight, visible));
      if (!challenge) {
        const hint = fitHint(faces, brightness);
        this.good = hint === 'ready';
        this.#say(`face.hint.${steady.settle(hint, now)}`);
        this.help = now - opened > HELP_AFTER && !this.good;
        fits = hint === 'ready' ? fits || now : 0;
        if (fits && now - fits > FIT_FOR) {
          this.challenge = await this.app.requireApi().challenge();
          challenge = new Challenge(this.challenge.steps);
          this.frames = [];
          received = stepBegan = performance.now();
        }
        continue;
      }
      if (now < received) continue;
      const before = this.guidance?.index ?? 0;
      const guidance = challenge.observe(this.#usable(faces), now);
      this.guidance = guidance;
      this.good = guidance.progress >= 1;
      if (guidance.index !== before) stepBegan = now;
      this.#say(guidance.hint ? `face.hint.${guidance.hint}` : `face.step.${guidance.step}`);
      if (guidance.restart) while (this.frames.at(-1)?.step === guidance.step) this.frames.pop();
      if (guidance.record) await this.#record(video, guidance.step, now - received);
      if (guidance.done) return this.#send();
      if (now - stepBegan > STEP_WITHIN || now - received > ((this.challenge?.seconds ?? 90) - 12) * 1000) return this.#again([], 'face.again_slow');
    }
  }

  /** Two people at once is no step of the challenge. @param {StagedFace[]} faces */
  #usable(faces) {
    return fitHint(faces, 255) === 'several' ? [] : faces;
  }

  /** @param {HTMLVideoElement} video */
  async #timed(video) {
    const black = new BlackWatch();
    const opened = performance.now();
    this.#say('face.hint.centre');
    while (this.running && performance.now() - opened < NO_MODEL_FIT) {
      if (black.observe(this.#brightness(video), performance.now())) throw new CameraTrouble('black');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (!this.running) return;
    this.challenge = await this.app.requireApi().challenge();
    this.frames = [];
    const challenge = new TimedChallenge(this.challenge.steps);
    const received = performance.now();
    while (this.running) {
      const now = performance.now();
      const guidance = challenge.observe(now);
      this.guidance = guidance;
      this.#say(`face.step.${guidance.step}`);
      if (guidance.record) await this.#record(video, guidance.step, now - received);
      if (guidance.done) return this.#send();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  /** @param {HTMLVideoElement} video @param {Step} step @param {number} at */
  async #record(video, step, at) {
    const { frame_max_px: longest = 720, frames_max: most = 40 } = this.app.session?.liveness ?? {};
    if (this.frames.length >= most) return;
    await freshFrame(video);
    const image = await still(video, this.#visible(video), Math.min(720, longest), 0.9);
    this.frames.push({ step, at_ms: nextTime(this.frames, at), image });
  }

  async #send() {
    this.#close();
    this.phase = 'sending';
    const { app, frames } = this;
    const nonce = this.challenge?.nonce ?? '';
    const key = newKey();
    try {
      const answer = await this.sending.run((onProgress) => app.requireApi().liveness(nonce, frames, key, onProgress));
      if (answer.usable) app.faceTaken(answer);
      else if (answer.attempts_left > 0) this.#again(answer.reasons, 'face.again_quality');
      else app.trouble('too_many_attempts');
    } catch (error) {
      if (error instanceof Problem && /^(challenge_|frames_)/.test(error.code)) {
        // The answer may have been lost after the frames arrived.
        if (await app.faceArrived()) return;
        this.#again([], error.code === 'challenge_expired' ? 'face.again_late' : 'face.again_quality');
      } else app.fail(error, 'face');
    }
  }

  /** @param {string[]} reasons @param {string} why */
  #again(reasons, why) {
    this.#close();
    this.reasons = reasons;
    this.why = why;
    this.phase = 'again';
  }

  render() {
    return html`<section class="screen face ${this.phase}">${this[/** @type {'_intro'} */ (`_${this.phase}`)]()}</section>`;
  }

  _intro() {
    return html`${faceDrawing()}${heading(t('face.title'))}
      <p class="lead">${t('face.lead')}</p>
      <ul class="tips"><li>${sun()}${t('face.tip_light')}</li><li>${glasses()}${t('face.tip_face')}</li><li>${turn()}${t('face.tip_move')}</li></ul>
      <div class="actions"><button class="button primary" @click=${() => this.#open()}>${camera()}${t('face.start')}</button>
        ${this.app.canHandOff ? html`<button class="button quiet" @click=${() => this.app.handOff()}>${t('action.use_phone')}</button>` : ''}</div>
      ${this.app.cameraPrimed ? '' : html`<p class="fine">${t('camera.primer')}</p>`}`;
  }

  _live() {
    const { width, height } = this.stage;
    const ry = Math.min(height * 0.4, width * 0.62);
    const rx = ry / 1.38;
    const cx = width / 2;
    const cy = height * 0.5;
    const ellipse = (/** @type {number} */ grow) => `M${cx} ${cy - ry - grow}a${rx + grow} ${ry + grow} 0 1 1 -.01 0Z`;
    const steps = this.challenge && this.guidance ? this.challenge.steps : [];
    const each = steps.length ? 100 / steps.length : 100;
    const at = this.guidance?.index ?? 0;
    const step = this.guidance && !this.guidance.done && !this.guidance.hint ? this.guidance.step : null;
    return html`${heading(t(this.guidance ? 'face.follow' : 'face.fit'))}
      <div class="stage portrait">
        <video class="mirrored" playsinline muted aria-label=${t('camera.preview')}></video>
        ${width ? html`<svg class="overlay" viewBox="0 0 ${width} ${height}" aria-hidden="true">
          <path class="veil" fill-rule="evenodd" d="M0 0H${width}V${height}H0Z${ellipse(0)}" />
          <path class="oval ${this.good ? 'lit' : ''}" d=${ellipse(0)} />
          ${steps.map((_, index) => svg`<path class="part ${index < at ? 'passed' : index === at ? 'current' : ''}" d=${ellipse(10)} pathLength="100"
            stroke-dasharray="${Math.max(0, each - 3)} ${100 - Math.max(0, each - 3)}" stroke-dashoffset=${-(index * each + 1.5)} />`)}
          ${steps.length && at < steps.length ? svg`<path class="part passed" d=${ellipse(10)} pathLength="100"
            stroke-dasharray="${Math.max(0.01, (each - 3) * (this.guidance?.progress ?? 0))} 100" stroke-dashoffset=${-(at * each + 1.5)} />` : ''}</svg>` : ''}
        ${this.running ? '' : html`<div class="spinner"></div>`}
        ${step === 'TURN_LEFT' || step === 'TURN_RIGHT' ? html`<div class="arrow ${step === 'TURN_LEFT' ? 'to-left' : 'to-right'}" aria-hidden="true">${arrow()}</div>` : ''}
        <p class="hint ${this.good ? 'ready' : ''}" aria-hidden="true">${this.words}</p>
      </div>
      <div class="under">${this.help ? html`<p class="fine">${t('face.help')}</p>` : html`<p class="fine upright">${t('face.upright')}</p><p class="fine sideways">${t('face.sideways')}</p>`}</div>`;
  }

  _sending() {
    const { fraction, waiting, seconds } = this.sending;
    return html`${faceDrawing()}${heading(t('sending.title'))}${sendingView({ fraction, waiting, seconds, retry: () => this.sending.retryNow() })}`;
  }

  _again() {
    return html`<div class="emblem warn">${warning()}</div>${heading(t('face.again'))}
      <p class="lead">${t(this.why)}</p>
      ${this.reasons.length ? html`<ul class="reasons">${this.reasons.slice(0, 3).map((reason) => html`<li>${t(knows(`reason.${reason}`) ? `reason.${reason}` : 'reason.other')}</li>`)}</ul>` : ''}
      <ul class="tips"><li>${sun()}${t('face.tip_light')}</li><li>${turn()}${t('face.tip_slow')}</li></ul>
      <div class="actions"><button class="button primary" @click=${() => this.#open()}>${camera()}${t('action.try_again')}</button>
      ${this.app.canHandOff ? html`<button class="button quiet" @click=${() => this.app.handOff()}>${t('action.use_phone')}</button>` : ''}</div>`;
  }
}
customElements.define('tn-face', FaceCapture);
