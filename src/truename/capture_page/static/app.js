/** The whole capture, step by step: which screen is shown, and what comes next. */

import { LitElement, html } from 'lit';
import { Api, claimHandoff, Problem } from './api.js';
import { cameras, CameraTrouble } from './camera.js';
import { deviceName, isHandheld, signals, whereAmI } from './device.js';
import { mayBeShown, parentOrigin, returnAddress, tell } from './embed.js';
import { bestLanguage, clock, language, LANGUAGES, t, useLanguage } from './i18n.js';
import { doneDrawing, globe, shield } from './icons.js';
import { keep, kept, readLink } from './link.js';
import { Patience } from './patience.js';
import { focusHeading, heading, sendingView } from './screens/screen.js';
import { troubleView } from './screens/trouble.js';
import './screens/consent.js';
import './screens/choose.js';

/** @import { AcceptedDocument, ClaimAnswer, DocumentAnswer, LivenessAnswer, Session, Side } from './wire.js' */

/** Screens that are fetched only when they are needed. @type {Record<string, () => Promise<unknown>>} */
const LATER = {
  document: () => import('./screens/document.js'),
  face: () => import('./screens/face.js'),
  handoff: () => import('./screens/handoff.js'),
  confirm: () => import('./screens/handoff.js'),
};

export class TruenameVerify extends LitElement {
  static properties = { screen: { state: true }, spoken: { state: true }, left: { state: true }, languageNow: { state: true } };

  constructor() {
    super();
    this.screen = 'loading';
    this.spoken = '';
    /** Seconds until the link expires, once it is soon. @type {number | null} */
    this.left = null;
    this.languageNow = '';
    /** @type {Session | null} */
    this.session = null;
    /** @type {Api | null} */
    this.api = null;
    /** @type {ClaimAnswer | null} */
    this.claim = null;
    /** @type {AcceptedDocument | null} */
    this.choice = null;
    /** @type {Side} */
    this.side = 'front';
    this.fromFile = false;
    this.cameraPrimed = false;
    this.camerasTold = false;
    /** @type {{cameraLabels?: string[], location?: object}} */
    this.known = {};
    /** @type {Set<Side>} */
    this.usedAnyway = new Set();
    /** @type {{kind: string, where: string | null}} */
    this.problem = { kind: 'unknown', where: null };
    this.onPhone = false;
    this.skipHandoff = false;
    /** @type {string | null} */
    this.demo = null;
    this.clockOffset = 0;
    this.chosenLanguage = new URLSearchParams(location.search).get('lang');
    this.sending = new Patience(() => this.requestUpdate());
    this.finishedElsewhere = false;
    this.submittedOnce = false;
    this.outOfTakes = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#start();
    setInterval(() => this.#watchExpiry(), 1000);
    addEventListener('hashchange', () => location.hash.length > 1 && this.#start());
  }

  // ── beginning ──

  async #start() {
    const link = readLink();
    await this.#speak(bestLanguage([this.chosenLanguage, ...navigator.languages]));
    const earlier = kept();
    this.onPhone = link.code !== null || (link.token === null && (earlier?.phone ?? false));
    this.demo = link.demo ?? (link.token ? null : earlier?.demo ?? null);
    this.skipHandoff = link.token ? false : earlier?.skipHandoff ?? false;
    if (link.code) return this.#claim(link.code);
    const token = link.token ?? earlier?.token;
    if (!token) return this.trouble('link_missing');
    this.api = new Api(token);
    this.#keep();
    return this.retry();
  }

  #keep() {
    if (this.api) keep({ token: this.api.token, demo: this.demo, phone: this.onPhone, skipHandoff: this.skipHandoff });
  }

