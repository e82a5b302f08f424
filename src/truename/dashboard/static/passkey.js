// @ts-check
// Passkeys: ask the browser, put its answer into the form, and send the form as any other.

const OPTIONS = { "sign-in": "/dashboard/sign-in/passkey-options", add: "/dashboard/me/passkey-options" };

/** @param {string} text */
function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
/** @param {ArrayBuffer | null | undefined} data */
function text(data) {
  if (!data) return undefined;
  return btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {"sign-in" | "add"} kind */
async function ask(kind) {
  const answer = await fetch(OPTIONS[kind], { method: "POST", headers: { "X-CSRF-Token": document.body.dataset.csrf ?? "" } });
  if (!answer.ok) throw new Error(answer.status === 429 ? "Too many attempts. Wait a minute." : "The service did not answer. Load the page again.");
  const options = await answer.json();
  options.challenge = bytes(options.challenge);
  for (const one of [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? [])]) one.id = bytes(one.id);
  if (options.user) options.user.id = bytes(options.user.id);
  const made = /** @type {any} */ (kind === "add"
    ? await navigator.credentials.create({ publicKey: options })
    : await navigator.credentials.get({ publicKey: options }));
  const given = made.response;
  return JSON.stringify({
    id: made.id, rawId: text(made.rawId), type: made.type,
    response: {
      clientDataJSON: text(given.clientDataJSON), attestationObject: text(given.attestationObject),
      authenticatorData: text(given.authenticatorData), signature: text(given.signature), userHandle: text(given.userHandle),
    },
  });
}

for (const found of document.querySelectorAll("form[data-passkey]")) {
  const form = /** @type {HTMLFormElement} */ (found);
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fault = /** @type {HTMLElement} */ (form.querySelector("[data-fault]"));
    fault.hidden = true;
    try {
      const kind = form.dataset.passkey === "add" ? "add" : "sign-in";
      /** @type {HTMLInputElement} */ (form.elements.namedItem("credential")).value = await ask(kind);
      form.submit();
    } catch (trouble) {
      const named = /** @type {Error} */ (trouble);
      fault.textContent = named.name === "NotAllowedError" ? "No passkey was given." : named.message;
      fault.hidden = false;
    }
  });
}
