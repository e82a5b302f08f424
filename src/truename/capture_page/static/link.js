/** The token: taken out of the address bar at once, kept for this tab only. */

const PLACE = 'truename';

/**
 * @typedef {{token: string, demo: string | null, phone: boolean, device?: 'undecided' | 'here' | 'phone'}} Kept
 */

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
    return JSON.parse(sessionStorage.getItem(PLACE) ?? 'null');
  } catch {
    return null;
  }
}
