/** What all screens share: plain DOM (one style sheet, no shadow), focus on the heading when a step begins, and events that say what happened. */

import { LitElement, html } from 'lit';
import { t } from '../i18n.js';

/** @import { TemplateResult } from 'lit' */

/**
 * A screen is given what it shows as properties and says what happened by events; it knows nothing of who shows it.
 * Any screen may say `tn-failed` ({error, where}), `tn-announced` (text for screen readers), `tn-camera-opened` and `tn-phone-wanted`.
 */
export class Screen extends LitElement {
  static properties = { phase: { state: true } };

  constructor() {
    super();
    this.phase = '';
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has('phase')) focusHeading(this);
  }

  /** @param {`tn-${string}`} event @param {unknown} [detail] */
  say(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { detail, bubbles: true }));
  }

  /** @param {string} text */
  announce(text) {
    this.say('tn-announced', text);
  }

  /** @param {unknown} error @param {string | null} [where] the screen whose camera it was */
  fail(error, where = null) {
    this.say('tn-failed', { error, where });
  }
}

/** Screen readers and keyboards begin at the new step's heading. @param {ParentNode} root */
export function focusHeading(root) {
  const heading = /** @type {HTMLElement | null} */ (root.querySelector('h1'));
  heading?.focus({ preventScroll: false });
}

/** @param {unknown} text */
export const heading = (text) => html`<h1 tabindex="-1">${text}</h1>`;

/**
 * How a sending goes: a bar, and words that grow with the wait.
 * @param {{fraction: number, waiting: boolean, busy: boolean, seconds: number, retry: () => void}} state
 */
export function sendingView({ fraction, waiting, busy, seconds, retry }) {
  const words = waiting ? t(busy ? 'sending.busy' : 'sending.waiting') : seconds > 20 ? t('sending.very_long') : seconds > 8 ? t('sending.long') : fraction < 1 ? t('sending.now') : t('sending.checking');
  return html`<div class="sending">
    <progress max="1" .value=${Math.max(0.04, fraction)} aria-label=${t('sending.title')}></progress>
    <p role="status">${words}</p>
    ${waiting ? html`<button class="button quiet" @click=${retry}>${t('action.try_now')}</button>` : ''}
  </div>`;
}

/** A question that must be answered before going on. */
export class Dialog extends LitElement {
  static properties = { heading: {}, text: {}, actions: { attribute: false } };

  constructor() {
    super();
    this.heading = '';
    this.text = '';
    /** What had the focus before. @type {HTMLElement | null} */
    this.opener = null;
    /** The first is the way Escape takes. @type {{label: string, kind: string, act: () => void}[]} */
    this.actions = [];
  }

  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    this.opener = /** @type {HTMLElement | null} */ (document.activeElement);
    this.querySelector('dialog')?.showModal();
  }

  /** A dialog that is taken away, rather than closed, leaves the focus nowhere. */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.opener?.focus();
  }

  /** @returns {TemplateResult} */
  render() {
    return html`<dialog role="alertdialog" aria-labelledby="dialog-title" aria-describedby="dialog-text"
        @cancel=${(/** @type {Event} */ event) => { event.preventDefault(); this.actions[0]?.act(); }}>
      <h2 id="dialog-title">${this.heading}</h2>
      <p id="dialog-text">${this.text}</p>
      <div class="actions">${this.actions.map(({ label, kind, act }) => html`<button class="button ${kind}" @click=${act}>${label}</button>`)}</div>
    </dialog>`;
  }
}
customElements.define('tn-dialog', Dialog);
