/** One capture from the link to the end: does what a screen asks for, and has the next one shown (flow.js says which). */

import { claimHandoff, newKey } from './api.js';
import { cameras } from './camera.js';
import { CONSENT_TEXT_VERSION } from './consent_text.js';
import { isHandheld, whereAmI } from './device.js';
import { DeviceReports } from './device_reports.js';
import { mayBeShown, parentOrigin, returnAddress, tell } from './embed.js';
import { Problem, reactionTo } from './errors.js';
import { BEGINNING, chosenDocument, nextScreen } from './flow.js';
import { language } from './i18n.js';
import { keep, kept, knownOf, readLink } from './link.js';
import { Patience } from './patience.js';
import { SessionClient } from './session_client.js';

/** @import { DocumentAnswer, Side } from './wire.js' */
/** @import { Local, Screen } from './flow.js' */
/** @import { Known } from './link.js' */
/** @typedef {{show: (screen: Screen) => Promise<boolean>, speak: (code: string) => Promise<void>, changed: () => void}} Shower shows screens; `show` tells whether it came to that, or a later one overtook it */

/** How often in a row the session is read again because a call came at the wrong moment. */
const RESUMES = 2;
const LEAVE_AFTER = 4000;

/** Did the person go back to this page, from where it had sent them? They are not sent off once more. */
const cameBack = () => /** @type {PerformanceNavigationTiming | undefined} */ (performance.getEntriesByType('navigation')[0])?.type === 'back_forward';

export class Capture {
  /** @type {SessionClient | null} */
  client = null;
  /** @type {DeviceReports | null} */
  reports = null;
  /** @type {Local} */
  local = { ...BEGINNING };
  /** The key of the developer's result page, in a demo. @type {string | null} */
  demo = null;
  /** A call is under way that the screen waits for. */
  busy = false;
  fromFile = false;
  cameraPrimed = false;
  #camerasTold = false;
  #deviceTold = false;
  #resumed = 0;
  #screenLost = false;
  /** A link that was not redeemed yet, and the key of that call. @type {{code: string, key: string} | null} */
  #redeeming = null;
  /** What this tab knew of the same capture before it was loaded again. @type {Known | null} */
  #before = null;

  /** @param {Shower} shower */
  constructor(shower) {
    this.shower = shower;
    this.sending = new Patience(() => shower.changed());
  }

  get session() {
    return this.client?.session ?? null;
  }

  /** Whose capture it is and where it leads, also where the session is read no more: after a reload at the end. @returns {Known | null} */
  get known() {
    return this.session ?? this.#before;
  }

  /** Seconds until the link expires. */
  get left() {
    return this.client && this.session ? this.client.secondsUntil(this.session.expires_at) : Infinity;
  }

  // ── beginning ──

  /** Follow the link in the address bar, or go on after a reload. @returns {Promise<void>} */
  async start() {
    const link = readLink();
    const before = kept();
    const earlier = link.token || link.code ? null : before;
    this.local = { ...BEGINNING, handheld: isHandheld(), onPhone: link.code !== null || (earlier?.phone ?? false), device: earlier?.device ?? 'undecided' };
    this.demo = link.demo ?? earlier?.demo ?? null;
    this.client = null;
    this.#before = null;
    if (link.code) return this.#claim(link.code, newKey());
    const token = link.token ?? earlier?.token;
    if (!token) return this.trouble('link_missing');
    // Of this very capture only: nobody is sent to another account's page.
    this.#before = before?.token === token ? (before.known ?? null) : null;
    this.#hold(token);
    return this.read();
  }

