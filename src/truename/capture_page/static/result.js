/** What the integrator would receive: decision, issues explained, checks, webhook events, the whole answer. For developers, in English. */

import { LitElement, html } from 'lit';
import { ANSWERED_WITHIN, within } from './within.js';

const FINAL = new Set(['APPROVED', 'REJECTED', 'IN_REVIEW', 'FAILED', 'EXPIRED', 'CANCELLED']);
const TONE = /** @type {Record<string, string>} */ ({ APPROVED: 'good', REJECTED: 'bad', FAILED: 'bad', IN_REVIEW: 'warn', REJECTION: 'bad', WARNING: 'warn', INFORMATIONAL: 'plain', PASSED: 'good', INCONCLUSIVE: 'warn', NOT_RUN: 'plain' });

class Result extends LitElement {
  static properties = { data: { state: true }, trouble: { state: true } };

  constructor() {
    super();
    /** @type {any} */
    this.data = null;
    this.trouble = '';
    const given = new URLSearchParams(location.hash.slice(1)).get('d');
    if (given) {
      sessionStorage.setItem('truename.demo', given);
      history.replaceState(null, '', location.pathname);
    }
    this.polls = 0;
    this.key = given ?? sessionStorage.getItem('truename.demo');
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#read();
  }

  async #read() {
    if (!this.key) {
      this.trouble = 'There is no demo result here: start at /demo.';
      return;
    }
    try {
      const { answer, said } = await within(ANSWERED_WITHIN, async (signal) => {
        const given = await fetch('/demo/result', { headers: { Authorization: `Bearer ${this.key}` }, cache: 'no-store', signal });
        return { answer: given, said: given.ok ? await given.json() : null };
      });
      if (!said) {
        this.trouble = `The service answered ${answer.status}.`;
        return;
      }
      this.data = said;
      this.trouble = '';
    } catch {
      this.trouble = 'The service did not answer; trying again.';
    }
    // Events arrive a moment after the decision.
    const settled = this.data && FINAL.has(this.data.transaction.status) && (this.data.events.length > 0 || this.polls > 8);
    this.polls = this.polls + 1;
    if (!settled && this.polls < 400) setTimeout(() => this.#read(), 1500);
  }

  render() {
    const { data } = this;
    return html`<div class="developer"><main>
      <h1 tabindex="-1">What your server receives</h1>
      ${this.trouble ? html`<p class="error" role="alert">${this.trouble}</p>` : ''}
      ${data ? this.#found(data) : this.trouble ? '' : html`<div class="spinner"></div>`}
      <p><a class="button quiet" href="/demo">Try another</a></p>
    </main></div>`;
  }

  /** @param {any} data */
  #found({ transaction, issue_codes: explained, events }) {
    const badge = (/** @type {string} */ word) => html`<span class="badge ${TONE[word] ?? 'plain'}">${word}</span>`;
    return html`${transaction.livemode === false ? html`<p class="test-mode">Test mode: nothing here is a real verification.</p>` : ''}
      <section aria-live="polite"><p class="verdict">${badge(transaction.status)} ${FINAL.has(transaction.status) ? '' : html`<span class="fine">The analysis is running; this page follows it.</span>`}</p></section>
      <section><h2>Issues</h2>${transaction.issues?.length
        ? html`<ul class="rows">${transaction.issues.map((/** @type {any} */ issue) => html`<li><div>${badge(issue.severity)} <code>${issue.code}</code></div>
            <p>${explained?.[issue.code] ?? ''}</p>
            <p class="fine">${issue.policy ? html`Set by <code>${issue.policy}</code>. ` : ''}${issue.details && Object.keys(issue.details).length ? html`<code>${JSON.stringify(issue.details)}</code>` : ''}</p></li>`)}</ul>`
        : html`<p class="fine">${FINAL.has(transaction.status) ? 'None.' : 'Not known yet.'}</p>`}</section>
      ${transaction.checks?.length ? html`<section><h2>Checks</h2><div class="scroll" tabindex="0" role="region" aria-label="Checks"><table><thead><tr><th scope="col">Check</th><th scope="col">Outcome</th><th scope="col">Score</th><th scope="col">Threshold</th></tr></thead>
        <tbody>${transaction.checks.map((/** @type {any} */ check) => html`<tr><th scope="row"><code>${check.check}</code></th><td>${badge(check.result)}</td><td>${shown(check.score)}</td><td>${shown(check.threshold)}</td></tr>`)}</tbody></table></div></section>` : ''}
      <section><h2>Webhook events</h2>${events?.length
        ? html`<ol class="rows">${events.map((/** @type {any} */ event) => html`<li><div><code>${event.type}</code> <span class="fine">${event.timestamp}</span></div><pre tabindex="0">${Object.entries(event.headers ?? {}).map(([name, value]) => `${name}: ${value}\n`).join('')}${JSON.stringify(event.body, null, 2)}</pre></li>`)}</ol>`
        : html`<p class="fine">None so far.</p>`}</section>
      <section><h2>The transaction, as your server reads it</h2><pre tabindex="0">${JSON.stringify(transaction, null, 2)}</pre></section>`;
  }
}

/** @param {unknown} value */
const shown = (value) => (typeof value === 'number' ? value.toFixed(3) : value === null || value === undefined ? '–' : String(value));

customElements.define('tn-result', Result);
