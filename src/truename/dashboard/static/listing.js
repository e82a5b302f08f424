// @ts-check
// The list of transactions: counts that follow the rows, rows that change in place, and rows that are chosen.
// One stream for the whole browser: the tab that holds the lock listens and tells the others; when it is hidden it lets
// go. Without a stream the page asks every 15 seconds, and says so.
import { onKey, say } from "./dashboard.js";

const table = document.getElementById("rows");
const news = document.getElementById("news");
let created = 0;
let said = 0;

// ── rows that change ──────────────────────────────────────────────────────────────────────────────────────────
/** Nothing moves under a pointer, a focus or a chosen row. @param {Element} row */
function isBusy(row) {
  return row.matches(":hover") || row.contains(document.activeElement) || row.querySelector("input:checked") !== null;
}

/** @param {string[]} ids */
async function refresh(ids) {
  const wanted = ids.filter((id) => table?.querySelector(`tr[data-id="${CSS.escape(id)}"]`));
  if (!wanted.length) return;
  const answer = await fetch(`/dashboard/transactions/rows${location.search}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of wanted) {
    const row = table?.querySelector(`tr[data-id="${CSS.escape(id)}"]`);
    const fresh = page.querySelector(`tr[data-id="${CSS.escape(id)}"]`);
    if (!row || isBusy(row)) continue;
    if (fresh) { fresh.classList.add("changed"); row.replaceWith(document.adoptNode(fresh)); } else row.classList.add("left");
  }
}

/** New rows wait behind a line that says how many. @param {number} more */
function announce(more) {
  created += more;
  if (!news || !created) return;
  const words = `${created} new: show`;
  const place = news.querySelector("[data-news]");
  if (place) place.textContent = words;
  news.hidden = false;
  if (Date.now() - said > 10_000) { said = Date.now(); say(words); }
}

// ── counts, after the rows ────────────────────────────────────────────────────────────────────────────────────
async function count() {
  const place = document.querySelector("[data-counts]");
  if (!place) return;
  const answer = await fetch(`${place.getAttribute("data-counts")}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const found of page.querySelectorAll("[data-of]")) {
    const of = document.querySelector(`[data-count="${CSS.escape(found.getAttribute("data-of") ?? "")}"]`);
    if (of) of.textContent = found.textContent;
  }
}

// ── chosen rows ───────────────────────────────────────────────────────────────────────────────────────────────
const bulk = document.getElementById("bulk");
const every = document.getElementById("every");
const boxes = () => /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("#rows tbody input[name=ids]")]);

function chosen() {
  const all = boxes();
  const number = all.filter((box) => box.checked).length;
  for (const box of all) box.closest("tr")?.classList.toggle("selected", box.checked);
  const words = bulk?.querySelector("[data-chosen]");
  if (words) words.textContent = number ? `${number} chosen` : "Choose rows to act on several at once";
  for (const button of bulk?.querySelectorAll("button") ?? []) /** @type {HTMLButtonElement} */ (button).disabled = !number;
  if (every instanceof HTMLInputElement) {
    every.checked = number > 0 && number === all.length;
    every.indeterminate = number > 0 && number < all.length;
  }
}
table?.addEventListener("change", (event) => {
  if (event.target === every && every instanceof HTMLInputElement) for (const box of boxes()) box.checked = every.checked;
  chosen();
});
onKey("x", () => {
  const box = document.activeElement?.closest("tr")?.querySelector("input[name=ids]");
  if (box instanceof HTMLInputElement) { box.checked = !box.checked; chosen(); }
});

// ── the stream ────────────────────────────────────────────────────────────────────────────────────────────────
const PATH = "/dashboard/live";
const POLL_MS = 15_000;
const account = document.body.dataset.account ?? "";
const channel = new BroadcastChannel("truename-live");
const state = document.querySelector("[data-live-state]");
let after = "";

/** @param {string} words */
function show(words) { if (state) state.textContent = words; }

/** @param {any} change */
function tell(change) {
  if (change.account_id !== account) return;
  after = change.after;
  announce(change.created ?? 0);
  void refresh(change.transactions ?? []);
}
channel.addEventListener("message", (event) => { if (event.data === "ready") show("Live"); else tell(event.data); });

async function poll() {
  show("Updated every 15 seconds");
  while (!document.hidden) {
    const answer = await fetch(`${PATH}/since?after=${encodeURIComponent(after)}`).catch(() => null);
    if (answer?.status === 401) return;
    if (answer?.ok) {
      const change = await answer.json();
      after = change.after;
      if (change.created || change.transactions.length) tell(change);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Listen until the tab is hidden or the stream fails for good. */
function listen() {
  return new Promise((resolve) => {
    const stream = new EventSource(PATH);
    let failures = 0;
    /** @param {boolean} failed */
    const end = (failed) => { stream.close(); document.removeEventListener("visibilitychange", hidden); resolve(failed); };
    const hidden = () => { if (document.hidden) end(false); };
    document.addEventListener("visibilitychange", hidden);
    stream.addEventListener("ready", () => { failures = 0; show("Live"); channel.postMessage("ready"); });
    stream.addEventListener("change", (event) => { const change = JSON.parse(event.data); tell(change); channel.postMessage(change); });
    stream.addEventListener("ended", () => end(true));
    stream.addEventListener("error", () => { failures += 1; if (failures > 3 || stream.readyState === EventSource.CLOSED) end(true); });
  });
}

async function run() {
  if (document.hidden) return;
  const failed = await navigator.locks.request("truename-live", () => (document.hidden ? false : listen()));
  if (failed) await poll();
}
const start = "locks" in navigator && "EventSource" in window ? run : poll;
document.addEventListener("visibilitychange", () => { if (!document.hidden) start(); });
chosen();
void count();
start();
