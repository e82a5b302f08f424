/** The token: taken out of the address bar at once, kept for this tab only. */

/** @import { Session } from './wire.js' */

const PLACE = 'truename';

/**
 * Whose capture it is and where it leads: no session is answered any more once everything was submitted.
 * @typedef {Pick<Session, 'transaction_id' | 'livemode' | 'account' | 'return' | 'texts'>} Known
 * @typedef {{token: string, demo: string | null, phone: boolean, device?: 'undecided' | 'here' | 'phone', known?: Known | null}} Kept
 */

/** What is kept of a session; nothing of the person. @param {Known} session @returns {Known} */
export const knownOf = ({ transaction_id, livemode, account, return: back, texts }) => ({ transaction_id, livemode, account, return: back, texts });

/** What the link brought, if anything. */
export function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has('t') || given.has('h')) history.replaceState(null, '', location.pathname + location.search);
  return { token: given.get('t'), code: given.get('h'), demo: given.get('d') };
}

/** @param {Kept} kept */
export function keep(kept) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // Some web views have no storage: then a reload needs the link again.
  }
}

/** @returns {Kept | null} */
export function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null');
    return found && !leadsToAPage(found.known) ? { ...found, known: null } : found;
  } catch {
    return null;
  }
}

/** The service lets accounts name pages only; what lies in storage is believed no further. @param {Known | null | undefined} known */
const leadsToAPage = (known) => !known?.return.url || /^https?:\/\//i.test(known.return.url);
