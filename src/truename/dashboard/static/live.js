// @ts-check
// Live rows. One stream for the whole browser: the tab that holds the lock listens and tells the others; when it is
// hidden it lets go. Without a stream the page asks every 15 seconds, and says so.

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
  document.dispatchEvent(new CustomEvent("truename:live", { detail: change }));
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
start();
