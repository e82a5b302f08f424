/** The page's one element: shows the screen that the capture asks for, in the person's language. */

import { LitElement, html } from 'lit';
import { Capture } from './capture.js';
import { placeOf } from './flow.js';
import { frameView } from './frame.js';
import { bestLanguage, clock, language, t, useLanguage } from './i18n.js';
import { Patience } from './patience.js';
import { focusHeading } from './screens/screen.js';
import { load, viewOf } from './views.js';

/** @import { Screen } from './flow.js' */

/** Seconds before the end of the link from which the clock is shown. */
const EXPIRES_SOON = 120;
/** Seconds before the end at which screen readers say it: each second would drown everything else. */
const SPOKEN_AT = [120, 60, 20];

export class TruenameVerify extends LitElement {
  static properties = { screen: { state: true }, spoken: { state: true }, left: { state: true }, languageNow: { state: true } };

  constructor() {
    super();
    /** @type {Screen | null} */
    this.screen = { name: 'loading' };
    /** For screen readers. */
    this.spoken = '';
    /** Seconds until the link expires, once it is soon. @type {number | null} */
    this.left = null;
    this.languageNow = '';
    this.chosenLanguage = new URLSearchParams(location.search).get('lang');
    /** Counts the changes of screen, so that a slow one does not overtake a later one. */
    this.turn = 0;
    this.capture = new Capture({
      show: (screen) => this.#show(screen),
      // What the person or the address chose comes before the integrator's hint.
      speak: async (code) => { if (!this.chosenLanguage) await this.#speak(bestLanguage([code])); },
      changed: () => this.requestUpdate(),
    });
  }

  createRenderRoot() {
    return this;
  }

  async connectedCallback() {
    super.connectedCallback();
    setInterval(() => this.#watchExpiry(), 1000);
    addEventListener('hashchange', () => location.hash.length > 1 && this.capture.start());
    await this.#speakChosen();
    await this.capture.start();
  }

  #watchExpiry() {
    if (['done', 'trouble', 'loading'].includes(this.screen?.name ?? 'loading')) return;
    const { left } = this.capture;
    if (SPOKEN_AT.some((mark) => left <= mark && mark < (this.left ?? Infinity))) this.spoken = t('page.expires', { time: clock(left) });
    this.left = left < EXPIRES_SOON ? left : null;
    if (left <= 0) this.capture.trouble('transaction_expired');
  }

  /** @param {Screen} screen */
  async #show(screen) {
    this.turn += 1;
    const { turn } = this;
    const loaded = await load(screen.name).then(() => true, () => false);
    if (turn !== this.turn) return false;
    if (!loaded) {
      this.capture.screenLost();
      return false;
    }
    // A screen that is left and entered again begins anew.
    this.screen = null;
    await this.updateComplete;
    if (turn !== this.turn) return false;
    this.screen = screen;
    await this.updateComplete;
    focusHeading(this);
    scrollTo(0, 0);
    return true;
  }

  /** Without its words nothing can be said, not even that they are missing: they are asked for until they come. */
  #speakChosen() {
    return new Patience(() => {}).run(() => this.#speak(bestLanguage([this.chosenLanguage, ...navigator.languages])));
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
    return frameView({
      place: placeOf(this.capture.session, this.screen?.name ?? 'loading'),
      test: this.capture.known?.livemode === false,
      left: this.screen?.name === 'done' ? null : this.left,
      language: this.languageNow,
      spoken: this.spoken,
      view: viewOf(this.screen, this.capture, (text) => { this.spoken = text; }),
      onLanguage: (code) => {
        this.chosenLanguage = code;
        this.#speakChosen();
      },
    });
  }
}
customElements.define('truename-verify', TruenameVerify);
