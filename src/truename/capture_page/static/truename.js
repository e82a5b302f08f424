/**
 * The loader for an integrator's page: opens the capture in a frame, tells how it went.
 *
 *   <script src="https://YOUR-TRUENAME/verify/truename.js"></script>
 *   Truename.verify({ token, onDone: ({ transaction_id }) => …, onError: ({ code }) => … });
 *
 * The result itself is never here: your server reads it, or gets it by webhook.
 */
(() => {
  // Included twice: the first stays.
  if ('Truename' in window) return;
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const home = new URL(script?.src || location.href).origin;

  /** @param {string} token */
  function accountOf(token) {
    try {
      const claims = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
      return String(JSON.parse(atob(claims)).account_id ?? '');
    } catch {
      return '';
    }
  }

  /**
   * @typedef {{transaction_id?: string, code?: string}} Outcome
   * @param {{token: string, language?: string, container?: HTMLElement, onReady?: (outcome: Outcome) => void,
   *   onDone?: (outcome: Outcome) => void, onDecline?: (outcome: Outcome) => void, onError?: (outcome: Outcome) => void, onClose?: (outcome: Outcome) => void}} options
   * @returns {{close: () => void, frame: HTMLIFrameElement}}
   */
  function verify({ token, language, container, onReady, onDone, onDecline, onError, onClose }) {
    if (!token) throw new TypeError('Truename.verify needs the sdk_token of a transaction.');
    const frame = document.createElement('iframe');
    const query = new URLSearchParams();
    const account = accountOf(token);
    if (account) query.set('a', account);
    if (language) query.set('lang', language);
    frame.allow = `camera ${home}; geolocation ${home}; clipboard-write ${home}; fullscreen ${home}`;
    frame.title = 'Identity verification';
    frame.src = `${home}/verify/?${query}#t=${encodeURIComponent(token)}`;
    Object.assign(frame.style, container
      ? { width: '100%', height: '100%', minHeight: '640px', border: '0' }
      : { position: 'fixed', inset: '0', width: '100%', height: '100%', border: '0', zIndex: '2147483647', background: 'Canvas', colorScheme: 'light dark' });

    const close = () => {
      removeEventListener('message', listen);
      frame.remove();
    };
    /** @param {MessageEvent} event */
    const listen = ({ origin, source, data }) => {
      if (origin !== home || source !== frame.contentWindow || data?.source !== 'truename') return;
      const outcome = { transaction_id: data.transaction_id, code: data.code };
      if (data.type === 'ready') onReady?.(outcome);
      if (data.type === 'done') onDone?.(outcome);
      if (data.type === 'declined') onDecline?.(outcome);
      if (data.type === 'error') onError?.(outcome);
      if (data.type === 'closed') {
        close();
        onClose?.(outcome);
      }
    };
    addEventListener('message', listen);
    (container ?? document.body).append(frame);
    return { close, frame };
  }

  Object.defineProperty(window, 'Truename', { value: Object.freeze({ verify }) });
})();
