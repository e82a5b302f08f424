/** Who shows this page in a frame, and what they are told. Messages go to pinned origins only. */

/** The origin of the page that embeds us: null when nobody does, '' when it cannot be known. */
export function parentOrigin() {
  if (window.parent === window) return null;
  if (location.ancestorOrigins?.length) return location.ancestorOrigins[0] ?? '';
  try {
    return document.referrer ? new URL(document.referrer).origin : '';
  } catch {
    return '';
  }
}

/** The account that a token names, unverified: only good for comparing. @param {string} token */
export function accountOf(token) {
  try {
    return String(JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'))).account_id ?? '');
  } catch {
    return '';
  }
}

/**
 * May we show ourselves here? Where the browser does not tell who embeds us, it has at least held them to the allow-list
 * of the account in the query; that suffices when it is the token's own account.
 * @param {readonly string[]} origins @param {string} token
 */
export function mayBeShown(origins, token) {
  const parent = parentOrigin();
  if (parent === '') return accountOf(token) !== '' && new URLSearchParams(location.search).get('a') === accountOf(token);
  return parent === null || parent === location.origin || origins.includes(parent);
}

/**
 * Tell the embedding page; a post to an origin that is not the parent's is dropped by the browser.
 * @param {readonly string[] | null} origins null while no session could be read: then the parent, whom the browser has
 *   held to an allow-list, learns the bare fact, so that its person is not left before a dead link
 * @param {'ready' | 'done' | 'declined' | 'closed' | 'error'} type
 * @param {{transaction_id?: string, code?: string}} [details]
 */
export function tell(origins, type, details = {}) {
  if (window.parent === window) return;
  const parent = parentOrigin();
  for (const origin of new Set([...(origins ?? (parent ? [parent] : [])), location.origin])) {
    if (parent === '' || parent === origin) window.parent.postMessage({ source: 'truename', type, ...details }, origin);
  }
}

/**
 * The integrator's page to go back to, with the outcome.
 * @param {string} url @param {string} transaction @param {'done' | 'declined' | 'error'} status @param {string} [code] of the error
 */
export function returnAddress(url, transaction, status, code) {
  const address = new URL(url);
  address.searchParams.set('transaction_id', transaction);
  address.searchParams.set('status', status);
  if (code) address.searchParams.set('code', code);
  return address.href;
}
