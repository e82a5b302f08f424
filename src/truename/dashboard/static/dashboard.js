// @ts-check
// What scripts add to the dashboard: keys, copying, menus that close, and a warning before the session ends.

const body = document.body;
const spoken = document.getElementById("spoken");

/** @param {string} words */
export function say(words) { if (spoken) spoken.textContent = words; }

document.addEventListener("click", async (event) => {
  const target = /** @type {Element} */ (event.target);
  const copy = target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(copy.getAttribute("data-copy") ?? "");
    say("Copied.");
    copy.classList.add("done");
  }
  const open = target.closest("[data-open]");
  if (open) showDialog(open.getAttribute("data-open") ?? "");
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.removeAttribute("open");
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.removeAttribute("open");
    /** @type {HTMLElement | null} */ (menu.querySelector("summary"))?.focus();
  }
});

/** @param {string} id */
function showDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

// ── keys ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** @type {Map<string, () => void>} */
const keys = new Map();
let afterG = 0;

/** Let a page add a key of its own. @param {string} key @param {() => void} act */
export function onKey(key, act) { keys.set(key, act); }

/** @param {number} step */
function moveRow(step) {
  const links = [...document.querySelectorAll("tbody tr a[data-row]")];
  if (!links.length) return;
  const row = document.activeElement?.closest("tr");
  const at = links.findIndex((link) => link.closest("tr") === row);
  const next = links[Math.min(links.length - 1, Math.max(0, at + step))];
  /** @type {HTMLElement} */ (next).focus();
}

onKey("?", () => showDialog("keys"));
onKey("/", () => document.getElementById("search")?.focus());
onKey("j", () => moveRow(1));
onKey("k", () => moveRow(-1));

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (body.dataset.keys !== "on" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return;
  if (event.key === "g") { afterG = Date.now(); return; }
  if (Date.now() - afterG < 1500) {
    afterG = 0;
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link instanceof HTMLAnchorElement) { event.preventDefault(); link.click(); }
    return;
  }
  const act = keys.get(event.key) ?? button(event.key);
  if (act) { event.preventDefault(); act(); }
});

/** A button or link that says which key presses it: `data-press="N"`. @param {string} key */
function button(key) {
  const found = document.querySelector(`[data-press="${CSS.escape(key)}"]:not([disabled])`);
  return found instanceof HTMLElement ? () => found.click() : undefined;
}

// ── what is typed survives the end of a session ───────────────────────────────────────────────────────────────
const place = `typed:${location.pathname}`;
for (const field of document.querySelectorAll("textarea[data-keep]")) {
  const area = /** @type {HTMLTextAreaElement} */ (field);
  const outcome = area.form?.querySelector("input[type=hidden][name=outcome]")?.getAttribute("value") ?? "";
  const name = [place, area.form?.getAttribute("action"), outcome, area.name].join(":");
  if (!area.value) area.value = sessionStorage.getItem(name) ?? "";
  area.addEventListener("input", () => sessionStorage.setItem(name, area.value));
  area.form?.addEventListener("submit", () => sessionStorage.removeItem(name));
}

// ── the session's end ─────────────────────────────────────────────────────────────────────────────────────────
const WARN_MS = 120_000;

/** When it ends, by the seconds that are left: this browser's clock may go wrong by hours. @param {string | null | undefined} left */
function endOf(left) { return Date.now() + 1000 * Number(left || NaN); }

let ends = endOf(body.dataset.left);
const ending = document.getElementById("ending");

const ASK_MS = 10_000, ANSWERED_MS = 5_000;
let asked = -Infinity, asking = false;

/** Another tab, or work that loads no page, may have kept the session: the server knows. Who never answers stops no clock. */
async function ask() {
  asking = true;
  const answer = await fetch("/dashboard/me/left", { signal: AbortSignal.timeout(ANSWERED_MS) }).catch(() => null);
  const until = endOf(answer?.headers.get("X-Session-Left"));
  if (!Number.isNaN(until)) ends = until;
  asked = Date.now();
  asking = false;
}

export async function watchEnd() {
  if (!(ending instanceof HTMLDialogElement) || Number.isNaN(ends) || asking) return;
  if (ends - Date.now() <= WARN_MS && (Date.now() - asked >= ASK_MS || ends <= Date.now())) await ask();
  const left = ends - Date.now();
  if (left > WARN_MS && ending.open) ending.close();
  if (left <= 0) { location.assign(`/dashboard/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`); return; }
  if (left <= WARN_MS) {
    const seconds = Math.ceil(left / 1000);
    const words = ending.querySelector("[data-left]");
    if (words) words.textContent = seconds > 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
    if (!ending.open) { ending.showModal(); say("Your session ends in two minutes."); }
  }
}
ending?.querySelector("[data-stay]")?.addEventListener("click", async () => {
  const answer = await fetch("/dashboard/me/stay", { method: "POST", headers: { "X-CSRF-Token": body.dataset.csrf ?? "" } });
  if (answer.ok) {
    ends = endOf(answer.headers.get("X-Session-Left"));
    /** @type {HTMLDialogElement} */ (ending).close();
  } else location.reload();
});
document.addEventListener("htmx:afterRequest", (event) => {
  const request = /** @type {CustomEvent} */ (event).detail?.xhr;
  const until = endOf(request?.getResponseHeader("X-Session-Left"));
  if (until > ends) ends = until;
});
setInterval(watchEnd, 1000);