  /** @param {string} code */
  async #claim(code) {
    try {
      this.claim = await claimHandoff(code);
    } catch (error) {
      if (error instanceof Problem && !error.temporary) this.trouble('handoff_code');
      else this.fail(error);
      return;
    }
    this.api = new Api(this.claim.sdk_token);
    this.#keep();
    this.go('confirm');
  }

  confirmedHandoff() {
    this.claim = null;
    this.retry();
  }

  /** Read the session (again) and go where it says. @returns {Promise<void>} */
  async retry() {
    if (!this.api) {
      location.reload();
      return undefined;
    }
    this.go('loading');
    try {
      this.session = await this.api.session();
    } catch (error) {
      return this.fail(error);
    }
    const { session } = this;
    this.clockOffset = Date.parse(session.now) - Date.now();
    if (!mayBeShown(session.return.origins, this.api.token)) return this.trouble('not_here');
    if (!this.chosenLanguage && session.language) await this.#speak(bestLanguage([session.language]));
    const { country, type } = session.progress.document;
    this.choice ??= session.documents.find((document) => document.country === country && document.type === type) ?? null;
    if (session.documents.length === 1) this.choice = session.documents[0] ?? null;
    tell(session.return.origins, 'ready', { transaction_id: session.transaction_id });
    if (session.consent.given) this.#tellDevice();
    return this.next();
  }

  /** After a trouble: a camera that was asked for is opened again at once. */
  tryAgain() {
    this.cameraPrimed ||= this.problem.where !== null;
    return this.retry();
  }

  serverNow() {
    return Date.now() + this.clockOffset;
  }

  #watchExpiry() {
    if (!this.session || ['done', 'trouble', 'loading'].includes(this.screen)) return;
    const left = (Date.parse(this.session.expires_at) - this.serverNow()) / 1000;
    this.left = left < 120 ? left : null;
    if (left <= 0) this.trouble('transaction_expired');
  }

  // ── what comes next ──

  /** @returns {Promise<void>} */
  next() {
    const { session } = this;
    if (!session) return this.retry();
    const { document: taken, liveness } = session.progress;
    if (!session.consent.given) return this.go('consent');
    if (session.steps.includes('DOCUMENT')) {
      const frontDone = this.#settled(taken.front, 'front');
      const wantsBack = frontDone && (taken.back_needed ?? this.choice?.sides.includes('back') ?? false);
      const backDone = this.#settled(taken.back, 'back');
      if (!frontDone || (wantsBack && !backDone)) {
        if (this.canHandOff && !this.skipHandoff && !isHandheld()) return this.go('handoff');
        if (!this.choice && !frontDone) return this.go('choose');
        this.side = frontDone ? 'back' : 'front';
        return this.go('document');
      }
    }
    if (session.steps.includes('LIVENESS') && !liveness.done) return this.go('face');
    return this.#submit();
  }

  /** @param {{usable: boolean, takes_left: number} | null} take @param {Side} side */
  #settled(take, side) {
    return take !== null && (take.usable || this.usedAnyway.has(side) || take.takes_left === 0);
  }

  get canHandOff() {
    return Boolean(this.session?.handoff && !this.onPhone && !isHandheld());
  }

  consented() {
    this.#tellDevice();
    this.next();
  }

  declined() {
    tell(this.session?.return.origins ?? [], 'declined', { transaction_id: this.session?.transaction_id });
    this.go('declined');
  }

  handOff() {
    this.skipHandoff = false;
    this.#keep();
    this.go('handoff');
  }

  stayHere() {
    this.skipHandoff = true;
    this.#keep();
    this.retry();
  }

  /** @param {AcceptedDocument} document */
  chose(document) {
    this.choice = document;
    this.side = 'front';
    this.go('document');
  }

  chooseAgain() {
    this.choice = null;
    this.go('choose');
  }

  useFile() {
    this.fromFile = true;
    this.next();
  }

  /** @param {Side} side @param {DocumentAnswer} answer */
  useAnyway(side, answer) {
    this.usedAnyway.add(side);
    this.documentTaken(side, answer);
  }

  /** @param {Side} side @param {DocumentAnswer} answer */
  documentTaken(side, answer) {
    const taken = /** @type {Session} */ (this.session).progress.document;
    taken[side] = { usable: answer.usable || answer.reasons.every((reason) => reason === 'BACK_NEEDED'), reasons: answer.reasons, takes_left: answer.takes_left };
    if (side === 'front') {
      taken.back = null;
      taken.back_needed = answer.back_needed ?? (answer.reasons.includes('BACK_NEEDED') ? true : null);
    }
    this.next();
  }

  /** @param {LivenessAnswer} _answer */
  faceTaken(_answer) {
    /** @type {Session} */ (this.session).progress.liveness.done = true;
    this.next();
  }

  /** Did the frames reach the service although its answer did not reach us? */
  async faceArrived() {
    try {
      this.session = await this.requireApi().session();
    } catch (error) {
      this.fail(error);
      return true;
    }
    if (this.session.progress.liveness.done) this.next();
    return this.session.progress.liveness.done;
  }

  async #submit() {
    this.go('submitting');
    try {
      await this.sending.run(() => this.requireApi().submit());
      this.finished(false);
    } catch (error) {
      if (error instanceof Problem && ['capture_missing', 'consent_missing', 'wrong_step'].includes(error.code) && !this.submittedOnce) {
        this.submittedOnce = true;
        this.usedAnyway.clear();
        this.retry();
      } else this.fail(error);
    }
  }

  /** @param {boolean} elsewhere on the phone that took over */
  finished(elsewhere) {
    this.finishedElsewhere = elsewhere;
    const { session } = this;
    tell(session?.return.origins ?? [], 'done', { transaction_id: session?.transaction_id });
    if (session?.return.url && !this.onPhone && parentOrigin() === null && !this.demo) setTimeout(() => this.leave('done'), 4000);
    return this.go('done');
  }

  /** @param {'done' | 'declined'} status */
  leave(status) {
    const { session } = this;
    if (parentOrigin() !== null) tell(session?.return.origins ?? [], 'closed', { transaction_id: session?.transaction_id });
    else if (session?.return.url) location.assign(returnAddress(session.return.url, session.transaction_id, status));
  }

  // ── trouble ──

  /** @param {unknown} error @param {string | null} [where] @returns {Promise<void>} */
  fail(error, where = null) {
    if (error instanceof CameraTrouble) return this.trouble(error.fault, where);
    if (error instanceof Problem) {
      if (error.code === 'already_submitted') return this.finished(false);
      if (['consent_missing', 'capture_missing', 'wrong_step'].includes(error.code)) return this.retry();
      if (error.code.startsWith('handoff_')) return this.trouble('handoff_code', where);
      if (error.code === 'too_many_takes' && !this.outOfTakes) {
        // The last take stands: the session says so.
        this.outOfTakes = true;
        return this.retry();
      }
      if (error.code === 'too_many_requests') return this.trouble('unavailable', where);
      return this.trouble(error.code, where);
    }
    return this.trouble('unknown', where);
  }

  /** @param {string} kind @param {string | null} [where] */
  trouble(kind, where = null) {
    this.problem = { kind, where };
    tell(this.session?.return.origins ?? null, 'error', { transaction_id: this.session?.transaction_id, code: kind });
    return this.go('trouble');
  }

  // ── signals ──

  async #tellDevice() {
    const { session } = this;
    if (!session || session.progress.device) return;
    session.progress.device = true;
    const place = session.wants_location ? whereAmI() : Promise.resolve(null);
    await this.#signals({});
    const location = await place;
    if (location) await this.#signals({ location });
  }

  async tellCameras() {
    if (this.camerasTold) return;
    this.camerasTold = true;
    await this.#signals({ cameraLabels: (await cameras()).map((device) => device.label) });
  }

  /** Signals never stop a capture: the service judges what it has. Each report holds all that is known, as it replaces the one before. @param {{cameraLabels?: string[], location?: object}} more */
  async #signals(more) {
    this.known = { ...this.known, ...more };
    try {
      await this.api?.device(signals(this.known));
    } catch (error) {
      console.warn('device signals were not taken', deviceName(), error);
    }
  }

  // ── showing ──

  requireApi() {
    if (!this.api) throw new Problem('not_authenticated');
    return this.api;
  }

  /** @param {string} screen */
  async go(screen) {
    await LATER[screen]?.();
    // A screen that is left and entered again begins anew.
    this.screen = '';
    await this.updateComplete;
    this.screen = screen;
    await this.updateComplete;
    focusHeading(this);
    scrollTo(0, 0);
  }

  /** @param {string} text */
  announce(text) {
    this.spoken = text;
  }

  /** @param {string} code */
  async #speak(code) {
    await useLanguage(code);
    this.languageNow = language();
    document.title = t('page.title');
    for (const part of this.querySelectorAll('*')) if (part instanceof LitElement) part.requestUpdate();
  }

  render() {
    if (!this.languageNow) return html`<div class="spinner"></div>`;
    return html`<div class="frame">
      <header class="top">${this.#progress()}</header>
      <main id="content">${this.#view()}</main>
      <footer class="bottom">
        <label class="language">${globe()}<span class="only-spoken">${t('page.language')}</span>
          <select @change=${(/** @type {Event} */ event) => { this.chosenLanguage = /** @type {HTMLSelectElement} */ (event.target).value; this.#speak(this.chosenLanguage); }}>
            ${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code} lang=${code} ?selected=${code === this.languageNow}>${name}</option>`)}</select></label>
        <span class="brand">${shield()}Truename</span>
      </footer>
    </div>
    <div class="only-spoken" aria-live="polite" role="status">${this.spoken}</div>`;
  }

  #progress() {
    const steps = [...(this.session?.steps ?? [])];
    const at = { consent: 0, declined: 0, choose: steps.indexOf('DOCUMENT'), handoff: Math.min(1, steps.length - 1), document: steps.indexOf('DOCUMENT'), face: steps.indexOf('LIVENESS'), submitting: steps.length, done: steps.length }[this.screen] ?? -1;
    const label = at < 0 || !steps.length ? '' : t('page.progress', { step: Math.min(at + 1, steps.length), count: steps.length });
    return html`${steps.length && at >= 0 ? html`<div class="progress" role="img" aria-label=${label}>${steps.map((_, index) => html`<span class=${index < at ? 'passed' : index === at ? 'current' : ''}></span>`)}</div>` : html`<div class="progress"></div>`}
      ${this.left !== null && this.screen !== 'done' ? html`<p class="expiry" role="status">${t('page.expires', { time: clock(this.left) })}</p>` : ''}`;
  }

  #view() {
    switch (this.screen) {
      case 'consent': return html`<tn-consent .app=${this}></tn-consent>`;
      case 'choose': return html`<tn-choose .app=${this}></tn-choose>`;
      case 'handoff': return html`<tn-handoff .app=${this}></tn-handoff>`;
      case 'confirm': return html`<tn-confirm-handoff .app=${this}></tn-confirm-handoff>`;
      case 'document': return html`<tn-document .app=${this} .side=${this.side} .fromFile=${this.fromFile}></tn-document>`;
      case 'face': return html`<tn-face .app=${this}></tn-face>`;
      case 'trouble': return troubleView(this, this.problem.kind, this.problem.where);
      case 'declined': return this.#declinedView();
      case 'done': return this.#doneView();
      case 'submitting': return html`<section class="screen">${heading(t('submit.title'))}${sendingView({ fraction: 1, waiting: this.sending.waiting, seconds: this.sending.seconds, retry: () => this.sending.retryNow() })}</section>`;
      default: return html`<section class="screen loading"><div class="spinner"></div><p class="lead" role="status">${t('page.loading')}</p></section>`;
    }
  }

  #declinedView() {
    const name = this.session?.account.name ?? '';
    return html`<section class="screen"><div class="emblem">${shield()}</div>${heading(t('declined.title'))}<p class="lead">${t('declined.text', { name })}</p>
      <div class="actions">${this.session?.return.url || parentOrigin() !== null ? html`<button class="button primary" @click=${() => this.leave('declined')}>${t('action.return', { name })}</button>` : ''}
      <button class="button quiet" @click=${() => this.go('consent')}>${t('declined.again')}</button></div></section>`;
  }

  #doneView() {
    const name = this.session?.account.name ?? '';
    const text = this.onPhone ? 'done.text_phone' : 'done.text';
    return html`<section class="screen done">${doneDrawing()}${heading(t(this.onPhone ? 'done.title_phone' : 'done.title'))}<p class="lead">${name ? t(text, { name }) : t('done.text_plain')}</p>
      <div class="actions">
        ${this.demo ? html`<a class="button primary" href="/verify/demo-result#d=${this.demo}">${t('done.demo')}</a>` : ''}
        ${!this.onPhone && (this.session?.return.url || parentOrigin() !== null) ? html`<button class="button ${this.demo ? 'quiet' : 'primary'}" @click=${() => this.leave('done')}>${t('action.return', { name })}</button>` : ''}
      </div><p class="fine">${t(this.onPhone ? 'done.close_phone' : 'done.close')}</p></section>`;
  }
}
customElements.define('truename-verify', TruenameVerify);
