/**
 * The face before the camera: fitting into the oval, the server's steps, and the frames of each.
 * Says `tn-recorded` ({nonce, frames}) or `tn-too-slow`.
 */

import { html, svg } from 'lit';
import { blackTrouble, BlackWatch, CameraTrouble, closeCamera, encoded, freshFrame, openCamera, show, snapshot } from '../camera.js';
import { Problem } from '../errors.js';
import { Challenge, keptFrames, nextTime, TimedChallenge } from '../face/challenge.js';
import { LOOK_HEIGHT } from '../face/finder.js';
import { fitHint, onStage, visiblePart } from '../face/fit.js';
import { Meanwhile } from '../face/meanwhile.js';
import { aimOf, colourOf, onOval, SIZES, wordsOf } from '../face/targets.js';
import { t } from '../i18n.js';
import { Announcer, Steady } from '../steady.js';
import { heading, Screen } from './screen.js';

/** @import { ChallengeAnswer, RecordedFrame, Session, Step } from '../wire.js' */
/** @import { FaceFinder } from '../face/finder.js' */
/** @import { StagedFace } from '../face/fit.js' */
/** @import { Guidance } from '../face/challenge.js' */

const FIT_FOR = 450;
const HELP_AFTER = 7000;
const STEP_WITHIN = 20_000;
const NO_MODEL_FIT = 4000;

/** May the screen show colours? Not where the service does not want it, nor to whom motion is unwelcome. @param {Session['liveness'] | null} bounds */
export const lights = (bounds) => Boolean(bounds?.light) && !matchMedia('(prefers-reduced-motion: reduce)').matches;

export class FaceLive extends Screen {
  static properties = {
    ...Screen.properties, finder: { attribute: false }, ask: { attribute: false }, bounds: { attribute: false }, words: { state: true }, guidance: { state: true },
    help: { state: true }, stage: { state: true }, good: { state: true }, running: { state: true },
  };

  constructor() {
    super();
    /** The face model once it is there; null where the browser cannot run it: then the steps go by the clock. @type {Promise<FaceFinder | null>} */
    this.finder = Promise.resolve(null);
    /** @type {(light: boolean) => Promise<ChallengeAnswer>} */
    this.ask = () => Promise.reject(new Problem('offline'));
    /** @type {Session['liveness']} */
    this.bounds = { challenge_seconds: 0, frames_min: 0, frames_max: 0, frame_max_px: 0, light: false };
    this.words = t('face.loading');
    this.good = false;
    /** @type {Guidance | null} */
    this.guidance = null;
    this.help = false;
    this.stage = { width: 0, height: 0 };
    /** @type {MediaStream | null} */
    this.stream = null;
    this.running = false;
    /** @type {ChallengeAnswer | null} */
    this.challenge = null;
    /** @type {RecordedFrame[]} */
    this.frames = [];
    this.small = document.createElement('canvas');
    /** The picture that is looked at, and recorded once it was measured: by then the head may be elsewhere. */
    this.looked = document.createElement('canvas');
    this.meanwhile = new Meanwhile();
    this.announcer = new Announcer((text) => this.announce(text));
    this.resized = new ResizeObserver(([entry]) => {
      if (entry) this.stage = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
  }

  connectedCallback() {
    super.connectedCallback();
    this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#close();
    this.resized.disconnect();
  }

  async #open() {
    await this.updateComplete;
    const video = /** @type {HTMLVideoElement} */ (this.querySelector('video'));
    this.resized.observe(/** @type {Element} */ (this.querySelector('.stage')));
    try {
      this.stream = await openCamera('user', { width: 1280, height: 720 });
      if (!this.isConnected) return this.#close();
      this.say('tn-camera-opened');
      this.stream.getVideoTracks()[0]?.addEventListener('ended', () => this.running && document.visibilityState === 'visible' && this.#trouble(new CameraTrouble('busy')));
      await show(video, this.stream);
    } catch (error) {
      return this.#trouble(error);
    }
    const finder = await this.finder;
    if (!this.isConnected || !this.stream) return undefined;
    this.running = true;
    try {
      await (finder ? this.#guided(video, finder) : this.#timed(video));
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
    if (this.isConnected) this.fail(error, 'face');
  }

  #recorded() {
    this.#close();
    this.say('tn-recorded', { nonce: this.challenge?.nonce ?? '', frames: this.frames });
  }

  #tooSlow() {
    this.#close();
    this.say('tn-too-slow');
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
    this.#tell(t(key));
  }

  /** @param {string} words */
  #tell(words) {
    this.words = words;
    this.announcer.say(words);
  }

  /** @param {Step} step */
  #stepWords(step) {
    const named = wordsOf(step);
    if (named) return t(`face.aim.${named.ring}`, { way: t(`face.way.${named.way}`) });
    return t(colourOf(step) ? 'face.step.LIGHT' : `face.step.${step}`);
  }

