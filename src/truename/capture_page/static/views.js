/** Each screen with what it shows, and what happens when it says something: the only place where capture and screens meet. */

import { html } from 'lit';
import { deviceName } from './device.js';
import { parentOrigin } from './embed.js';
import { Problem } from './errors.js';
import { canHandOff } from './flow.js';
import { language } from './i18n.js';
import { declinedView, doneView, loadingView, submittingView } from './screens/end.js';
import { troubleView } from './screens/trouble.js';
import './screens/choose.js';
import './screens/consent.js';

/** @import { Capture } from './capture.js' */
/** @import { Screen } from './flow.js' */
/** @import { AcceptedDocument, DocumentAnswer, Side } from './wire.js' */

/** Screens that are fetched only when they are needed. @type {Record<string, () => Promise<unknown>>} */
const LATER = {
  document: () => import('./screens/document.js'),
  face: () => import('./screens/face.js'),
  handoff: () => import('./screens/handoff.js'),
  confirm: () => import('./screens/confirm.js'),
};

/** Fetch what a screen needs. @param {string} name */
export const load = async (name) => { await LATER[name]?.(); };

/** @template T @typedef {CustomEvent<T>} Said */

/** @param {Screen | null} screen @param {Capture} capture @param {(text: string) => void} announce */
export function viewOf(screen, capture, announce) {
  const { session, local, known } = capture;
  const name = known?.account.name ?? '';
  const mayReturn = Boolean(known?.return.url) || parentOrigin() !== null;
  switch (screen?.name) {
    case 'trouble': return trouble(capture);
    case 'done': return doneView({ name, own: known?.texts[language()]?.done ?? null, onPhone: local.onPhone, demo: capture.demo, onReturn: mayReturn ? () => capture.leave('done') : null });
    case 'declined': return declinedView({ name, onReturn: mayReturn ? () => capture.leave('declined') : null, onAgain: () => capture.next({ declined: false }) });
    case 'submitting': return submittingView(capture.sending);
    case 'consent': return html`<tn-consent .session=${session} .busy=${capture.busy} @tn-answered=${(/** @type {Said<boolean>} */ { detail }) => capture.answered(detail)}></tn-consent>`;
    case 'confirm': return html`<tn-confirm-handoff .claim=${local.claim} .busy=${capture.busy}
      @tn-number=${(/** @type {Said<string>} */ { detail }) => capture.numberChosen(detail)} @tn-not-me=${() => capture.notMe()}></tn-confirm-handoff>`;
    case 'choose': return html`<tn-choose .documents=${session?.documents ?? []} .choice=${local.choice}
      @tn-chosen=${(/** @type {Said<AcceptedDocument>} */ { detail }) => capture.next({ choice: detail })}></tn-choose>`;
    case 'handoff': return handoff(capture);
    case 'document': return document(capture, screen.side, announce);
    case 'face': return face(capture, announce);
    default: return loadingView();
  }
}

/** @param {Capture} capture */
function trouble(capture) {
  const { session, local, known } = capture;
  const { kind, where, code } = local.trouble ?? { kind: 'unknown', where: null, code: 'unknown' };
  return troubleView({
    kind,
    name: known?.account.name ?? '',
    on: {
      retry: () => capture.tryAgain(),
      ...(canHandOff(session, local) ? { phone: () => capture.goOnWith('phone') } : {}),
      ...(session?.file_upload && where !== null && where !== 'face' ? { file: () => capture.useFile() } : {}),
      ...(known?.return.url ? { return: () => capture.leave('error', code) } : {}),
    },
  });
}

/** @param {Capture} capture */
function handoff(capture) {
  const calls = {
    start: () => capture.client?.api.startHandoff(deviceName()) ?? gone(),
    ask: () => capture.client?.api.handoff() ?? gone(),
    secondsUntil: (/** @type {string} */ instant) => capture.client?.secondsUntil(instant) ?? 0,
  };
  return html`<tn-handoff .calls=${calls} @tn-stay-here=${() => capture.goOnWith('here')} @tn-finished=${() => capture.finished()}
    @tn-failed=${(/** @type {Said<Failed>} */ event) => failed(capture, event)}></tn-handoff>`;
}

/** @param {Capture} capture @param {Side} side @param {(text: string) => void} announce */
function document(capture, side, announce) {
  const { session, local } = capture;
  /** @type {import('./screens/document.js').SendPicture} */
  const send = (picture, source, key, onProgress) =>
    capture.client?.api.document(side, picture, { country: local.choice?.country ?? null, type: local.choice?.type ?? null, source }, key, onProgress) ?? gone();
  return html`<tn-document .side=${side} .document=${local.choice} .limits=${session?.limits} .send=${send} .primed=${capture.cameraPrimed} .fromFile=${capture.fromFile}
    .mayUseFile=${session?.file_upload ?? false} .mayChooseAgain=${(session?.documents.length ?? 0) > 1}
    @tn-taken=${(/** @type {Said<{answer: DocumentAnswer, anyway: boolean}>} */ { detail }) => capture.documentTaken(side, detail)}
    @tn-choose-again=${() => capture.next({ choice: null })} @tn-out-of-takes=${() => capture.trouble('too_many_takes')}
    @tn-failed=${(/** @type {Said<Failed>} */ event) => failed(capture, event)}
    @tn-camera-opened=${() => capture.cameraOpened()} @tn-announced=${(/** @type {Said<string>} */ { detail }) => announce(detail)}></tn-document>`;
}

/** @param {Capture} capture @param {(text: string) => void} announce */
function face(capture, announce) {
  const { session, local } = capture;
  /** @type {import('./screens/face.js').SendFrames} */
  const send = (nonce, frames, key, onProgress) => capture.client?.api.liveness(nonce, frames, key, onProgress) ?? gone();
  return html`<tn-face .bounds=${session?.liveness} .ask=${(/** @type {boolean} */ light) => capture.client?.api.challenge(light) ?? gone()} .send=${send} .primed=${capture.cameraPrimed}
    .arrived=${async () => (await capture.client?.read())?.progress.liveness.done ?? false} .mayUsePhone=${canHandOff(session, local)}
    @tn-face-taken=${() => capture.faceTaken()} @tn-out-of-attempts=${() => capture.trouble('too_many_attempts')} @tn-phone-wanted=${() => capture.goOnWith('phone')}
    @tn-failed=${(/** @type {Said<Failed>} */ event) => failed(capture, event)}
    @tn-camera-opened=${() => capture.cameraOpened()} @tn-announced=${(/** @type {Said<string>} */ { detail }) => announce(detail)}></tn-face>`;
}

/** @typedef {{error: unknown, where: string | null}} Failed */

/** @param {Capture} capture @param {Said<Failed>} event */
const failed = (capture, { detail }) => capture.fail(detail.error, detail.where);

/** A call without a token: the link was never read. @returns {Promise<never>} */
const gone = () => Promise.reject(new Problem('not_authenticated'));
