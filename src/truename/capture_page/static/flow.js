/**
 * What comes next? A pure function of what the service says (the session) and of what this page alone knows (local).
 * Nothing here touches the browser: tests/capture_page/flow.test.js asks it every question in Node.
 */

/** @import { AcceptedDocument, ClaimAnswer, DocumentAnswer, Session, Side, Take } from './wire.js' */

/**
 * What this page knows beside the session.
 * @typedef {object} Local
 * @property {{kind: string, where: string | null, code?: string} | null} trouble what went wrong, at which screen's camera, and the code that a shop is told
 * @property {boolean} loading the session is being read
 * @property {boolean} finished all was submitted, here or on the phone
 * @property {boolean} declined just now, on this page
 * @property {ClaimAnswer | null} claim a phone link was opened, and its number is still to be confirmed
 * @property {AcceptedDocument | null} choice of document
 * @property {readonly Side[]} anyway sides whose unusable take the person goes on with
 * @property {boolean} handheld this device is held in the hand: its camera is the one to use
 * @property {boolean} onPhone this phone took over from a computer
 * @property {'undecided' | 'here' | 'phone'} device where the person wants to go on
 */

/**
 * @typedef {{name: 'trouble'} | {name: 'done'} | {name: 'confirm'} | {name: 'loading'} | {name: 'consent'} | {name: 'declined'} | {name: 'handoff'}
 *   | {name: 'choose'} | {name: 'document', side: Side} | {name: 'face'} | {name: 'submitting'}} Screen
 */

/** @type {Readonly<Local>} */
export const BEGINNING = Object.freeze({
  trouble: null, loading: true, finished: false, declined: false, claim: null, choice: null, anyway: [], handheld: false, onPhone: false, device: 'undecided',
});

/** @param {Session | null} session @param {Local} local @returns {Screen} */
export function nextScreen(session, local) {
  if (local.trouble) return { name: 'trouble' };
  if (local.finished) return { name: 'done' };
  if (local.claim) return { name: 'confirm' };
  if (!session || local.loading) return { name: 'loading' };
  if (!session.consent.given) return { name: local.declined ? 'declined' : 'consent' };
  const phonePossible = canHandOff(session, local);
  if (phonePossible && local.device === 'phone') return { name: 'handoff' };
  const side = missingSide(session, local);
  if (side) {
    // A computer rarely has a camera that reads a document.
    if (phonePossible && local.device === 'undecided') return { name: 'handoff' };
    return !local.choice && side === 'front' ? { name: 'choose' } : { name: 'document', side };
  }
  if (session.steps.includes('LIVENESS') && !session.progress.liveness.done) return { name: 'face' };
  return { name: 'submitting' };
}

/** May a phone take over from here? @param {Session | null} session @param {Local} local */
export function canHandOff(session, local) {
  return Boolean(session?.handoff && !local.onPhone && !local.handheld);
}

/** Which side of the document is still to be taken? @param {Session} session @param {Local} local @returns {Side | null} */
export function missingSide(session, local) {
  if (!session.steps.includes('DOCUMENT')) return null;
  const { front, back, back_needed: needed } = session.progress.document;
  if (!settled(front, 'front', local)) return 'front';
  const wanted = needed ?? local.choice?.sides.includes('back') ?? false;
  return wanted && !settled(back, 'back', local) ? 'back' : null;
}

/** A take that can stand: usable, wanted by the person as it is, or the last that was allowed. @param {Take | null} take @param {Side} side @param {Local} local */
function settled(take, side, local) {
  return take !== null && (take.usable || local.anyway.includes(side) || take.takes_left === 0);
}

/** Is there anything against this take but that its back is missing? @param {Pick<DocumentAnswer, 'usable' | 'reasons'>} answer */
export const goodEnough = (answer) => answer.usable || answer.reasons.every((reason) => reason === 'BACK_NEEDED');

/** The session after a picture was received. @param {Session} session @param {Side} side @param {DocumentAnswer} answer @returns {Session} */
export function withTake(session, side, answer) {
  const take = { usable: goodEnough(answer), reasons: answer.reasons, takes_left: answer.takes_left };
  const before = session.progress.document;
  const needed = answer.back_needed ?? (answer.reasons.includes('BACK_NEEDED') ? true : null);
  const document = side === 'front' ? { ...before, front: take, back: null, back_needed: needed } : { ...before, back: take };
  return { ...session, progress: { ...session.progress, document } };
}

/** The session after a recording was received. @param {Session} session @returns {Session} */
export const withFace = (session) => ({ ...session, progress: { ...session.progress, liveness: { ...session.progress.liveness, done: true } } });

/** The session after the person's answer. @param {Session} session @param {boolean} given @returns {Session} */
export const withConsent = (session, given) => ({ ...session, consent: { ...session.consent, given } });

/** The document that is asked for: the only one, the one chosen here, or the one chosen before a reload. @param {Session} session @param {AcceptedDocument | null} choice */
export function chosenDocument(session, choice) {
  if (session.documents.length === 1) return session.documents[0] ?? null;
  const { country, type } = session.progress.document;
  return choice ?? session.documents.find((document) => document.country === country && document.type === type) ?? null;
}

/** How far along a screen is: the place among the session's steps, or null where no step is under way. @param {Session | null} session @param {Screen['name']} name */
export function placeOf(session, name) {
  const steps = session?.steps ?? [];
  /** @type {Partial<Record<Screen['name'], number>>} */
  const places = {
    consent: 0, declined: 0, handoff: Math.min(1, steps.length - 1), choose: steps.indexOf('DOCUMENT'), document: steps.indexOf('DOCUMENT'),
    face: steps.indexOf('LIVENESS'), submitting: steps.length, done: steps.length,
  };
  const at = places[name] ?? -1;
  return steps.length && at >= 0 ? { at, count: steps.length } : null;
}