  /** Look, hint, ask for the challenge, lead through it. @param {HTMLVideoElement} video @param {FaceFinder} finder */
  async #guided(video, finder) {
    /** @type {Steady<string>} */
    const steady = new Steady();
    const black = new BlackWatch();
    const opened = performance.now();
    let fits = 0;
    /** @type {Challenge | null} */
    let challenge = null;
    let stepBegan = 0;
    let received = 0;
    let another = Promise.resolve(true);
    while (this.running) {
      // To look twice at one picture tells nothing, and warms the phone.
      const fresh = await another;
      another = freshFrame(video);
      const now = performance.now();
      const brightness = this.#brightness(video);
      if (black.observe(brightness, now)) throw blackTrouble(this.stream);
      if (challenge && (now - stepBegan > STEP_WITHIN || now - received > ((this.challenge?.seconds ?? 90) - 12) * 1000)) return this.#tooSlow();
      if (!fresh) continue;
      if (challenge) this.#snapshot(video, this.looked);
      const looking = finder.look(video, now);
      if (challenge?.waits) this.meanwhile.watch(looking, () => freshFrame(video), (canvas) => this.#snapshot(video, canvas));
      else this.meanwhile.forget();
      const seen = await looking;
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
          this.challenge = await this.ask(lights(this.bounds));
          challenge = new Challenge(this.challenge.steps);
          this.frames = [];
          received = stepBegan = performance.now();
        }
        continue;
      }
      if (now < received) continue;
      const before = this.guidance?.index ?? 0;
      const guidance = challenge.observe(this.#usable(faces), now, performance.now());
      if (guidance.skipped && (await this.#recall(video, challenge, finder, guidance.step, received)) && guidance.hint === 'again_slower') guidance.hint = 'ready';
      if (!this.running) return;
      this.guidance = guidance;
      this.good = guidance.progress >= 1;
      if (guidance.index !== before) stepBegan = now;
      const words = guidance.hint ? t(`face.hint.${guidance.hint}`) : this.#stepWords(guidance.step);
      // What is asked for is said at once; what helps, when it has helped for a moment.
      this.#tell(guidance.hint && guidance.index === before ? steady.settle(words, now) : words);
      if (guidance.restart) this.frames = keptFrames(this.frames, guidance);
      if (guidance.record) await this.#record(guidance.step, now - received);
      if (guidance.done) return this.#recorded();
    }
  }

  /**
   * The head was not seen on its way: do pictures that were taken meanwhile show it? They are recorded then.
   * @param {HTMLVideoElement} video @param {Challenge} challenge @param {FaceFinder} finder @param {Step} step @param {number} received
   */
  async #recall(video, challenge, finder, step, received) {
    const visible = this.#visible(video);
    // At its place in the video's picture: the finder looks for a face where it was in the one before.
    const whole = document.createElement('canvas');
    whole.height = LOOK_HEIGHT;
    whole.width = Math.round((LOOK_HEIGHT * video.videoWidth) / video.videoHeight);
    const scale = LOOK_HEIGHT / video.videoHeight;
    const context = /** @type {CanvasRenderingContext2D} */ (whole.getContext('2d'));
    const found = await this.meanwhile.recall(challenge, async (picture) => {
      context.drawImage(picture, visible.x * scale, visible.y * scale, visible.width * scale, visible.height * scale);
      const seen = await finder.look(whole, performance.now());
      return seen && this.#usable(seen.faces.map((face) => onStage(face, video.videoWidth, video.videoHeight, visible)));
    });
    for (const { picture, at } of found) await this.#record(step, at - received, picture);
    return found.length > 0;
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
      if (black.observe(this.#brightness(video), performance.now())) throw blackTrouble(this.stream);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (!this.running) return;
    this.challenge = await this.ask(false);
    this.frames = [];
    const challenge = new TimedChallenge(this.challenge.steps);
    const received = performance.now();
    while (this.running) {
      const now = performance.now();
      const guidance = challenge.observe(now);
      this.guidance = guidance;
      this.#tell(this.#stepWords(guidance.step));
      if (guidance.record) {
        await freshFrame(video);
        this.#snapshot(video, this.looked);
        await this.#record(guidance.step, now - received);
      }
      if (guidance.done) return this.#recorded();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  /** @param {HTMLVideoElement} video @param {HTMLCanvasElement} [canvas] */
  #snapshot(video, canvas) {
    return snapshot(video, this.#visible(video), Math.min(720, this.bounds.frame_max_px), canvas);
  }

  /** Keep the picture that was looked at. @param {Step} step @param {number} at @param {HTMLCanvasElement} [picture] */
  async #record(step, at, picture = this.looked) {
    if (this.frames.length >= this.bounds.frames_max) return;
    this.frames.push({ step, at_ms: nextTime(this.frames, at), image: await encoded(picture, 0.9) });
  }

  /** What is asked for now, as a picture: the target and where the nose points, or the size of the face. @param {number} cx @param {number} cy @param {number} rx @param {number} ry */
  #asked(cx, cy, rx, ry) {
    if (!this.guidance || this.guidance.done) return '';
    const { step, aim: now, size, base } = this.guidance;
    const aim = aimOf(step);
    if (aim) {
      const place = (/** @type {import('../face/targets.js').Aim} */ one) => ({ x: cx + onOval(one).x * rx * 0.88, y: cy + onOval(one).y * ry * 0.88 });
      const [target, nose] = [place(aim), place(now)];
      return svg`<line class="pull" x1=${nose.x} y1=${nose.y} x2=${target.x} y2=${target.y} />
        <circle class="target ${this.good ? 'met' : ''}" cx=${target.x} cy=${target.y} r="22" /><circle class="bull" cx=${target.x} cy=${target.y} r="5" />
        ${base ? svg`<circle class="nose ${this.good ? 'met' : ''}" cx=${nose.x} cy=${nose.y} r="10" />` : ''}`;
    }
    const wanted = SIZES[step];
    if (!wanted || !base) return '';
    const tall = (/** @type {number} */ ratio) => (ratio * base * this.stage.height) / 2;
    return svg`<ellipse class="wanted ${this.good ? 'met' : ''}" cx=${cx} cy=${cy} rx=${tall(wanted) / 1.38} ry=${tall(wanted)} />
      <ellipse class="now" cx=${cx} cy=${cy} rx=${tall(size) / 1.38} ry=${tall(size)} />`;
  }

  render() {
    const { width, height } = this.stage;
    const ry = Math.min(height * 0.4, width * 0.62);
    const rx = ry / 1.38;
    const cx = width / 2;
    const cy = height * 0.5;
    const ellipse = (/** @type {number} */ grow) => `M${cx} ${cy - ry - grow}a${rx + grow} ${ry + grow} 0 1 1 -.01 0Z`;
    const steps = this.challenge && this.guidance ? this.challenge.steps : [];
    const each = steps.length ? 100 / steps.length : 100;
    const at = this.guidance?.index ?? 0;
    const colour = this.guidance && !this.guidance.done ? colourOf(this.guidance.step) : null;
    return html`${heading(t(this.guidance ? 'face.follow' : 'face.fit'))}
      ${colour ? html`<svg class="flood" aria-hidden="true"><rect width="100%" height="100%" fill=${colour} /></svg>` : ''}
      <div class="look ${colour ? 'lit' : ''}"><div class="view">
      <div class="stage portrait ${colour ? 'lit' : ''}">
        <video class="mirrored" playsinline muted aria-label=${t('camera.preview')}></video>
        ${width ? html`<svg class="overlay" viewBox="0 0 ${width} ${height}" aria-hidden="true">
          <path class="veil" fill=${colour ?? ''} fill-rule="evenodd" d="M0 0H${width}V${height}H0Z${ellipse(0)}" />
          <path class="oval ${this.good ? 'lit' : ''}" d=${ellipse(0)} />
          ${steps.map((_, index) => svg`<path class="part ${index < at ? 'passed' : index === at ? 'current' : ''}" d=${ellipse(10)} pathLength="100"
            stroke-dasharray="${Math.max(0, each - 3)} ${100 - Math.max(0, each - 3)}" stroke-dashoffset=${-(index * each + 1.5)} />`)}
          ${steps.length && at < steps.length ? svg`<path class="part passed" d=${ellipse(10)} pathLength="100"
            stroke-dasharray="${Math.max(0.01, (each - 3) * (this.guidance?.progress ?? 0))} 100" stroke-dashoffset=${-(at * each + 1.5)} />` : ''}
          ${this.#asked(cx, cy, rx, ry)}</svg>` : ''}
        ${this.running ? '' : html`<div class="spinner"></div>`}
      </div>
      <p class="hint ${this.good ? 'ready' : ''}" aria-hidden="true">${this.words}</p>
      </div></div>
      <div class="under">${this.help ? html`<p class="fine">${t('face.help')}</p>` : html`<p class="fine upright">${t('face.upright')}</p><p class="fine sideways">${t('face.sideways')}</p>`}</div>`;
  }
}
customElements.define('tn-face-live', FaceLive);