  /** @param {string} token */
  #hold(token) {
    const client = new SessionClient(token);
    this.client = client;
    this.reports = new DeviceReports((report) => client.api.device(report));
    this.#camerasTold = false;
    this.#deviceTold = false;
    this.#keep();
  }

  #keep() {
    if (this.client) keep({ token: this.client.api.token, demo: this.demo, phone: this.local.onPhone, device: this.local.device, known: this.known && knownOf(this.known) });
  }

  /** @param {string} code @param {string} key */
  async #claim(code, key) {
    this.#redeeming = { code, key };
    try {
      const claim = await claimHandoff(code, key);
      this.#redeeming = null;
      this.#hold(claim.sdk_token);
      return this.next({ claim });
    } catch (error) {
      // Whatever the service has against the code, the way on is a new one.
      return reactionTo(error).shows === 'unknown' ? this.trouble('handoff_code') : this.fail(error);
    }
  }

  /** Read the session (again) and go where it says. @returns {Promise<void>} */
  async read() {
    const { client } = this;
    if (!client) {
      if (!this.#redeeming) return location.reload();  // which would not know the code: its link is gone from the address
      await this.next({ loading: true, trouble: null });
      return this.#claim(this.#redeeming.code, this.#redeeming.key);
    }
    // The session is this phone's only once the number is confirmed.
    if (this.local.claim) return this.next({ trouble: null });
    await this.next({ loading: true, trouble: null });
    try {
      const session = await client.read();
      if (!mayBeShown(session.return.origins, client.api.token)) return this.trouble('not_here');
      this.#keep();
      if (session.language) await this.shower.speak(session.language);
      tell(session.return.origins, 'ready', { transaction_id: session.transaction_id });
      if (session.consent.given) this.#tellDevice();
      return this.next({ loading: false, choice: chosenDocument(session, this.local.choice) });
    } catch (error) {
      return this.fail(error);
    }
  }

  // ── what happened on a screen ──

  /** @param {boolean} given */
  async answered(given) {
    if (!(await this.#ask((client) => client.consent(given, CONSENT_TEXT_VERSION, language())))) return;
    this.#resumed = 0;
    if (given) this.#tellDevice();
    else tell(this.session?.return.origins ?? [], 'declined', { transaction_id: this.session?.transaction_id });
    this.next({ declined: !given });
  }

  /** @param {string} number */
  async numberChosen(number) {
    if (!(await this.#ask((client) => client.api.confirmHandoff(number)))) return;
    this.local = { ...this.local, claim: null };
    this.read();
  }

  /** Refused or not, this phone goes no further. */
  async notMe() {
    await this.#ask((client) => client.api.refuseHandoff().catch(() => {}));
    this.trouble('handoff_refused');
  }

  /** @param {'here' | 'phone'} device */
  goOnWith(device) {
    this.local = { ...this.local, device };
    this.#keep();
    this.read();
  }

  useFile() {
    this.fromFile = true;
    this.next({ trouble: null });
  }

  /** @param {Side} side @param {{answer: DocumentAnswer, anyway: boolean}} taken */
  documentTaken(side, { answer, anyway }) {
    this.client?.documentTaken(side, answer);
    this.#resumed = 0;
    this.next(anyway ? { anyway: [...this.local.anyway, side] } : {});
  }

  faceTaken() {
    this.client?.faceTaken();
    this.#resumed = 0;
    this.next({});
  }

  async cameraOpened() {
    this.cameraPrimed = true;
    if (this.#camerasTold) return;
    this.#camerasTold = true;
    this.reports?.tell({ cameraLabels: (await cameras()).map((device) => device.label) });
  }

  /**
   * The files of a screen did not come. A browser may remember that for as long as the page stands: where they fail again, although the
   * session was read, only a fresh page asks for them. One without storage, or with a phone link not yet confirmed, would not find back.
   */
  screenLost() {
    if (this.#screenLost && this.session && !this.local.claim && kept()) {
      location.reload();
      return;
    }
    this.#screenLost = true;
    this.trouble('offline');
  }

  /** After a trouble: a camera that was asked for is opened again at once. */
  tryAgain() {
    this.cameraPrimed ||= (this.local.trouble?.where ?? null) !== null;
    this.#resumed = 0;
    this.read();
  }

  finished() {
    const { known } = this;
    tell(known?.return.origins ?? null, 'done', { transaction_id: known?.transaction_id });
    if (known?.return.url && !this.local.onPhone && parentOrigin() === null && !this.demo && (this.session || !cameBack())) setTimeout(() => this.leave('done'), LEAVE_AFTER);
    return this.next({ finished: true, trouble: null });
  }

  /** @param {'done' | 'declined' | 'error'} status @param {string} [code] of the error */
  leave(status, code) {
    const { known } = this;
    if (parentOrigin() !== null) tell(known?.return.origins ?? null, 'closed', { transaction_id: known?.transaction_id });
    else if (known?.return.url) location.assign(returnAddress(known.return.url, known.transaction_id, status, code));
  }

  // ── calls ──

  /** One call that a screen waits for; says whether it succeeded. @param {(client: SessionClient) => Promise<unknown>} call */
  async #ask(call) {
    if (!this.client) return false;
    this.busy = true;
    this.shower.changed();
    try {
      await call(this.client);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    } finally {
      this.busy = false;
      this.shower.changed();
    }
  }

  async #submit() {
    try {
      await this.sending.run(async () => {
        await this.reports?.delivered();
        await this.client?.api.submit();
      });
      this.finished();
    } catch (error) {
      this.local = { ...this.local, anyway: [] };
      this.fail(error);
    }
  }

  async #tellDevice() {
    const { session, reports } = this;
    // Once by every device, also where another has reported before: a phone that takes over may be another kind of device.
    if (!session || !reports || this.#deviceTold) return;
    this.#deviceTold = true;
    reports.tell({});
    if (session.wants_location) reports.tell({ location: await whereAmI() });
  }

  // ── what comes next ──

  /** Something changed: show what comes next. @param {Partial<Local>} change */
  async next(change) {
    this.local = { ...this.local, ...change };
    const screen = nextScreen(this.session, this.local);
    if (!(await this.shower.show(screen))) return;
    if (screen.name !== 'trouble' && screen.name !== 'loading') this.#screenLost = false;
    if (screen.name === 'submitting') this.#submit();
  }

  /** @param {unknown} error @param {string | null} [where] @returns {Promise<void>} */
  fail(error, where = null) {
    const { does, shows } = reactionTo(error);
    if (does === 'finish') return this.finished();
    if (does === 'resume' && this.client && this.#resumed < RESUMES) {
      this.#resumed += 1;
      return this.read();
    }
    return this.trouble(shows, where, error instanceof Problem ? error.code : shows);
  }

  /** @param {string} kind @param {string | null} [where] @param {string} [code] for the embedding page */
  trouble(kind, where = null, code = kind) {
    tell(this.known?.return.origins ?? null, 'error', { transaction_id: this.known?.transaction_id, code });
    return this.next({ trouble: { kind, where, code } });
  }
}
