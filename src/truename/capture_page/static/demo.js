/** The developer's first page: open a fresh transaction of any type. In English, as the rest of the developer's pages. */

import { LitElement, html } from 'lit';
import { card, face, shield } from './icons.js';
import { ANSWERED_WITHIN, within } from './within.js';

const KINDS = [
  { type: 'DOCUMENT_AND_BIOMETRIC', title: 'Document and face', text: 'Photograph a document, follow a few head movements.', icon: shield },
  { type: 'DOCUMENT_ONLY', title: 'Document only', text: 'Read and check an identity document.', icon: card },
  { type: 'BIOMETRIC_ONLY', title: 'Face only', text: 'Liveness, and comparison with an earlier face.', icon: face },
];

class Demo extends LitElement {
  static properties = { busy: { state: true }, trouble: { state: true } };

  constructor() {
    super();
    this.busy = false;
    this.trouble = '';
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    const wanted = new URLSearchParams(location.search).get('type');
    if (wanted) this.#open(wanted);
  }

  /** @param {string} type */
  async #open(type) {
    this.busy = true;
    this.trouble = '';
    try {
      const { answer, said } = await within(ANSWERED_WITHIN, async (signal) => {
        const given = await fetch('/demo/transactions', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ transaction_type: type }), signal });
        return { answer: given, said: given.ok ? await given.json() : null };
      });
      if (said) return location.assign(said.url);
      this.trouble = answer.status === 404 ? 'The demo is switched off: there is no trial account here. “truename demo” makes one.' : `The service answered ${answer.status}.`;
    } catch {
      this.trouble = 'The service did not answer.';
    }
    this.busy = false;
    return undefined;
  }

  render() {
    return html`<div class="frame"><main><section class="screen">
      <div class="emblem">${shield()}</div>
      <h1 tabindex="-1">Try Truename</h1>
      <p class="lead">Each button opens a fresh transaction in the capture page, as your customer would see it. Afterwards you see what your server would receive.</p>
      <fieldset class="choices"><legend>What should be verified?</legend>
        ${KINDS.map(({ type, title, text, icon }) => html`<button class="choice" ?disabled=${this.busy} @click=${() => this.#open(type)}>${icon()}<span><strong>${title}</strong><small>${text}</small></span></button>`)}</fieldset>
      ${this.trouble ? html`<p class="error" role="alert">${this.trouble}</p>` : ''}
      <p class="fine">Cameras work on <code>localhost</code> or over <code>https</code> only. Pictures stay on this machine.</p>
    </section></main></div>`;
  }
}
customElements.define('tn-demo', Demo);
