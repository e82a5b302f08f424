// @ts-check
// The list of transactions: counts that follow the rows, rows that change in place, and rows that are chosen.
// One stream for the whole browser: the tab that holds the lock listens and tells the others; when it is hidden it lets
// go. Without a stream the page asks every 15 seconds, and says so.
import { onKey, say } from "./dashboard.js";

const table = document.getElementById("rows");
const news = document.getElementById("news");
const FULL = 50; // rows of a page
let said = 0;

// ── rows that change ──────────────────────────────────────────────────────────────────────────────────────────
/** @param {ParentNode | null} place */
const rowsIn = (place) => /** @type {HTMLTableRowElement[]} */ ([...(place?.querySelectorAll("tbody tr[data-id]") ?? [])]);
/** What a row says, but for how long ago things were. @param {HTMLTableRowElement} row */
const says = (row) => [...row.cells].map((cell) => (cell.querySelector("time") ? "" : cell.textContent)).join("|");

/** Nothing moves under a pointer, a focus or a chosen row. @param {Element} row */
function isBusy(row) {
  return row.matches(":hover") || row.contains(document.activeElement) || row.querySelector("input:checked") !== null;
}

/** Rows as they are by now; one that somebody is at waits here. @type {Map<string, HTMLTableRowElement>} */
const newer = new Map();

function settle() {
  for (const row of rowsIn(table)) {
    const fresh = newer.get(row.dataset.id ?? "");
    if (!fresh || isBusy(row)) continue;
    newer.delete(row.dataset.id ?? "");
    if (says(fresh) !== says(row)) fresh.classList.add("changed");
    row.replaceWith(document.adoptNode(fresh));
  }
}
setInterval(settle, 1000);

const PAUSE_MS = 1000;
let asked = -PAUSE_MS, timer = 0;

/** Ask for the page again, once a second at most. */
function look() {
  if (!timer) timer = window.setTimeout(() => { timer = 0; void ask(); }, Math.max(0, asked + PAUSE_MS - performance.now()));
}

/** Rows change in place, those that left are grey, new ones are counted. */
async function ask() {
  if (document.hidden) return;
  asked = performance.now();
  const answer = await fetch(`/dashboard/transactions/rows${location.search}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok) return;
  const shown = rowsIn(table), known = new Set(shown.map((row) => row.dataset.id));
  const fresh = rowsIn(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("rows"));
  newer.clear();
  for (const row of fresh) if (known.has(row.dataset.id)) newer.set(row.dataset.id ?? "", row);
  const last = shown.findLastIndex((row) => newer.has(row.dataset.id ?? ""));
  for (const row of shown.slice(0, fresh.length < FULL ? shown.length : Math.max(0, last))) row.classList.toggle("left", !newer.has(row.dataset.id ?? ""));
  settle();
  // Behind a full page others stand that move up when one leaves: there only those above the first known one are new.
  const first = fresh.findIndex((row) => known.has(row.dataset.id));
  const above = first < 0 ? fresh.length : first;
  announce(document.querySelector("a[rel=next]") ? above : fresh.filter((row) => !known.has(row.dataset.id)).length);
}

/** New rows wait behind a line that says how many. @param {number} created */
function announce(created) {
  if (!news || !created) return;
  const words = `${created === FULL ? `${FULL}+` : created} new: show`;
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
let listens = false, missed = false;

/** @param {string} words */
function show(words) { if (state) state.textContent = words; }

/** @param {any} change */
function tell(change) {
  if (change.account_id !== account) return;
  after = change.after;
  look();
}

/** From now on changes are told; what happened before, while nobody listened, is looked for. */
function ready() {
  show("Live");
  if (missed) look();
  missed = false;
}
channel.addEventListener("message", (event) => {
  if (event.data === "ready") ready();
  else if (event.data !== "hello") tell(event.data);
  else if (listens) channel.postMessage("ready");
});

async function poll() {
  show("Updated every 15 seconds");
  look();
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
    const end = (failed) => { listens = false; stream.close(); document.removeEventListener("visibilitychange", hidden); resolve(failed); };
    const hidden = () => { if (document.hidden) end(false); };
    document.addEventListener("visibilitychange", hidden);
    stream.addEventListener("ready", () => { failures = 0; listens = true; ready(); channel.postMessage("ready"); });
    stream.addEventListener("change", (event) => { const change = JSON.parse(event.data); tell(change); channel.postMessage(change); });
    stream.addEventListener("ended", () => end(true));
    stream.addEventListener("error", () => { missed = true; failures += 1; if (failures > 3 || stream.readyState === EventSource.CLOSED) end(true); });
  });
}

async function run() {
  if (document.hidden) return;
  channel.postMessage("hello");
  const failed = await navigator.locks.request("truename-live", () => (document.hidden ? false : listen()));
  if (failed) await poll();
}
const start = "locks" in navigator && "EventSource" in window ? run : poll;
document.addEventListener("visibilitychange", () => { if (document.hidden) missed = true; else start(); });
chosen();
void count();
start();
