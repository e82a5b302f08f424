// @ts-check
// The reviewer's help: countdown in words, a lease that renews while somebody works, Ctrl+Enter to commit.
import { say } from "./dashboard.js";

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  const open = document.querySelector("details[open] form[data-commit], form[data-commit]:not(details form)");
  if (open instanceof HTMLFormElement) { event.preventDefault(); open.requestSubmit(); }
});

// A decision's panel that opens puts the focus on its first reason.
for (const panel of document.querySelectorAll("details.decide")) panel.addEventListener("toggle", () => {
  if (/** @type {HTMLDetailsElement} */ (panel).open) /** @type {HTMLElement | null} */ (panel.querySelector("input[type=radio]"))?.focus();
});

const loaded = performance.now();

function count() {
  for (const held of document.querySelectorAll("[data-final-in]")) {
    if (held.hasAttribute("data-over")) continue;
    const left = Math.ceil(Number(held.getAttribute("data-final-in")) - (performance.now() - loaded) / 1000);
    const words = held.querySelector("[data-countdown]");
    if (words && left > 0) words.textContent = `final in ${left} s`;
    if (words && left <= 0) {
      held.setAttribute("data-over", "");
      words.textContent = "final now";
      held.querySelector("button")?.setAttribute("disabled", "");
      say("The decision is final.");
    }
  }
}
setInterval(count, 500);
count();

const bar = document.querySelector("[data-renew]");
let worked = false, workedLately = true;  // for the lease, and for the hint at a break: a page that was opened is work
for (const kind of ["pointerdown", "keydown", "input", "wheel"]) document.addEventListener(kind, () => { worked = workedLately = true; }, { passive: true });

async function renew() {
  if (!bar || !worked || document.visibilityState !== "visible") return;
  worked = false;
  const body = new URLSearchParams({ version: bar.getAttribute("data-version") ?? "" });
  const headers = { "X-CSRF-Token": document.body.dataset.csrf ?? "" };
  const answer = await fetch(bar.getAttribute("data-renew") ?? "", { method: "POST", body, headers });
  const place = document.getElementById("lease");
  if (answer.ok && place) {
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...fresh.body.childNodes);
  }
}
setInterval(renew, 45_000);

// A hint, no timer: after 50 minutes of work with no pause of ten.
const WORK_MS = 50 * 60_000, PAUSE_MS = 10 * 60_000;
function hintAtBreak() {
  const hint = document.querySelector("[data-break]");
  if (!(hint instanceof HTMLElement)) return;
  const now = Date.now(), paused = now - Number(sessionStorage.getItem("review:last") ?? 0) > PAUSE_MS;
  if (workedLately && paused) sessionStorage.setItem("review:since", String(now));
  if (workedLately) sessionStorage.setItem("review:last", String(now));
  // Who left the page open and went away has had the break.
  hint.hidden = (paused && !workedLately) || now - Number(sessionStorage.getItem("review:since")) < WORK_MS;
  workedLately = false;
}
hintAtBreak();
setInterval(() => { if (document.visibilityState === "visible" && bar) hintAtBreak(); }, 60_000);
